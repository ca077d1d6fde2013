package cdp

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestPlain checks that the function plain detects every byte that ends a string, begins an escape
// sequence or must not occur in a string. Each byte is tried at each of the eight positions and
// next to different other bytes.
func TestPlain(t *testing.T) {
	for c := range 256 {
		for _, beside := range []byte{' ', '!', '#', '[', ']', 0x7f, 0x80, 0xff} {
			for at := range 8 {
				text := bytes.Repeat([]byte{beside}, 8)
				text[at] = byte(c)
				want := c >= ' ' && c != '"' && c != '\\'
				if got := plain(binary.LittleEndian.Uint64(text)); got != want {
					t.Fatalf("plain(%q) = %t", text, got)
				}
			}
		}
	}
}
