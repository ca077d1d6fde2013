package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The npm packages that run in a page for a command. The command line installs them when they are
// needed first.
const (
	LibraryAxe    = "axe-core"
	LibraryVitals = "web-vitals"
)

// A11yIn is the input of [A11y].
type A11yIn struct {
	URL      string   `json:"url,omitzero" arg:"0" help:"the page to open first; without it the session's page"`
	Tags     []string `json:"tags,omitzero" help:"only rules with one of these tags, as wcag2a,wcag2aa"`
	Selector string   `json:"selector,omitzero" flag:"selector,s" help:"only the elements below this one, by CSS"`
	// Library is the path of axe-core's script. The command line sets it.
	Library string `json:"library,omitzero" flag:"-" library:"axe-core" help:"the path of the library's script, which the command line sets"`
	TimeoutIn
}

// A11yNode is an element that breaks a rule.
type A11yNode struct {
	Target         []any  `json:"target"` // selectors: the last one is the element, the others are frames or shadow hosts
	HTML           string `json:"html"`
	FailureSummary string `json:"failureSummary"`
}

// A11yRule is a rule that elements break, or may break.
type A11yRule struct {
	ID      string     `json:"id"`
	Impact  string     `json:"impact"`
	Help    string     `json:"help"`
	HelpURL string     `json:"helpUrl"`
	Tags    []string   `json:"tags"`
	Nodes   []A11yNode `json:"nodes"`
}

// A11yOut is the output of [A11y].
type A11yOut struct {
	URL        string     `json:"url"`
	Violations []A11yRule `json:"violations"`
	Incomplete []A11yRule `json:"incomplete"` // a person has to look at them
	Passes     int        `json:"passes"`     // the number of rules that the page keeps
}

// Text lists the rules that are broken, with their elements.
func (o A11yOut) Text() string {
	var b strings.Builder
	for _, r := range o.Violations {
		fmt.Fprintf(&b, "%s (%s): %s\n", r.ID, r.Impact, r.Help)
		for _, n := range r.Nodes {
			b.WriteString(" ")
			for _, part := range n.Target {
				fmt.Fprintf(&b, " %v", part)
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "%d rules broken, %d to look at, %d kept", len(o.Violations), len(o.Incomplete), o.Passes)
	return b.String()
}

// A11y checks the page with axe-core.
var A11y = wire.Verb[A11yIn, A11yOut]{Spec: wire.Spec{
	Name: "a11y", PageText: true, Group: groupRead, Short: "Check the page's accessibility with axe-core",
	Long:    "The script runs in a world of its own, which the page cannot see. Frames of other origins are not checked.",
	Example: "abrowser a11y --tags wcag2a,wcag2aa", ReadOnly: true,
}}

// VitalsIn is the input of [Vitals].
type VitalsIn struct {
	URL string `json:"url,omitzero" arg:"0" help:"the page to open first; without it the session's page"`
	// Library is the path of web-vitals' script. The command line sets it.
	Library string `json:"library,omitzero" flag:"-" library:"web-vitals" help:"the path of the library's script, which the command line sets"`
	TimeoutIn
}

// Vital is a measurement of a page.
type Vital struct {
	Name   string  `json:"name"`   // CLS, FCP, INP, LCP or TTFB
	Value  float64 `json:"value"`  // in milliseconds; that of CLS has no unit
	Rating string  `json:"rating"` // good, needs-improvement or poor
}

// VitalsOut is the output of [Vitals].
type VitalsOut struct {
	URL     string  `json:"url"`
	Metrics []Vital `json:"metrics"`
}

// Text lists the measurements.
func (o VitalsOut) Text() string {
	var lines []string
	for _, v := range o.Metrics {
		unit := " ms"
		if v.Name == "CLS" {
			unit = ""
		}
		lines = append(lines, fmt.Sprintf("%-4s %8.4g%s (%s)", v.Name, v.Value, unit, v.Rating))
	}
	return strings.Join(lines, "\n")
}

// Vitals measures how fast the page was loaded.
var Vitals = wire.Verb[VitalsIn, VitalsOut]{Spec: wire.Spec{
	Name: "vitals", Aliases: []string{"web-vitals"}, Group: groupRead, Short: "Measure the page's Web Vitals",
	Long:    "They are those of the page's load until now. INP is there if the page was used.",
	Example: "abrowser vitals https://example.com", ReadOnly: true,
}}
