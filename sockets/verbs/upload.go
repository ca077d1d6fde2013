package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// UploadIn is the input of [Upload].
type UploadIn struct {
	Element
	Files []string `json:"files" arg:"1..." required:"true" file:"in" help:"files, or one directory for a field that takes directories"`
	TimeoutIn
}

// UploadOut is the output of [Upload].
type UploadOut struct {
	Selector string `json:"selector"`
	Uploaded int    `json:"uploaded"` // the number of files, or 1 for a directory
	Effects
}

// Upload gives files to a file field, or to the file chooser that an element opens.
var Upload = wire.Verb[UploadIn, UploadOut]{Spec: wire.Spec{
	Name: "upload", Group: groupInput, Short: "Choose files for a file field", Example: "abrowser upload '#file' report.pdf",
	Long: "The element is a file field, its label, or an element that opens a file chooser when it is clicked. The files replace those that the field has.",
}}
