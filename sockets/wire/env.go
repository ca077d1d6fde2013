package wire

import "strings"

// prefixes returns the prefixes of abrowser's environment variables. The prefix AGENT_BROWSER_ is
// for programs that were written for agent-browser.
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

// LookupVariable returns the name and the value of the first of the variables that is set and not
// empty. It returns two empty strings if there is no such variable. The parameter lookup is
// os.LookupEnv.
func LookupVariable(lookup func(string) (string, bool), variables []string) (name, value string) {
	for _, name := range variables {
		if value, _ := lookup(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// CutVariable removes one of abrowser's prefixes from the parameter entry, which is the name of a
// variable or an entry NAME=value of an environment. It returns false if entry has no such prefix.
func CutVariable(entry string) (setting string, found bool) {
	for _, prefix := range prefixes() {
		if setting, found := strings.CutPrefix(entry, prefix); found {
			return setting, true
		}
	}
	return "", false
}
