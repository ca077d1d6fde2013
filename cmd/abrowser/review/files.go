package review

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// maxFiles is the size of the files that a person can choose together, with their names. The daemon
// has a limit of its own, which is a little smaller.
const maxFiles = 33 << 20

// files gives the files in the request's body to a file chooser of a page. They are on the disk only
// until the page has them.
func (h *handler) files(w http.ResponseWriter, r *http.Request) {
	dir, err := os.MkdirTemp("", "abrowser-files-")
	if err != nil {
		respond(w, nil, err)
		return
	}
	defer os.RemoveAll(dir)
	paths, err := saveFiles(dir, r)
	var out any
	if err == nil {
		q := r.URL.Query()
		params := map[string]any{"id": q.Get("id"), "answer": verbs.PolicyAllow, "files": paths}
		out, err = h.server.Do(r.Context(), q.Get("session"), &verbs.PolicyAnswer, params)
	}
	respond(w, out, err)
	h.feed.notify()
}

// saveFiles saves the files of a request below dir, and returns their paths.
func saveFiles(dir string, r *http.Request) (paths []any, err error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "the request has no files")
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return paths, nil
		}
		if err != nil {
			return nil, filesError(err)
		}
		// Each file has a directory of its own, because two files may have the same name.
		path := filepath.Join(dir, strconv.Itoa(len(paths)), filepath.Base(part.FileName()))
		if err := saveFile(path, part); err != nil {
			return nil, filesError(err)
		}
		paths = append(paths, path)
	}
}

func saveFile(path string, content io.Reader) error {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

func filesError(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return wire.Errorf(wire.CodeTooLarge, "the files are larger than %d MB together", maxFiles>>20)
	}
	return wire.Errorf(wire.CodeBadInput, "the files cannot be taken: %v", err)
}
