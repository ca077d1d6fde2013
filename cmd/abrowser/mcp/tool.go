package mcp

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The groups of tools. Core is what most tasks need; the fewer tools a model has to
// read, the better it chooses.
const (
	groupAll  = "all"
	groupCore = "core"
	groupMore = "interaction"
	groupRead = "inspection"
	groupTabs = "tabs"
	groupMany = "sessions"
	groupSelf = "browser"
)

// Groups are the names of the groups of tools.
func Groups() []string {
	return []string{groupCore, groupMore, groupRead, groupTabs, groupMany, groupSelf, groupAll}
}

// CheckGroups refuses names of groups that there are not: [wire.CodeBadInput].
func CheckGroups(names []string) error {
	for _, name := range names {
		if err := checkGroup(name); err != nil {
			return err
		}
	}
	return nil
}

func checkGroup(name string) error {
	if slices.Contains(Groups(), name) {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "there is no group of tools %q", name).WithHint("the groups are %s", strings.Join(Groups(), ", "))
}

// tool is a verb as an MCP client sees it.
type tool struct {
	name  string
	group string
	verb  wire.AnyVerb
	short string // in place of the verb's own description
	// fields are the tool's names of the verb's fields, where they differ.
	fields map[string]string
	fixed  map[string]any // what the tool gives the verb by itself
	beside []property     // fields of the verb that no command line has
	extra  []property     // what it takes and does not pass on
	opens  bool           // it may begin a session that is not known yet
	sets   bool           // it changes something here, though its verb only reads
	// serve answers the tool where the verb alone does not.
	serve func(*server, call) (answer, error)
}

// allTools are the tools of all groups: each verb's own, and the names that users
// of other tools know.
func allTools() []tool {
	all := otherTools()
	for _, v := range verbs.All() {
		doc := v.Describe()
		name := strings.ReplaceAll(doc.Name, " ", "_")
		if doc.Hidden || slices.ContainsFunc(all, func(t tool) bool { return t.name == name }) || slices.Contains(notTools(), doc.Name) {
			continue
		}
		all = append(all, tool{name: name, group: groupOf(doc), verb: v, opens: doc.Name == verbs.Open.Name})
	}
	return all
}

// notTools are the commands that only make sense on a command line, or that are tools
// by another name alone.
func notTools() []string {
	return []string{"session", "mcp", "mcp install", "batch", "install", "pool request", "pool grant", "pool requests"}
}

func groupOf(doc wire.Spec) string {
	switch doc.Name {
	case "open", "back", "snapshot", "click", "fill", "type", "press", "select", "wait", "screenshot", "get text", "eval", "close", "tab list", "session list":
		return groupCore
	}
	switch doc.Group {
	case "Navigation", "Interaction", "Waiting":
		return groupMore
	case "Reading":
		return groupRead
	case "Tabs and dialogs":
		return groupTabs
	case "Sessions", "Policies and emulation":
		return groupMany
	}
	return groupSelf
}

func (t tool) declare() *mcp.Tool {
	yes, no := true, false
	doc := t.verb.Describe()
	description := doc.Short
	if t.short != "" {
		description = t.short
	}
	hints := &mcp.ToolAnnotations{ReadOnlyHint: doc.ReadOnly && !t.sets, DestructiveHint: &no, IdempotentHint: doc.ReadOnly}
	if doc.Destructive {
		hints.DestructiveHint = &yes
	}
	return &mcp.Tool{Name: t.name, Description: description, Annotations: hints, InputSchema: t.schema()}
}
