package wire

// Texter is an output that knows its text for people. An output without it
// prints nothing.
type Texter interface {
	// Text is the whole answer without a final newline; empty prints nothing.
	Text() string
}

// File is what a command leaves behind in the caller's files. The command line
// writes it with the caller's rights.
type File struct {
	Path    string // absolute, or empty for the default place
	Ext     string // of the default place, with its dot: ".png"
	Content []byte
	// Source is where the file is already, instead of Content. It is moved from
	// there, or copied where it is to stay.
	Source string
	Keep   bool
	// Name is what somebody else calls it: for a Path that is a directory, and for
	// the default place.
	Name string
}

// Filer is an output that carries files. The caller writes each, sets the path
// it wrote by SetPath, and drops the content before the output is shown.
type Filer interface {
	TakeFile() (File, bool) // the file, and whether there is one to write
	SetPath(path string)
}
