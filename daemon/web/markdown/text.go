package markdown

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// maxContent is the most bytes of text in an answer.
const maxContent = 1 << 20

// output converts a document and selects what the command asks for.
func (d document) output(in verbs.ReadIn, source string) (verbs.ReadOut, error) {
	out := verbs.ReadOut{ContentType: d.kind, FinalURL: d.final, URL: in.URL, Status: d.status, Source: source}
	if out.URL == "" {
		out.URL = d.final
	}
	text := d.body
	if isHTML := source == verbs.ReadFromPage || source == verbs.ReadFromHTML; isHTML && !in.Raw {
		var err error
		if text, err = markdownOf(text, d.base); err != nil {
			return verbs.ReadOut{}, err
		}
	}
	switch {
	case in.Outline:
		text = outline(text)
	case in.Filter != "":
		if text = filtered(text, in.Filter); text == "" {
			return verbs.ReadOut{}, wire.Errorf(wire.CodeNotFound, "no paragraph contains %q", in.Filter).WithHint("abrowser read --outline")
		}
	}
	out.Truncated = d.cut || len(text) > maxContent
	out.Content = cutAt(text, maxContent)
	return out, nil
}

// cutAt returns at most limit bytes of a text, and no part of a character.
func cutAt(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
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

// decoded returns a body as UTF-8. If the server does not name the encoding, and the body may be
// UTF-8, it is: the guess of package charset looks only at the beginning.
func decoded(body []byte, contentType string) (string, error) {
	_, params, _ := mime.ParseMediaType(contentType)
	text := string(body)
	for i := 0; i < utf8.UTFMax-1 && len(body) == maxBody && !utf8.ValidString(text); i++ {
		text = text[:len(text)-1] // the body was cut, perhaps within a character
	}
	if text == "" || params["charset"] == "" && utf8.ValidString(text) {
		return text, nil
	}
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "the text has an unknown encoding").WithHint("abrowser open URL, then abrowser read")
	}
	converted, err := io.ReadAll(r)
	return strings.ToValidUTF8(string(converted), "\uFFFD"), err
}

// markdownOf converts HTML. Links become absolute: they are relative to the document's base element,
// if it has one, and otherwise to the given URL.
func markdownOf(source, relativeTo string) (string, error) {
	document, err := html.Parse(strings.NewReader(source))
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "the page cannot be converted: %v", err).WithHint("abrowser read --raw")
	}
	from, err := url.Parse(relativeTo)
	if err != nil {
		from = &url.URL{}
	}
	if to, err := from.Parse(baseOf(document)); err == nil {
		from = to
	}
	makeAbsolute(document, from)
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	text, err := conv.ConvertNode(document)
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "the page cannot be converted: %v", err).WithHint("abrowser read --raw")
	}
	return strings.TrimSpace(string(text)), nil
}

// baseOf returns the address in the document's base element, or "".
func baseOf(document *html.Node) string {
	for n := range document.Descendants() {
		if n.Type != html.ElementNode || n.Data != "base" {
			continue
		}
		for _, a := range n.Attr {
			if a.Key == "href" {
				return a.Val
			}
		}
	}
	return ""
}

// makeAbsolute makes the addresses of links and pictures absolute.
func makeAbsolute(document *html.Node, from *url.URL) {
	if from.Host == "" {
		return
	}
	for n := range document.Descendants() {
		for i, a := range n.Attr {
			if a.Key != "href" && a.Key != "src" {
				continue
			}
			if to, err := from.Parse(a.Val); err == nil {
				n.Attr[i].Val = to.String()
			}
		}
	}
}
