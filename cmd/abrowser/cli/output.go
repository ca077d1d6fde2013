package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// printer prints a command's answer: text for people, or one line of JSON.
type printer struct {
	config.Output
	out, err io.Writer
	session  string        // the session that answered, empty if it is not known
	warnings []string      // printed with the answer
	records  []wire.Record // what policies decided while the command ran
	pageText bool          // the answer contains text of the page
	boundary *boundary     // of that text; nil without --content-boundaries
	width    func() int    // the number of the terminal's columns, 0 if the output is no terminal; may be nil
}

// envelope is the JSON answer of a command.
type envelope struct {
	Success     bool            `json:"success"`
	Data        json.RawMessage `json:"data"`
	Error       *string         `json:"error"`
	Code        wire.Code       `json:"code,omitzero"`
	Hint        string          `json:"hint,omitzero"`
	Details     map[string]any  `json:"details,omitzero"`
	Boundary    *boundary       `json:"_boundary,omitzero"`
	Warning     string          `json:"warning,omitzero"`
	OK          *bool           `json:"ok,omitzero"` // false if a page's request had no policy
	Records     []wire.Record   `json:"records,omitzero"`
	SessionID   string          `json:"sessionId,omitzero"`
	SessionType string          `json:"sessionType,omitzero"`
}

// answer prints a verb's output and returns the exit status. The parameter failure is nil, or the
// error of a command that failed but still has an output.
func (p *printer) answer(out any, failure error) int {
	marks := p.pageText && p.ContentBoundaries
	if p.JSON || marks {
		data, err := plainJSON(out)
		if err != nil {
			return p.fail(err)
		}
		if marks {
			p.boundary = boundaryOf(data)
		}
		if !p.JSON {
			return p.answerText(out, failure)
		}
		return p.envelope(envelopeOf(data, failure))
	}
	return p.answerText(out, failure)
}

func (p *printer) answerText(out any, failure error) int {
	p.printWarnings()
	text := ""
	if t, ok := out.(wire.Fitter); ok && p.width != nil && p.width() > 0 {
		text = t.FitText(p.width())
	} else if t, ok := out.(wire.Texter); ok {
		text = t.Text()
	}
	if written := p.text(text); written != wire.ExitDone || failure == nil {
		return written
	}
	return p.printError(failure)
}

// text prints an answer for people, cut to the length that the output settings allow and between
// the lines of the boundary, if there is one. It returns the exit status.
func (p *printer) text(text string) int {
	if text == "" {
		return wire.ExitDone
	}
	text = cut(text, p.MaxOutput)
	if p.boundary != nil {
		text = p.boundary.around(text)
	}
	return p.write([]byte(text + "\n"))
}

// fail prints an error and returns the exit status.
func (p *printer) fail(err error) int {
	if p.JSON {
		return p.envelope(envelopeOf(nil, err))
	}
	p.printWarnings()
	return p.printError(err)
}

func (p *printer) printError(err error) int {
	e := wire.AsError(err)
	p.diagnose("error", e.Message)
	p.diagnose("hint", e.Hint)
	return wire.ExitStatus(e.Code)
}

func envelopeOf(data json.RawMessage, err error) (e envelope, status int) {
	if err == nil {
		return envelope{Success: true, Data: data}, wire.ExitDone
	}
	coded := wire.AsError(err)
	e = envelope{Data: data, Error: &coded.Message, Code: coded.Code, Hint: coded.Hint, Details: coded.Details}
	return e, wire.ExitStatus(coded.Code)
}

func (p *printer) envelope(e envelope, status int) int {
	e.Warning, e.SessionID, e.Boundary = strings.Join(p.warnings, "; "), p.session, p.boundary
	e.Records = p.records
	if wire.AnyUnhandled(p.records) {
		e.OK = new(bool)
	}
	if p.session != "" {
		e.SessionType = verbs.TypeBrowser
	}
	line, err := marshal(e)
	if err != nil {
		return p.outputError(err)
	}
	if written := p.write(line); written != wire.ExitDone {
		return written
	}
	return status
}

func (p *printer) write(answer []byte) int {
	if _, err := p.out.Write(answer); err != nil {
		return p.outputError(fmt.Errorf("writing the answer: %w", err))
	}
	return wire.ExitDone
}

// outputError reports that stdout cannot be written and returns the exit status.
func (p *printer) outputError(err error) int {
	p.diagnose("error", err.Error())
	return wire.ExitFailed
}

func (p *printer) printWarnings() {
	for _, w := range p.warnings {
		p.diagnose("warning", w)
	}
}

// diagnose prints an error, hint or warning to stderr, unless it is empty.
func (p *printer) diagnose(kind, message string) {
	if message != "" {
		_, _ = fmt.Fprintf(p.err, "abrowser: %s: %s\n", kind, message) // if stderr cannot be written, the error cannot be reported
	}
}

// cut returns the first limit characters of a text and a note that the text was truncated. If the
// text has no more characters, or limit is 0, cut returns the text unchanged.
func cut(text string, limit int) string {
	total := utf8.RuneCountInString(text)
	if limit == 0 || total <= limit {
		return text
	}
	at := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return fmt.Sprintf("%s\n[truncated: showing %d of %d chars. Use --max-output to adjust]", text[:at], limit, total)
}

// plainJSON returns v as JSON with sorted keys, numbers as they were sent, and <, > and &
// unescaped.
func plainJSON(v any) (json.RawMessage, error) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = marshal(v); err != nil {
			return nil, err
		}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var any any
	if err := dec.Decode(&any); err != nil {
		return nil, fmt.Errorf("decoding the answer: %w", err)
	}
	line, err := marshal(any)
	return bytes.TrimSuffix(line, []byte("\n")), err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
