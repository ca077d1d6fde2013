package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/abrowser/abrowser/sockets/wire"
)

const strong = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestSealAndOpen(t *testing.T) {
	own, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"an identity": own.String(), "256 bits": strong, "a passphrase": "correct horse"} {
		t.Run(name, func(t *testing.T) {
			sealed, err := Seal([]byte("the login"), key)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(sealed, []byte("login")) || !bytes.HasPrefix(sealed, []byte("age-encryption.org/v1")) {
				t.Errorf("the file is %q", sealed)
			}
			if got, err := Open(sealed, key, 100); err != nil || string(got) != "the login" {
				t.Errorf("Open = %q, %v", got, err)
			}
		})
	}
}

// A file is not opened if it is too long, damaged, or encrypted with another key. Only one kind of key
// is tried, because deriving a key from a passphrase takes seconds with the race detector.
func TestOpenRefuses(t *testing.T) {
	sealed, err := Seal([]byte("the login"), strong)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(sealed, strong, 5); !errors.Is(err, wire.CodeTooLarge) {
		t.Errorf("Open with a small limit: %v", err)
	}
	if _, err := Open(sealed, strings.Repeat("f", 64), 100); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Open with another key: %v", err)
	}
	sealed[len(sealed)-1] ^= 1
	if _, err := Open(sealed, strong, 100); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Open of a damaged file: %v", err)
	}
}

// No error contains the key.
func TestBadKeys(t *testing.T) {
	for _, key := range []string{"", "AGE-SECRET-KEY-1SECRET"} {
		for name, act := range map[string]func() error{
			"seal": func() error { _, err := Seal(nil, key); return err },
			"open": func() error { _, err := Open(nil, key, 1); return err },
		} {
			if err := act(); !errors.Is(err, wire.CodeBadInput) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s with %q: %v", name, key, err)
			}
		}
	}
}
