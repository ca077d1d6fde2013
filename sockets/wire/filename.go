package wire

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileName makes a name that somebody else chose, a server or a page, one that can
// be given to a file anywhere: of one directory, not hidden, without characters
// that a shell, a terminal or another system trips over, of at most 200 bytes, and
// never empty.
func FileName(suggested string) string {
	suggested = strings.ToValidUTF8(suggested, "_")
	suggested = suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, suggested)
	name = strings.TrimRight(strings.TrimSpace(name), ". ")
	if strings.HasPrefix(name, ".") {
		name = "_" + name[1:]
	}
	if strings.HasPrefix(name, "-") {
		name = "_" + name[1:]
	}
	if name == "" {
		return "download"
	}
	return shortened(name)
}

const longestName = 200 // bytes; file systems take 255

// shortened keeps a name's ending.
func shortened(name string) string {
	if len(name) <= longestName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > longestName/2 {
		ext = ""
	}
	stem := name[:longestName-len(ext)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return stem + ext
}

// NumberedName is the n-th name to try where those before are taken: report.txt,
// report (1).txt, report (2).txt.
func NumberedName(name string, n int) string {
	if n == 0 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
}
