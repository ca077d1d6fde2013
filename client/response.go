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
	maxHead   = 64 << 10  // largest head of a response (status line and headers), in bytes
	maxBody   = 256 << 20 // largest body of a response, in bytes
	firstPart = 64 << 10  // size limit of the buffer for a body before any of the body has arrived

	statusOK  = 200 // also the smallest accepted status, since no request asks for a 1xx response
	maxStatus = 599
)

// response is an HTTP response.
type response struct {
	status    int
	body      []byte
	keepAlive bool // the connection can be used for another request
}

// reply decodes the body of the response as a [wire.Reply]. If the reply contains an error, reply
// also returns this error as err.
func (r response) reply() (wire.Reply, error) {
	reply, err := wire.DecodeReply(r.body)
	switch {
	case err != nil:
		err = wire.Errorf(wire.CodeInternal, "decoding the response (HTTP status %d): %v", r.status, err)
	case reply.Error != nil:
		err = reply.Error
	case r.status != statusOK:
		err = wire.Errorf(wire.CodeInternal, "the response has HTTP status %d and no error", r.status)
	}
	return reply, err
}

// responseReader reads the responses on a connection. It rejects the parts of HTTP that
// abrowser's servers do not use. net/http would accept all of HTTP, but linking it costs each
// command 0.4 ms.
type responseReader struct {
	limit io.LimitedReader // the source of text; limits the size of a head
	text  *textproto.Reader
}

func newResponseReader(r io.Reader) *responseReader {
	rr := &responseReader{limit: io.LimitedReader{R: r}}
	rr.text = textproto.NewReader(bufio.NewReader(&rr.limit))
	return rr
}

// next reads a response. If the connection ends before the response is complete, next returns
// [io.ErrUnexpectedEOF], or a syntax error if only a part of the status line has arrived.
func (rr *responseReader) next() (response, error) {
	rr.limit.N = maxHead
	r, length, err := rr.head()
	switch {
	case err != nil && rr.limit.N <= 0:
		return response{}, fmt.Errorf("the response's head has more than %d bytes", maxHead)
	case errors.Is(err, io.EOF):
		return response{}, io.ErrUnexpectedEOF
	case err != nil:
		return response{}, err
	}
	rr.limit.N = math.MaxInt64
	if r.body, err = rr.body(length, maxBody); err != nil {
		return response{}, err
	}
	return r, nil
}

// head reads the status and the headers of a response. The result length is the length of the body.
// It is -1 if the body has no announced length and ends when the server closes the connection.
func (rr *responseReader) head() (r response, length int64, err error) {
	line, err := rr.text.ReadLine()
	if err != nil {
		return r, 0, err
	}
	if r.status, err = parseStatus(line); err != nil {
		return r, 0, err
	}
	header, err := rr.text.ReadMIMEHeader()
	if err != nil {
		return r, 0, err
	}
	r.keepAlive = !closes(header["Connection"])
	if coding, ok := header["Transfer-Encoding"]; ok {
		return r, 0, fmt.Errorf("the response has the transfer encoding %.100q", coding)
	}
	lengths, ok := header["Content-Length"]
	switch {
	case !ok && r.keepAlive:
		return r, 0, errors.New("the response has no length")
	case !ok:
		return r, -1, nil
	}
	length, err = parseLength(lengths)
	return r, length, err
}

// body reads a body of length bytes. If length is -1, it reads until the server closes the
// connection. It returns [wire.CodeTooLarge] for a body of more than limit bytes.
func (rr *responseReader) body(length, limit int64) ([]byte, error) {
	var body []byte
	var err error
	switch {
	case length < 0:
		body, err = io.ReadAll(io.LimitReader(rr.text.R, limit+1))
		length = int64(len(body))
	case length <= limit:
		body, err = readParts(rr.text.R, int(length))
	}
	if err == nil && length > limit {
		err = wire.Errorf(wire.CodeTooLarge, "the response has more than %d bytes", limit)
	}
	return body, err
}

// readParts reads n bytes. The server has announced n bytes, but may send fewer. Therefore
// readParts does not allocate n bytes at once. Its buffer has at most firstPart bytes at first,
// and later at most twice as many bytes as have arrived.
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
	if version != "HTTP/1.1" || err != nil || len(code) != 3 || status < statusOK || status > maxStatus {
		return 0, fmt.Errorf("invalid status line of a response: %.100q", line)
	}
	return int(status), nil
}

func parseLength(values []string) (int64, error) {
	n, err := strconv.ParseUint(values[0], 10, 63) // n is math.MaxInt64 if the value is too large
	if len(values) > 1 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("the response has the length %.100q", values)
	}
	return int64(n), nil
}

// closes reports whether a Connection header says that the server closes the connection
// after the response.
func closes(connection []string) bool {
	return slices.ContainsFunc(connection, func(options string) bool {
		return slices.ContainsFunc(strings.Split(options, ","), func(option string) bool {
			return strings.EqualFold(strings.TrimSpace(option), "close")
		})
	})
}
