package verbs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ReactTreeIn is the input of [ReactTree].
type ReactTreeIn struct {
	Depth int `json:"depth,omitzero" flag:"depth,d" min:"1" help:"how many levels to list"`
}

// ReactComponent is a component in a page.
type ReactComponent struct {
	ID    string `json:"id"` // r1, r2, ...: stays the same while the component is mounted
	Name  string `json:"name"`
	Key   string `json:"key,omitzero"`
	Depth int    `json:"depth"` // the number of components around it
}

// ReactTreeOut is the output of [ReactTree].
type ReactTreeOut struct {
	Components []ReactComponent `json:"components"` // in the order of the page
	Cut        bool             `json:"cut,omitzero"`
}

// Text lists the components, indented by their depth.
func (o ReactTreeOut) Text() string {
	var b strings.Builder
	for _, c := range o.Components {
		fmt.Fprintf(&b, "%s%s [%s]", strings.Repeat("  ", c.Depth), c.Name, c.ID)
		if c.Key != "" {
			fmt.Fprintf(&b, " key=%q", c.Key)
		}
		b.WriteString("\n")
	}
	if o.Cut {
		b.WriteString("... (there are more)\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ReactTree lists the React components of a page.
var ReactTree = wire.Verb[ReactTreeIn, ReactTreeOut]{Spec: wire.Spec{
	Name: "react tree", PageText: true, Group: groupDiagnosis, Short: "List the page's React components",
	Long:    "React 16.14 and later, in the page itself and not in its frames.",
	Example: "abrowser react tree --depth 5", ReadOnly: true,
}}

// ReactInspectIn is the input of [ReactInspect].
type ReactInspectIn struct {
	ID string `json:"id" arg:"0" required:"true" help:"a component's id in react tree, as r3"`
}

// ReactValue is a value that a component keeps.
type ReactValue struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"` // large and cyclic parts are cut
}

// ReactInspectOut is the output of [ReactInspect].
type ReactInspectOut struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Key      string          `json:"key,omitzero"`
	Props    json.RawMessage `json:"props"`
	Hooks    []ReactValue    `json:"hooks"` // for a class, its state
	Contexts []ReactValue    `json:"contexts"`
	Parents  []string        `json:"parents"` // the components around it, the nearest first
	Source   string          `json:"source,omitzero"`
}

// Text shows the component's values, one a line.
func (o ReactInspectOut) Text() string {
	all := []string{o.Name + " [" + o.ID + "]", labelled("key: ", o.Key), "props: " + string(o.Props)}
	for _, h := range o.Hooks {
		all = append(all, h.Name+": "+string(h.Value))
	}
	for _, c := range o.Contexts {
		all = append(all, "context "+c.Name+": "+string(c.Value))
	}
	return lines(append(all, labelled("in: ", strings.Join(o.Parents, ", ")), labelled("source: ", o.Source))...)
}

// ReactInspect shows the values of a React component.
var ReactInspect = wire.Verb[ReactInspectIn, ReactInspectOut]{Spec: wire.Spec{
	Name: "react inspect", PageText: true, Group: groupDiagnosis, Short: "Show the props, state and contexts of a React component",
	Example: "abrowser react inspect r3", ReadOnly: true,
}}

// ReactRendersIn is the input of [ReactRendersStart] and [ReactRendersStop].
type ReactRendersIn struct{ TimeoutIn }

// ReactRendersStartOut is the output of [ReactRendersStart].
type ReactRendersStartOut struct {
	Started bool `json:"started"`
}

// Text is empty, because there is nothing to tell.
func (o ReactRendersStartOut) Text() string { return "" }

// ReactRendersStart begins to count renders.
var ReactRendersStart = wire.Verb[ReactRendersIn, ReactRendersStartOut]{Spec: wire.Spec{
	Name: "react renders start", Group: groupDiagnosis, Short: "Count how often each React component of this tab is rendered",
	Long:    "Start before the page loads React, or reload the page afterwards. The counting ends with the session's daemon.",
	Example: "abrowser react renders start",
}}

// ReactRenders is how often a component was rendered.
type ReactRenders struct {
	Name    string  `json:"name"`
	Renders int     `json:"renders"` // including the mounts
	Mounts  int     `json:"mounts"`
	Time    float64 `json:"time"` // milliseconds, with the components below it; 0 in builds for production
}

// ReactRendersStopOut is the output of [ReactRendersStop].
type ReactRendersStopOut struct {
	Components []ReactRenders `json:"components"` // the most often rendered first
}

// Text lists the components.
func (o ReactRendersStopOut) Text() string {
	var all []string
	for _, c := range o.Components {
		all = append(all, fmt.Sprintf("%6d renders %6d mounts %8.1f ms  %s", c.Renders, c.Mounts, c.Time, c.Name))
	}
	return lines(all...)
}

// ReactRendersStop ends the counting of renders.
var ReactRendersStop = wire.Verb[ReactRendersIn, ReactRendersStopOut]{Spec: wire.Spec{
	Name: "react renders stop", PageText: true, Group: groupDiagnosis, Short: "Stop counting, and list how often each React component was rendered",
	Long:    "The counts are those of the present document.",
	Example: "abrowser react renders stop",
}}

// ReactSuspenseIn is the input of [ReactSuspense].
type ReactSuspenseIn struct {
	OnlyDynamic bool `json:"onlyDynamic,omitzero" help:"only boundaries that show their fallback now"`
}

// ReactBoundary is a Suspense component in a page.
type ReactBoundary struct {
	ID     string `json:"id"`
	State  string `json:"state"` // shown or fallback
	Parent string `json:"parent,omitzero"`
}

// ReactSuspenseOut is the output of [ReactSuspense].
type ReactSuspenseOut struct {
	Boundaries []ReactBoundary `json:"boundaries"`
	Cut        bool            `json:"cut,omitzero"`
}

// Text lists the boundaries.
func (o ReactSuspenseOut) Text() string {
	var all []string
	for _, b := range o.Boundaries {
		all = append(all, fmt.Sprintf("Suspense [%s] %s%s", b.ID, b.State, labelled(" in ", b.Parent)))
	}
	return lines(all...)
}

// ReactSuspense lists the Suspense components of a page.
var ReactSuspense = wire.Verb[ReactSuspenseIn, ReactSuspenseOut]{Spec: wire.Spec{
	Name: "react suspense", PageText: true, Group: groupDiagnosis, Short: "List the page's Suspense boundaries, and which of them show their fallback",
	Example: "abrowser react suspense --only-dynamic", ReadOnly: true,
}}
