package wire

import "strings"

// prefixes returns the prefixes of abrowser's environment variables. The second one is for
// programs that were written for agent-browser.
func prefixes() []string { return []string{"ABROWSER_", "AGENT_BROWSER_"} }

// Variables returns the environment variables for a setting, such as ABROWSER_HEADED and
// AGENT_BROWSER_HEADED for HEADED.
func Variables(setting string) []string {
	var names []string
	for _, prefix := range prefixes() {
		names = append(names, prefix+setting)
	}
	return names
}

// LookupVariable returns the first of the variables that is set and not empty, and its
// value; lookup is os.LookupEnv. Both results are empty if no variable is set.
func LookupVariable(lookup func(string) (string, bool), variables []string) (name, value string) {
	for _, name := range variables {
		if value, _ := lookup(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// CutVariable removes one of abrowser's prefixes from entry, which is the name of a variable or
// an entry NAME=value of an environment. found reports whether entry has such a prefix.
func CutVariable(entry string) (setting string, found bool) {
	for _, prefix := range prefixes() {
		if setting, found := strings.CutPrefix(entry, prefix); found {
			return setting, true
		}
	}
	return "", false
}
