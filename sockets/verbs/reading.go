package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// ReadIn is the input of [Read].
type ReadIn struct {
	URL       string `json:"url,omitzero" arg:"0" help:"the URL to read; without it the session's page"`
	Raw       bool   `json:"raw,omitzero" help:"return the content as it is, without conversion"`
	RequireMD bool   `json:"requireMd,omitzero" flag:"require-md" help:"fail unless the server has the content as Markdown"`
	LLMs      string `json:"llms,omitzero" flag:"llms" enum:"index|full" help:"read the site's /llms.txt or /llms-full.txt"`
	Outline   bool   `json:"outline,omitzero" help:"return only the headings"`
	Filter    string `json:"filter,omitzero" help:"return only the paragraphs that contain this text, below their headings"`
	TimeoutIn
}

// Check returns an error for options that exclude each other.
func (in ReadIn) Check() error {
	switch {
	case in.Outline && in.Filter != "":
		return wire.Errorf(wire.CodeBadInput, "read takes --outline or --filter, not both").WithHint("leave one of the two out")
	case in.Raw && (in.Outline || in.Filter != ""):
		return wire.Errorf(wire.CodeBadInput, "--outline and --filter need Markdown, and --raw converts nothing").WithHint("leave --raw out")
	case in.URL == "" && in.LLMs == "" && in.RequireMD:
		return wire.Errorf(wire.CodeBadInput, "--require-md needs a URL, because the page is HTML").WithHint("abrowser read --require-md https://example.com")
	}
	return nil
}

// The values of Source in [ReadOut].
const (
	ReadFromPage     = "active-tab-html"
	ReadFromMarkdown = "markdown"
	ReadFromHTML     = "html-fallback"
	ReadFromText     = "text"
)

// ReadOut is the output of [Read].
type ReadOut struct {
	Content     string `json:"content"`
	ContentType string `json:"contentType"` // of what was read, before the conversion
	FinalURL    string `json:"finalUrl"`    // after redirects
	Source      string `json:"source"`      // one of the constants above
	Status      int    `json:"status,omitzero"`
	Truncated   bool   `json:"truncated"`
	URL         string `json:"url"`
}

// Text returns the content.
func (o ReadOut) Text() string { return o.Content }

// Read returns a page as Markdown.
var Read = wire.Verb[ReadIn, ReadOut]{Spec: wire.Spec{
	Name: "read", PageText: true, Group: groupRead, Short: "Read the page, or a URL, as Markdown",
	Long: "Without a URL it reads the main frame of the session's page as it is now. With one, the URL is requested without the browser, " +
		"so its logins do not apply and no script runs; open a page to read what needs either. The request asks for Markdown first and takes HTML otherwise.",
	Example: "abrowser read https://example.com", ReadOnly: true,
}}
