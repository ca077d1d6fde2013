package home

import (
	"path/filepath"
	"strings"
	"time"
)

// Limits of what is kept of sessions, which the help of [verbs.SessionExport] states.
const (
	recordAge   = 7 * 24 * time.Hour
	recordsSize = 64 << 20
)

// RecordFile returns the path of the file with what is kept of the session's last daemon, for
// [verbs.SessionExport].
func (r Root) RecordFile(session string) string {
	return r.Path("state", "records", fileName(session)+".json")
}

// PictureFile returns the path of the last picture of a tab that is closed. The parameter tab is the
// tab's id, such as t1.
func (r Root) PictureFile(session, tab string) string {
	return r.Path("state", "records", fileName(session)+pictureMark+tab+".jpeg")
}

// pictureMark is not a part of the name of any session's file.
const pictureMark = "+"

// Pictures returns the paths of the pictures that are kept of a session's tabs, by the tabs' ids.
func (r Root) Pictures(session string) (map[string]string, error) {
	prefix := r.Path("state", "records", fileName(session)+pictureMark)
	paths, err := filepath.Glob(escapeGlob(prefix) + "*.jpeg")
	all := map[string]string{}
	for _, path := range paths {
		all[strings.TrimSuffix(strings.TrimPrefix(path, prefix), ".jpeg")] = path
	}
	return all, err
}

// escapeGlob returns a pattern of [filepath.Glob] for exactly this path.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// KeepRecord writes the file at one of these paths. It removes what is older than recordAge, and the
// oldest of what is more than recordsSize.
func (r Root) KeepRecord(path string, content []byte) error {
	if err := WriteFile(path, content); err != nil {
		return err
	}
	return Trim(filepath.Dir(path), recordAge, recordsSize)
}
