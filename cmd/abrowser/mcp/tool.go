package mcp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The groups of tools. The group core contains only the tools that most tasks need, since a model
// chooses better among fewer tools.
const (
	groupAll         = "all"
	groupCore        = "core"
	groupInteraction = "interaction"
	groupInspection  = "inspection"
	groupTabs        = "tabs"
	groupState       = "state"
	groupSessions    = "sessions"
	groupBrowser     = "browser"
)

// Groups returns the names of the groups of tools.
func Groups() []string {
	return []string{groupCore, groupInteraction, groupInspection, groupTabs, groupState, groupSessions, groupBrowser, groupAll}
}

// CheckGroups returns [wire.CodeBadInput] if one of the groups is unknown.
func CheckGroups(names ...string) error {
	for _, name := range names {
		if !slices.Contains(Groups(), name) {
			return wire.Errorf(wire.CodeBadInput, "unknown group of tools %q", name).WithHint("the groups are %s", strings.Join(Groups(), ", "))
		}
	}
	return nil
}

// tool is a tool that the server offers. It runs a verb.
type tool struct {
	name         string
	group        string
	verb         wire.AnyVerb
	short        string            // in place of the verb's own description
	fields       map[string]string // from a field of the verb to the argument's name, if they differ
	fixed        map[string]any    // parameters of the verb that the tool itself sets
	hiddenFields []property        // arguments for fields of the verb that have no flag
	extraArgs    []property        // arguments for the tool itself
	opens        bool              // the session that a call names need not exist
	sets         bool              // the tool changes the server's state, though its verb only reads
	// serve answers the tool; nil runs the verb.
	serve func(*server, *call) (answer, error)
}

// allTools returns the tools of all groups. These are the tools of aliasTools, and a tool for each
// verb, with the verb's name. No tool is added for a verb that is hidden, is for people, is in
// commandLineVerbs, or has the name of a tool of aliasTools.
func allTools() []tool {
	all, core, hidden := aliasTools(), coreVerbs(), commandLineVerbs()
	for _, v := range verbs.All() {
		spec := v.Describe()
		name := strings.ReplaceAll(spec.Name, " ", "_")
		if spec.Hidden || spec.Person || slices.Contains(hidden, spec.Name) || slices.ContainsFunc(all, func(t tool) bool { return t.name == name }) {
			continue
		}
		group := groupOf(spec)
		if slices.Contains(core, spec.Name) {
			group = groupCore
		}
		all = append(all, tool{name: name, group: group, verb: v, opens: spec.Name == verbs.Open.Name})
	}
	return all
}

// coreVerbs returns the verbs whose tools are in the group core. The tools of the other verbs are
// in the group that groupOf returns.
func coreVerbs() []string {
	return []string{
		verbs.Open.Name, verbs.Back.Name, verbs.Snapshot.Name, verbs.Click.Name, verbs.Fill.Name, verbs.Type.Name, verbs.Press.Name,
		verbs.Select.Name, verbs.Wait.Name, verbs.Screenshot.Name, verbs.GetText.Name, verbs.Eval.Name, verbs.Close.Name,
		verbs.TabList.Name, verbs.SessionList.Name,
	}
}

// commandLineVerbs returns the verbs that have no tool of the same name: they only make sense on a
// command line, or [aliasTools] contains them with another name.
func commandLineVerbs() []string {
	return []string{
		verbs.Session.Name, verbs.REPL.Name, verbs.Man.Name, verbs.Upgrade.Name, verbs.SkillsInstall.Name, verbs.MCP.Name, verbs.MCPInstall.Name, verbs.CDP.Name, verbs.Inspect.Name, verbs.Batch.Name, verbs.Install.Name,
		verbs.PoolRequest.Name, verbs.PoolGrant.Name, verbs.PoolRequests.Name, verbs.Questions.Name, verbs.Login.Name, verbs.SessionExport.Name,
	}
}

// groupOf returns the group of tools for a verb, which depends on the verb's heading in the help.
func groupOf(spec wire.Spec) string {
	switch spec.Group {
	case verbs.Open.Group, verbs.Click.Group, verbs.Wait.Group, verbs.ClipboardRead.Group:
		return groupInteraction
	case verbs.Snapshot.Group:
		return groupInspection
	case verbs.TabList.Group:
		return groupTabs
	case verbs.CookiesGet.Group, verbs.AuthSave.Group:
		return groupState
	case verbs.Close.Group, verbs.PolicyDialog.Group, verbs.AskPerson.Group:
		return groupSessions
	}
	return groupBrowser
}

func (t tool) declare() *mcp.Tool {
	yes, no := true, false
	spec := t.verb.Describe()
	hints := &mcp.ToolAnnotations{ReadOnlyHint: spec.ReadOnly && !t.sets, DestructiveHint: &no, IdempotentHint: spec.ReadOnly}
	if spec.Destructive {
		hints.DestructiveHint = &yes
	}
	return &mcp.Tool{Name: t.name, Description: cmp.Or(t.short, spec.Short), Annotations: hints, InputSchema: t.schema()}
}
