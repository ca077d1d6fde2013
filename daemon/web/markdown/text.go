package markdown

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html/charset"

	"github.com/abrowser/abrowser/sockets/wire"
)

// maxContent is the most bytes of text in an answer.
const maxContent = 1 << 20

// cutText returns at most maxContent bytes of a text, and whether there are more.
func cutText(text string) (kept string, cut bool) {
	if len(text) <= maxContent {
		return text, false
	}
	text = text[:maxContent]
	for !utf8.ValidString(text[max(0, len(text)-utf8.UTFMax):]) && len(text) > 0 {
		text = text[:len(text)-1]
	}
	return text, true
}

// mediaType returns the type of a response, without parameters. If the server names none, the
// content decides.
func mediaType(header string, body []byte) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil || kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body)) // which is always valid
	}
	return kind
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "/xml") ||
		strings.HasSuffix(kind, "json") || kind == "application/javascript"
}

// decoded returns a body as UTF-8.
func decoded(body []byte, contentType string) (string, error) {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "the text has an unknown encoding").WithHint("abrowser open URL, then abrowser read")
	}
	text, err := io.ReadAll(r)
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// markdownOf converts HTML. Links become absolute.
func markdownOf(html string, base *url.URL) (string, error) {
	text, err := htmltomarkdown.ConvertString(html, converter.WithDomain(base.Scheme+"://"+base.Host))
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "the page cannot be converted: %v", err).WithHint("abrowser read --raw")
	}
	return strings.TrimSpace(text), nil
}

// outline returns the headings of a Markdown text.
func outline(text string) string {
	var lines []string
	for _, block := range blocks(text) {
		if headingLevel(block) > 0 {
			lines = append(lines, block)
		}
	}
	return strings.Join(lines, "\n")
}

// filtered returns the paragraphs of a Markdown text that contain what is sought, in upper or lower
// case, each below the headings that it stands under.
func filtered(text, sought string) string {
	var kept []string
	var path []string // the headings above the current paragraph
	printed := 0      // as many of them are in kept
	for _, block := range blocks(text) {
		if level := headingLevel(block); level > 0 {
			for len(path) > 0 && headingLevel(path[len(path)-1]) >= level {
				path = path[:len(path)-1]
			}
			path = append(path, block)
			printed = min(printed, len(path)-1)
		}
		if !strings.Contains(strings.ToLower(block), strings.ToLower(sought)) {
			continue
		}
		kept = append(kept, path[printed:]...)
		printed = len(path)
		if headingLevel(block) == 0 {
			kept = append(kept, block)
		}
	}
	return strings.Join(kept, "\n\n")
}

// blocks returns the paragraphs and headings of a Markdown text. A code block in a fence is one
// block, whatever is in it.
func blocks(text string) []string {
	var all []string
	var block []string
	end := func() {
		if len(block) > 0 {
			all = append(all, strings.Join(block, "\n"))
		}
		block = nil
	}
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		isFence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if isFence && !fenced || !fenced && strings.TrimSpace(line) == "" {
			end()
		}
		if isFence {
			fenced = !fenced
		}
		switch {
		case fenced, isFence:
			block = append(block, line)
			if !fenced {
				end()
			}
		case headingLevel(line) > 0:
			end()
			all = append(all, line)
		case strings.TrimSpace(line) != "":
			block = append(block, line)
		}
	}
	end()
	return all
}

// headingLevel returns the level of a Markdown heading, or 0 for another block.
func headingLevel(block string) int {
	marks := len(block) - len(strings.TrimLeft(block, "#"))
	if marks > 6 || marks == 0 || !strings.HasPrefix(block[marks:], " ") {
		return 0
	}
	return marks
}
