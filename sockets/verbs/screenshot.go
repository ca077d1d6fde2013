package verbs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ScreenshotIn is the input of [Screenshot].
type ScreenshotIn struct {
	Selector string `json:"selector,omitzero" arg:"0" help:"capture only this element"`
	Path     string `json:"path,omitzero" arg:"1" file:"out" help:"the file to write; .jpg writes a JPEG"`
	Full     bool   `json:"full,omitzero" flag:"full,f" help:"capture the whole page, not only the viewport"`
	// Annotate draws the refs of the elements into the image.
	Annotate  bool    `json:"annotate,omitzero" env:"ANNOTATE" help:"frame the elements that have a ref, each with its number"`
	IfChanged bool    `json:"ifChanged,omitzero" help:"write a file only if the image differs from the last one of the tab with --if-changed"`
	Threshold float64 `json:"threshold,omitzero" help:"with --if-changed: the share of the pixels that may differ, from 0 to 1"`
	Format    string  `json:"format,omitzero" flag:"screenshot-format" env:"SCREENSHOT_FORMAT" enum:"png|jpeg" help:"the format, unless the path has an extension; the default is png"`
	Quality   int     `json:"quality,omitzero" flag:"screenshot-quality" env:"SCREENSHOT_QUALITY" min:"1" help:"the quality of a JPEG, from 1 to 100; the default is 80"`
	Dir       string  `json:"dir,omitzero" flag:"screenshot-dir" env:"SCREENSHOT_DIR" file:"in" help:"the directory for a file without a given path; it is made if it is missing"`
	TimeoutIn
}

// Check returns an error for an invalid number, and for a threshold that is not used.
func (in ScreenshotIn) Check() error {
	switch {
	case in.Quality > 100:
		return wire.Errorf(wire.CodeBadInput, "quality is %d; it takes 1 to 100", in.Quality).WithHint("--screenshot-quality 80")
	case in.Threshold != 0 && !in.IfChanged:
		return wire.Errorf(wire.CodeBadInput, "--threshold needs --if-changed").WithHint("abrowser screenshot --if-changed --threshold 0.01")
	}
	return checkRatio("threshold", in.Threshold)
}

// Annotation is an element that is framed in an image.
type Annotation struct {
	Number int    `json:"number"` // in the image: that of the ref
	Ref    string `json:"ref"`
	Role   string `json:"role"`
	Name   string `json:"name,omitzero"`
	Box    Box    `json:"box"` // in the image
}

// Box is a rectangle in an image.
type Box struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Change says whether an image differs from the last one.
type Change struct {
	Changed   bool    `json:"changed"` // true for the first image, too
	Ratio     float64 `json:"pixelChangeRatio"`
	Revision  int     `json:"revision"` // the number of images that were compared
	Threshold float64 `json:"threshold"`
}

// ScreenshotOut is the output of [Screenshot].
type ScreenshotOut struct {
	Path        string       `json:"path,omitzero"` // empty if the image has not changed
	Annotations []Annotation `json:"annotations,omitzero"`
	*Change
	Image []byte `json:"image,omitzero"`
	// Source is the path of a file that contains the image. It is set instead of Image if the
	// image is large and the caller writes a file. The file is removed after 10 minutes if the
	// caller has not moved it to Path by then.
	Source string `json:"source,omitzero"`
}

// Text returns the file's path, and a line for each framed element.
func (o ScreenshotOut) Text() string {
	if o.Change != nil && !o.Changed {
		return "unchanged"
	}
	all := []string{o.Path}
	for _, a := range o.Annotations {
		all = append(all, strings.TrimRight(fmt.Sprintf("  [%d] %s %s %s", a.Number, a.Ref, a.Role, quotedName(a.Name)), " "))
	}
	return lines(all...)
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return strconv.Quote(name)
}

// TakeFile returns the image, which the caller then writes to a file; see [wire.Filer].
func (o *ScreenshotOut) TakeFile() (wire.File, bool) {
	f := wire.File{Path: o.Path, Ext: ".png", Content: o.Image, Source: o.Source}
	if bytes.HasPrefix(o.Image, []byte("\xff\xd8")) { // a JPEG
		f.Ext = ".jpg"
	}
	o.Image, o.Source = nil, ""
	return f, o.Change == nil || o.Changed
}

// SetPath sets the path to which the image was written.
func (o *ScreenshotOut) SetPath(path string) { o.Path = path }

// Screenshot captures an image of the page or of an element.
var Screenshot = wire.Verb[ScreenshotIn, ScreenshotOut]{Spec: wire.Spec{
	Name: "screenshot", Group: groupRead, Short: "Save a screenshot of the page or of an element",
	Long:    "A single argument is a selector if it starts with . # or @ or has neither a slash nor an image extension, otherwise the path.",
	Example: "abrowser screenshot page.png", ReadOnly: true,
}}

// PDFIn is the input of [PDF].
type PDFIn struct {
	Path      string `json:"path" arg:"0" required:"true" file:"out" help:"the file to write"`
	Format    string `json:"format,omitzero" enum:"letter|legal|tabloid|a3|a4|a5" help:"the size of the paper, instead of that of the page's style, or letter"`
	Landscape bool   `json:"landscape,omitzero" help:"print in landscape"`
	TimeoutIn
}

// Inches returns the size of the paper.
func (in PDFIn) Inches() (width, height float64) {
	switch in.Format {
	case "legal":
		return 8.5, 14
	case "tabloid":
		return 11, 17
	case "a3":
		return 11.7, 16.54
	case "a4":
		return 8.27, 11.7
	case "a5":
		return 5.83, 8.27
	default:
		return 8.5, 11
	}
}

// PDFOut is the output of [PDF].
type PDFOut struct {
	Path string `json:"path"`
	PDF  []byte `json:"pdf,omitzero"`
}

// Text returns the file's path.
func (o PDFOut) Text() string { return o.Path }

// TakeFile returns the PDF, which the caller then writes to a file; see [wire.Filer].
func (o *PDFOut) TakeFile() (wire.File, bool) {
	f := wire.File{Path: o.Path, Ext: ".pdf", Content: o.PDF}
	o.PDF = nil
	return f, true
}

// SetPath sets the path to which the PDF was written.
func (o *PDFOut) SetPath(path string) { o.Path = path }

// PDF prints the page.
var PDF = wire.Verb[PDFIn, PDFOut]{Spec: wire.Spec{
	Name: "pdf", Group: groupRead, Short: "Save the page as a PDF",
	Long:    "The page is printed as a browser does it, with its backgrounds and its style for print.",
	Example: "abrowser pdf page.pdf", ReadOnly: true,
}}
