package home

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxName    = 128    // the largest number of bytes in a name
	maxLiteral = 64     // the largest number of bytes in a file name that is not a hash
	hashed     = "sha." // the prefix of a file name that is a hash
)

// CheckName returns an error unless name is a valid name of a session or browser: 1 to 128
// letters, digits, '.', '_' and '-', and neither "." nor "..".
func CheckName(name string) error {
	const hint = "a name has 1 to 128 letters, digits, '.', '_' and '-', such as task_123"
	switch {
	case name == "":
		return wire.Errorf(wire.CodeBadInput, "the session's name is empty").WithHint(hint)
	case len(name) > maxName:
		return wire.Errorf(wire.CodeBadInput, "the session's name has %d bytes; %d are allowed", len(name), maxName).WithHint(hint)
	case name == "." || name == "..":
		return wire.Errorf(wire.CodeBadInput, "%q is not a session's name", name).WithHint(hint)
	}
	for _, r := range name {
		if !nameRune(r) {
			return wire.Errorf(wire.CodeBadInput, "the session's name %q contains %q", name, r).WithHint(hint)
		}
	}
	return nil
}

func nameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-'
}

// fileName returns the first part of the names of a session's or browser's files. This is the
// name itself if it is literal: at most 64 lower-case letters, digits, '_' and '-'. Otherwise
// it is a hash of the name. Names with upper-case letters are hashed because some file systems
// do not distinguish upper from lower case. The prefix of the hash has a dot, so that the hash
// differs from every literal name.
func fileName(name string) string {
	if isLiteral(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hashed + hex.EncodeToString(sum[:16])
}

func isLiteral(name string) bool {
	if name == "" || len(name) > maxLiteral {
		return false
	}
	for _, r := range name {
		if !nameRune(r) || r == '.' || 'A' <= r && r <= 'Z' {
			return false
		}
	}
	return true
}
