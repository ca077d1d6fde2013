package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// DiffSnapshotIn is the input of [DiffSnapshot].
type DiffSnapshotIn struct {
	Baseline    string `json:"baseline,omitzero" flag:"baseline,b" file:"in" help:"a file with the earlier snapshot; without it the last snapshot of the tab"`
	Interactive bool   `json:"interactive,omitzero" flag:"interactive,i" help:"compare only elements that have a ref"`
	Compact     bool   `json:"compact,omitzero" flag:"compact,c" help:"omit empty structure"`
	Depth       int    `json:"depth,omitzero" flag:"depth,d" min:"0" help:"the number of levels to compare; 0 compares all"`
	Selector    string `json:"selector,omitzero" flag:"selector,s" help:"compare only the subtree of this element"`
	TimeoutIn
}

// DiffSnapshotOut is the output of [DiffSnapshot].
type DiffSnapshotOut struct {
	Diff      string `json:"diff"` // unified, without file names
	Additions int    `json:"additions"`
	Removals  int    `json:"removals"`
	Unchanged int    `json:"unchanged"`
	Changed   bool   `json:"changed"`
}

// Text returns the difference.
func (o DiffSnapshotOut) Text() string {
	if !o.Changed {
		return "no changes"
	}
	return fmt.Sprintf("%s\n%d added, %d removed, %d unchanged", o.Diff, o.Additions, o.Removals, o.Unchanged)
}

// DiffSnapshot compares a snapshot of the page with an earlier one.
var DiffSnapshot = wire.Verb[DiffSnapshotIn, DiffSnapshotOut]{Spec: wire.Spec{
	Name: "diff snapshot", PageText: true, Group: groupRead, Short: "Compare the page's snapshot with an earlier one",
	Long: "Without --baseline the earlier one is the last snapshot of the tab with the same options, by snapshot or diff snapshot. " +
		"Refs are part of the lines, so elements that were replaced count as changed.",
	Example: "abrowser diff snapshot", ReadOnly: true,
}}

// DiffScreenshotIn is the input of [DiffScreenshot].
type DiffScreenshotIn struct {
	Baseline  string  `json:"baseline" flag:"baseline,b" required:"true" file:"in" help:"the earlier screenshot, a PNG or JPEG file"`
	Output    string  `json:"output,omitzero" flag:"output,o" file:"out" help:"write a picture of the differences into this file"`
	Threshold float64 `json:"threshold,omitzero" flag:"threshold,t" default:"0.1" help:"the largest difference of two colors that counts as equal, from 0 to 1"`
	Selector  string  `json:"selector,omitzero" flag:"selector,s" help:"compare only this element"`
	Full      bool    `json:"full,omitzero" flag:"full,f" help:"compare the whole page, not only the viewport"`
	TimeoutIn
}

// Check returns an error for an invalid threshold.
func (in DiffScreenshotIn) Check() error { return checkRatio("threshold", in.Threshold) }

func checkRatio(name string, value float64) error {
	if value >= 0 && value <= 1 {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "%s is %v; it takes 0 to 1", name, value).WithHint("--%s 0.1", name)
}

// DiffScreenshotOut is the output of [DiffScreenshot].
type DiffScreenshotOut struct {
	Match              bool    `json:"match"` // no pixel differs
	MismatchPercentage float64 `json:"mismatchPercentage"`
	TotalPixels        int     `json:"totalPixels"`
	DifferentPixels    int     `json:"differentPixels"`
	DimensionMismatch  bool    `json:"dimensionMismatch"`
	DiffPath           string  `json:"diffPath,omitzero"` // of the picture of the differences
	Image              []byte  `json:"image,omitzero"`    // that picture, for the caller to write
}

// Text says how much differs.
func (o DiffScreenshotOut) Text() string {
	text := "no changes"
	switch {
	case o.DimensionMismatch:
		text = "the sizes differ"
	case !o.Match:
		text = fmt.Sprintf("%d of %d pixels differ (%.2f %%)", o.DifferentPixels, o.TotalPixels, o.MismatchPercentage)
	}
	return strings.TrimSuffix(text+"\n"+o.DiffPath, "\n")
}

// TakeFile returns the picture of the differences; see [wire.Filer].
func (o *DiffScreenshotOut) TakeFile() (wire.File, bool) {
	f := wire.File{Path: o.DiffPath, Ext: ".png", Content: o.Image}
	o.Image = nil
	return f, f.Path != "" && len(f.Content) > 0
}

// SetPath sets the path to which the picture was written.
func (o *DiffScreenshotOut) SetPath(path string) { o.DiffPath = path }

// DiffScreenshot compares a screenshot of the page with an earlier one.
var DiffScreenshot = wire.Verb[DiffScreenshotIn, DiffScreenshotOut]{Spec: wire.Spec{
	Name: "diff screenshot", Group: groupRead, Short: "Compare the page's appearance with an earlier screenshot",
	Long:    "Pixels that differ only by the smoothing of edges count as equal. If the sizes differ, nothing is compared, and no picture is written.",
	Example: "abrowser diff screenshot --baseline before.png --output changes.png", ReadOnly: true,
}}

// DiffURLIn is the input of [DiffURL].
type DiffURLIn struct {
	Before     string `json:"url1" arg:"0" required:"true" help:"the page to start from"`
	After      string `json:"url2" arg:"1" required:"true" help:"the page to compare with it"`
	WaitUntil  string `json:"waitUntil,omitzero" enum:"load|domcontentloaded|networkidle" default:"load" help:"when a page is compared; it has always loaded by then"`
	Screenshot bool   `json:"screenshot,omitzero" help:"compare their screenshots, too"`
	Full       bool   `json:"full,omitzero" flag:"full,f" help:"with --screenshot: the whole pages, not only the viewport"`
	Compact    bool   `json:"compact,omitzero" flag:"compact,c" help:"omit empty structure"`
	Depth      int    `json:"depth,omitzero" flag:"depth,d" min:"0" help:"the number of levels to compare; 0 compares all"`
	Selector   string `json:"selector,omitzero" flag:"selector,s" help:"compare only the subtree of this element"`
	TimeoutIn
}

// DiffURLOut is the output of [DiffURL].
type DiffURLOut struct {
	DiffSnapshotOut
	Screenshot *DiffScreenshotOut `json:"screenshot,omitzero"` // with the input's Screenshot
	Effects                       // of both pages
}

// Text returns the differences.
func (o DiffURLOut) Text() string {
	text := o.DiffSnapshotOut.Text()
	if o.Screenshot != nil {
		text += "\nscreenshot: " + o.Screenshot.Text()
	}
	return lines(text, o.Effects.Text())
}

// DiffURL compares two pages.
var DiffURL = wire.Verb[DiffURLIn, DiffURLOut]{Spec: wire.Spec{
	Name: "diff url", PageText: true, Group: groupRead, Short: "Compare two pages",
	Long:    "The session's page goes to the first URL and then to the second one, and stays there. Refs are not compared, because each page has its own.",
	Example: "abrowser diff url https://example.com/old https://example.com/new",
}}
