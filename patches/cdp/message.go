package patches

import "unicode/utf8"

// Message is what a client has sent, read by [Read].
type Message struct {
	request request
	err     error
	size    int
}

// Read takes a client's message apart. It keeps msg, is no part of a [Board] and
// may run anywhere: a large message is read where it holds up nobody else.
func Read(msg []byte) Message {
	if !utf8.Valid(msg) {
		return Message{err: errText, size: len(msg)}
	}
	r, err := scanRequest(msg)
	return Message{r, err, len(msg)}
}

// maxRequest is how long a client's message may be. At 100 MiB Chromium reads no
// more from its pipe, nobody's, and does not end.
const maxRequest = 90 << 20

// maxRuled is how long a message with a rule may be: the Board takes it apart
// while all others wait. Chromium takes no URL of more than 2 MiB; the rest is cookies.
const maxRuled = 8 << 20
