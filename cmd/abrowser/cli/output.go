package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// printer writes a command's answer: text for people, or one line of JSON.
type printer struct {
	Output
	out, err io.Writer
	session  string        // whose command it is, once that is known
	records  []wire.Record // what policies decided while the command ran

	mu       sync.Mutex // guards warnings
	warnings []string
}

// envelope is the JSON answer of a command.
type envelope struct {
	Success     bool            `json:"success"`
	Data        json.RawMessage `json:"data"`
	Error       *string         `json:"error"`
	Code        wire.Code       `json:"code,omitzero"`
	Hint        string          `json:"hint,omitzero"`
	Details     map[string]any  `json:"details,omitzero"`
	Warning     string          `json:"warning,omitzero"`
	OK          *bool           `json:"ok,omitzero"` // false: the page asked for something that no policy is set for
	Records     []wire.Record   `json:"records,omitzero"`
	SessionID   string          `json:"sessionId,omitzero"`
	SessionType string          `json:"sessionType,omitzero"`
}

// warn adds warnings to the answer. Those that ask several places at once call it
// from each.
func (p *printer) warn(warnings ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.warnings = append(p.warnings, warnings...)
}

// said returns the warnings so far.
func (p *printer) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.warnings
}

// failing is an output that is shown whole though the command failed.
type failing interface {
	// failure is why, nil where it did not fail.
	failure() error
}

// answer prints a verb's output and returns the exit status.
func (p *printer) answer(out any) int {
	var failure error
	if f, ok := out.(failing); ok {
		failure = f.failure()
	}
	if p.JSON {
		data, err := plainJSON(out)
		if err != nil {
			return p.fail(err)
		}
		return p.envelope(envelopeOf(data, failure))
	}
	p.tellWarnings()
	text := ""
	if t, ok := out.(wire.Texter); ok {
		text = t.Text()
	}
	if written := p.text(text); written != wire.ExitDone || failure == nil {
		return written
	}
	return p.tellError(failure)
}

// text prints an answer for people, cut where that was asked for.
func (p *printer) text(text string) int {
	if text == "" {
		return wire.ExitDone
	}
	return p.write([]byte(cut(text, p.MaxOutput) + "\n"))
}

// fail prints what went wrong and returns the exit status.
func (p *printer) fail(err error) int {
	if p.JSON {
		return p.envelope(envelopeOf(nil, err))
	}
	p.tellWarnings()
	return p.tellError(err)
}

func (p *printer) tellError(err error) int {
	e := wire.AsError(err)
	p.tell("error", e.Message)
	p.tell("hint", e.Hint)
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
	e.Warning, e.SessionID = strings.Join(p.said(), "; "), p.session
	e.Records = p.records
	if wire.AnyUnhandled(p.records) {
		e.OK = new(bool)
	}
	if p.session != "" {
		e.SessionType = verbs.TypeBrowser
	}
	line, err := marshal(e)
	if err != nil {
		return p.failed(err)
	}
	if written := p.write(line); written != wire.ExitDone {
		return written
	}
	return status
}

func (p *printer) write(answer []byte) int {
	if _, err := p.out.Write(answer); err != nil {
		return p.failed(fmt.Errorf("writing the answer: %w", err))
	}
	return wire.ExitDone
}

// failed is the end where stdout cannot be written.
func (p *printer) failed(err error) int {
	p.tell("error", err.Error())
	return wire.ExitFailed
}

func (p *printer) tellWarnings() {
	for _, w := range p.said() {
		p.tell("warning", w)
	}
}

// tell is the three voices on stderr: error, hint and warning.
func (p *printer) tell(voice, message string) {
	if message != "" {
		_, _ = fmt.Fprintf(p.err, "abrowser: %s: %s\n", voice, message) // there is nobody else to tell
	}
}

// cut leaves the first most characters of text; 0 leaves all.
func cut(text string, most int) string {
	total := utf8.RuneCountInString(text)
	if most == 0 || total <= most {
		return text
	}
	at := 0
	for range most {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return fmt.Sprintf("%s\n[truncated: showing %d of %d chars. Use --max-output to adjust]", text[:at], most, total)
}

// plainJSON is v as JSON with sorted keys, numbers as they were sent, and <, >
// and & as they are.
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
		return nil, fmt.Errorf("reading the answer: %w", err)
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
