// Package seal encrypts the files in which abrowser keeps logins. The format is that of age, so
// that the program age can read the files too.
//
// Only the full program imports this package, since commands that need no encryption should not
// link it. The key is never part of an error.
package seal

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"

	"filippo.io/age"

	"github.com/abrowser/abrowser/sockets/wire"
)

// strongWork is the scrypt work factor for a key of 256 random bits. Such a key cannot be guessed,
// so a small factor is enough, and reading a file takes a millisecond instead of a second.
const strongWork = 10

// Seal encrypts content. The key is an age identity, or any other text.
func Seal(content []byte, key string) ([]byte, error) {
	to, err := recipient(key)
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, to)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(content)
	err = errors.Join(err, w.Close()) // Close writes the last part
	return sealed.Bytes(), err
}

// Open decrypts what Seal has encrypted with the same key. If the content is longer than limit
// bytes, Open returns [wire.CodeTooLarge].
func Open(sealed []byte, key string, limit int64) ([]byte, error) {
	by, err := identity(key)
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), by)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "the file was encrypted with another key").WithHint("set ABROWSER_ENCRYPTION_KEY to the key with which the file was saved")
	}
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, wire.Errorf(wire.CodeBadInput, "the encrypted file is damaged").WithHint("save it again")
	case int64(len(content)) > limit:
		return nil, wire.Errorf(wire.CodeTooLarge, "the file has more than %d bytes", limit).WithHint("save it again")
	}
	return content, nil
}

func isIdentity(key string) bool { return strings.HasPrefix(key, "AGE-SECRET-KEY-") }

func recipient(key string) (age.Recipient, error) {
	if isIdentity(key) {
		own, err := age.ParseX25519Identity(key)
		if err != nil {
			return nil, keyError()
		}
		return own.Recipient(), nil
	}
	r, err := age.NewScryptRecipient(key)
	if err != nil {
		return nil, keyError()
	}
	if regexp.MustCompile(`^[0-9a-fA-F]{64}$`).MatchString(key) {
		r.SetWorkFactor(strongWork)
	}
	return r, nil
}

func identity(key string) (age.Identity, error) {
	if isIdentity(key) {
		own, err := age.ParseX25519Identity(key)
		if err != nil {
			return nil, keyError()
		}
		return own, nil
	}
	i, err := age.NewScryptIdentity(key)
	if err != nil {
		return nil, keyError()
	}
	return i, nil
}

func keyError() error {
	return wire.Errorf(wire.CodeBadInput, "the key is empty, or not an age identity although it looks like one").WithHint("age-keygen writes an identity; any other text is a passphrase")
}
