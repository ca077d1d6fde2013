package mcpsetup

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// toml returns the server as a TOML table. The syntax of Go strings is that of basic TOML strings,
// except for the escapes \a, \v and \x, which do not occur in paths.
func toml(s Server) string {
	return "[" + s.table() + "]\n" + strings.Join(tomlLines(s), "\n") + "\n"
}

// table returns the name of the server's table.
func (s Server) table() string { return "mcp_servers." + s.Name }

func tomlLines(s Server) []string {
	args := make([]string, len(s.Args))
	for i, arg := range s.Args {
		args[i] = strconv.Quote(arg)
	}
	return []string{"command = " + strconv.Quote(s.Command), "args = [" + strings.Join(args, ", ") + "]"}
}

// addTOML returns the file with the server added as a table. It parses TOML only as far as this
// requires, and returns an error if it cannot be sure of the file's structure.
func addTOML(file []byte, s Server) ([]byte, error) {
	text := string(file)
	for _, quotes := range []string{`"""`, "'''"} {
		if strings.Contains(text, quotes) { // a line of a multi-line string can look like a table
			return nil, errors.New("it has a multi-line string")
		}
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	at, in, table := -1, "", s.table()
	for i, line := range lines {
		name, isHeader := header(line)
		switch key, _, _ := strings.Cut(bare(line), "="); {
		case isHeader && name == "":
			return nil, errors.New("a line that begins with [ is not a table: " + strconv.Itoa(i+1))
		case isHeader && name == table && at >= 0:
			return nil, errors.New("it has the table " + table + " twice")
		case isHeader && name == table:
			at, in = i, name
		case isHeader:
			in = name
		case in == "" && (key == "mcp_servers" || strings.HasPrefix(key, "mcp_servers.")),
			in == "mcp_servers" && (key == s.Name || strings.HasPrefix(key, s.Name+".")):
			return nil, errors.New("it has mcp_servers, but not as tables")
		}
	}
	if at < 0 {
		if strings.TrimSpace(text) == "" {
			return []byte(toml(s)), nil
		}
		return []byte(strings.Join(lines, "\n") + "\n\n" + toml(s)), nil
	}
	// The other keys of the table stay, such as a timeout that the user has set.
	end := at + 1
	for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), "[") {
		end++
	}
	var rest []string
	for _, line := range lines[at+1 : end] {
		key, value, _ := strings.Cut(bare(line), "=")
		switch {
		case key != "command" && key != "args":
			rest = append(rest, line)
		case key == "args" && !strings.HasSuffix(value, "]"):
			return nil, errors.New("the args of " + table + " are on several lines")
		}
	}
	lines = slices.Concat(lines[:at+1], tomlLines(s), rest, lines[end:])
	return []byte(strings.Join(lines, "\n") + "\n"), nil
}

// header returns the name, without quotes, of the table whose header a line is. It reports whether
// the line begins with [ as a header does. If the line does, but is not a header, the name is
// empty.
func header(line string) (name string, isHeader bool) {
	if !strings.HasPrefix(strings.TrimSpace(line), "[") {
		return "", false
	}
	found := regexp.MustCompile(`^\[([^\[\]]+)\](#.*)?$|^\[\[([^\[\]]+)\]\](#.*)?$`).FindStringSubmatch(bare(line))
	if found == nil {
		return "", true
	}
	return found[1] + found[3], true
}

// bare removes white space and quotes from a line, so that names can be compared.
func bare(line string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "", `"`, "", "'", "").Replace(line)
}
