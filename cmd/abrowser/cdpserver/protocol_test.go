package cdpserver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/abrowser/abrowser/sockets/wire"
)

// noise returns text that compresses badly, so that findProtocol does not skip the resource as too
// small.
func noise() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the text only has to be irregular
	for range 100_000 {
		b.WriteByte('a' + byte(r.IntN(26)))
	}
	return b.String()
}

// pack returns a resource file.
func pack(resources ...[]byte) []byte {
	le := binary.LittleEndian
	pak := le.AppendUint32(nil, pakVersion)
	pak = append(pak, 1, 0, 0, 0)
	pak = le.AppendUint16(le.AppendUint16(pak, uint16(len(resources))), 0)
	at := len(pak) + (len(resources)+1)*pakEntry
	for i, r := range append(resources, nil) {
		pak = le.AppendUint32(le.AppendUint16(pak, uint16(i+1)), uint32(at))
		at += len(r)
	}
	return append(pak, bytes.Join(resources, nil)...)
}

// compressed returns a resource as Chromium compresses it.
func compressed(text string) []byte {
	var b bytes.Buffer
	b.Write([]byte{0x1e, 0x9b, 0, 0, 0, 0, 0, 0})
	w := brotli.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func TestFindProtocol(t *testing.T) {
	text := `{` + "\n" + ` "version": {"major": "1"}, "domains": ["` + noise() + `"]}`
	good := pack([]byte("x"), compressed(`{"other":"`+noise()+`"}`), compressed(text), nil)
	if got, err := findProtocol(good); err != nil || string(got) != text {
		t.Errorf("findProtocol() = %.80s, %v", got, err)
	}
	for name, pak := range map[string][]byte{
		"empty":        nil,
		"other format": append([]byte{4, 0, 0, 0}, good[4:]...),
		"without it":   pack(compressed(`{"other":"` + noise() + `"}`)),
		"cut off":      good[:len(good)-1000],
		"index cut":    good[:20],
	} {
		if got, err := findProtocol(pak); !errors.Is(err, wire.CodeNotFound) && !errors.Is(err, wire.CodeInternal) {
			t.Errorf("%s: findProtocol() = %.80s, %v", name, got, err)
		}
	}
	if _, err := findProtocol(pack(compressed(strings.TrimSuffix(text, "}")))); !errors.Is(err, wire.CodeInternal) {
		t.Errorf("a description that is not JSON: %v", err)
	}
}

func FuzzFindProtocol(f *testing.F) {
	f.Add(pack([]byte("x"), compressed(`{"version":{"major":"1"}}`)))
	f.Fuzz(func(_ *testing.T, pak []byte) { _, _ = findProtocol(pak) })
}
