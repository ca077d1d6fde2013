package commands

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/cmd/abrowser/statefiles"
	"github.com/abrowser/abrowser/sockets/wire"
)

// maxKey is the size of the largest key file in bytes.
const maxKey = 4096

// encryptionKey returns the key of encrypted files: the content of the key file that the command
// names, or the variable ENCRYPTION_KEY. The key is empty if neither is set. encryptionKey removes
// the path of the key file from the command's parameters, since only this process reads the file.
func (x *run) encryptionKey(c call) (string, error) {
	path := c.text("keyFile")
	delete(c.params, "keyFile")
	if path == "" {
		_, key := wire.LookupVariable(x.config.Lookup, wire.Variables("ENCRYPTION_KEY"))
		return strings.TrimSpace(key), nil
	}
	content, err := statefiles.Read(config.InDir(x.config.Dir, path), maxKey)
	if err != nil {
		return "", err
	}
	var key []string
	for line := range strings.Lines(string(content)) { // age-keygen writes comments
		if !strings.HasPrefix(line, "#") {
			key = append(key, line)
		}
	}
	if text := strings.TrimSpace(strings.Join(key, "")); text != "" {
		return text, nil
	}
	return "", wire.Errorf(wire.CodeBadInput, "the key file %s is empty", path).WithHint("age-keygen -o %s", wire.ShellWord(path))
}

// seal encrypts content.
func (x *run) seal(ctx context.Context, content []byte, key string) ([]byte, error) {
	if err := x.LoadFull(ctx); err != nil {
		return nil, err
	}
	return x.full.Seal(content, key)
}

// unseal decrypts content, or returns it unchanged if it is not encrypted. A decrypted content that
// is longer than limit bytes is an error.
func (x *run) unseal(ctx context.Context, content []byte, key string, limit int64) ([]byte, error) {
	if !statefiles.IsEncrypted(content) {
		return content, nil
	}
	if key == "" {
		return nil, wire.Errorf(wire.CodeBadInput, "the file is encrypted, and no key is set").WithHint("set ABROWSER_ENCRYPTION_KEY, or give --key-file FILE")
	}
	if err := x.LoadFull(ctx); err != nil {
		return nil, err
	}
	return x.full.Unseal(content, key, limit)
}
