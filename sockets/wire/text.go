package wire

// Texter is an output with a text for people. The command line prints nothing for an output
// that is not a Texter.
type Texter interface {
	// Text returns the output without a final newline, or an empty string to print nothing.
	Text() string
}

// Fitter is an output whose text depends on the width of the terminal.
type Fitter interface {
	// FitText returns the text for a terminal with this number of columns.
	FitText(width int) string
}

// File is a file that belongs to an output. The command line, and not the daemon, writes it to
// disk, so that the permissions of the command's process apply.
type File struct {
	Path    string // absolute; empty for the default path
	Ext     string // the extension of the default path, with its dot: ".png"
	Dir     string // the directory of the default path, below the root; empty for that of screenshots or downloads
	Content []byte
	Source  string // instead of Content, the path of an existing file; it is moved, unless Keep is set
	Keep    bool   // Source is copied instead of moved
	Private bool   // only the caller's user may read the file; replaces an existing file as a whole
	Name    string // the name that a page or server suggests, if Path is a directory or empty
}

// Filer is an output with a file. The caller gets the file from TakeFile, writes it to disk,
// and passes the path of the written file to SetPath.
type Filer interface {
	TakeFile() (File, bool) // removes and returns the file; false if there is no file to write
	SetPath(path string)
}
