package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxHead   = 64 << 10  // bytes of an answer's head
	maxReply  = 256 << 20 // bytes of its body
	firstPart = 64 << 10  // of a body, for which memory is taken before it comes

	statusOK   = 200 // what is below is no answer yet, and nobody asked for it
	mostStatus = 599
)

// answer is one HTTP response.
type answer struct {
	status int
	body   []byte
	keep   bool // the connection is good for another request
}

// answers reads the answers on one connection. What our servers do not say is
// refused: net/http, which reads all that there is, costs a command 0.4 ms to link.
type answers struct {
	limit io.LimitedReader // between the connection and text, so that no head is endless
	text  *textproto.Reader
}

func newAnswers(r io.Reader) *answers {
	a := &answers{limit: io.LimitedReader{R: r}}
	a.text = textproto.NewReader(bufio.NewReader(&a.limit))
	return a
}

// next reads an answer. One that is cut short is [io.ErrUnexpectedEOF].
func (a *answers) next() (answer, error) {
	a.limit.N = maxHead
	next, length, err := a.head()
	switch {
	case err != nil && a.limit.N <= 0:
		return answer{}, fmt.Errorf("the answer's head has more than %d bytes", maxHead)
	case errors.Is(err, io.EOF):
		return answer{}, io.ErrUnexpectedEOF
	case err != nil:
		return answer{}, err
	}
	a.limit.N = math.MaxInt64
	if next.body, err = a.body(length, maxReply); err != nil {
		return answer{}, err
	}
	return next, nil
}

// head reads what comes before a body, and the body's length: -1 where it ends with
// the connection.
func (a *answers) head() (next answer, length int64, err error) {
	line, err := a.text.ReadLine()
	if err != nil {
		return next, 0, err
	}
	if next.status, err = parseStatus(line); err != nil {
		return next, 0, err
	}
	header, err := a.text.ReadMIMEHeader()
	if err != nil {
		return next, 0, err
	}
	next.keep = !closes(header["Connection"])
	if coding, ok := header["Transfer-Encoding"]; ok {
		return next, 0, fmt.Errorf("the answer has the transfer encoding %.100q", coding)
	}
	lengths, ok := header["Content-Length"]
	switch {
	case !ok && next.keep:
		return next, 0, errors.New("the answer has no length")
	case !ok:
		return next, -1, nil
	}
	length, err = parseLength(lengths)
	return next, length, err
}

// body reads length bytes, or where that is -1 until the server hangs up, and no more
// than most.
func (a *answers) body(length, most int64) ([]byte, error) {
	var body []byte
	var err error
	switch {
	case length < 0:
		body, err = io.ReadAll(io.LimitReader(a.text.R, most+1))
		length = int64(len(body))
	case length <= most:
		body, err = readParts(a.text.R, int(length))
	}
	if err == nil && length > most {
		err = wire.Errorf(wire.CodeTooLarge, "the answer has more than %d bytes", most)
	}
	return body, err
}

// readParts reads n bytes. It takes memory for twice of what has come, not for what
// was said to come.
func readParts(r io.Reader, n int) ([]byte, error) {
	all := make([]byte, min(n, firstPart))
	for have := 0; ; {
		if _, err := io.ReadFull(r, all[have:]); errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
		if have = len(all); have == n {
			return all, nil
		}
		all = append(all, make([]byte, min(n-have, have))...)
	}
}

func parseStatus(line string) (int, error) {
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.ParseUint(code, 10, 16)
	if version != "HTTP/1.1" || err != nil || len(code) != 3 || status < statusOK || status > mostStatus {
		return 0, fmt.Errorf("an answer does not begin with %.100q", line)
	}
	return int(status), nil
}

func parseLength(given []string) (int64, error) {
	n, err := strconv.ParseUint(given[0], 10, 63) // out of range it is the largest there is
	if len(given) > 1 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("the answer has the length %.100q", given)
	}
	return int64(n), nil
}

// closes reports whether the server hangs up behind this answer.
func closes(connection []string) bool {
	return slices.ContainsFunc(connection, func(options string) bool {
		return slices.ContainsFunc(strings.Split(options, ","), func(option string) bool {
			return strings.EqualFold(strings.TrimSpace(option), "close")
		})
	})
}
