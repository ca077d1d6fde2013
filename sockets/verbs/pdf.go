package verbs

import "github.com/abrowser/abrowser/sockets/wire"

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
