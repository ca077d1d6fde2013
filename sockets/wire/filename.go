package wire

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileName returns a safe file name for a name that a page or server suggests. The result:
//
//   - has no directory,
//   - starts neither with a dot, which would hide the file, nor with a dash, which commands
//     would take for a flag,
//   - has no unprintable character, and none that Windows forbids in file names,
//   - has 1 to [maxFileName] bytes.
//
// The result may contain characters that a shell interprets, such as a space or $.
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

const maxFileName = 200 // bytes; file systems allow 255

// shortened cuts a name to [maxFileName] bytes. It keeps the extension, unless the extension
// has more than maxFileName/2 bytes.
func shortened(name string) string {
	if len(name) <= maxFileName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > maxFileName/2 {
		ext = ""
	}
	stem := name[:maxFileName-len(ext)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return stem + ext
}

// NumberedName returns the name to try after n names were taken: report.txt,
// report (1).txt, report (2).txt.
func NumberedName(name string, n int) string {
	if n == 0 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
}
