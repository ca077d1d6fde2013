package mcpsetup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Write adds the server to the client's file, and replaces a server with the same name. Everything
// else in the file stays, including comments. If the file cannot be parsed, Write returns
// [wire.CodeBadInput] and does not change the file.
func (c Client) Write(d Dirs, s Server) error {
	path, err := real(c.File(d))
	if err != nil {
		return err
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wire.Errorf(wire.CodeBadInput, "reading the file of %s: %v", c.Name, err).WithHint("abrowser mcp install %s", c.Name)
	}
	after, err := c.add(before, s)
	if err != nil {
		return wire.Errorf(wire.CodeBadInput, "%s is not in the format of %s: %v", path, c.Name, err).WithHint("abrowser mcp install %s", c.Name)
	}
	return replace(path, after)
}

// add returns the file with the server added.
func (c Client) add(file []byte, s Server) ([]byte, error) {
	if len(bytes.TrimSpace(file)) == 0 {
		text, err := c.Text(s)
		return []byte(text), err
	}
	if c.key == "" {
		return addTOML(file, s)
	}
	v, err := hujson.Parse(file)
	if err != nil {
		return nil, err
	}
	all, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it is not an object")
	}
	servers, ok := member(all, c.key, 1).Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its %s is not an object", c.key)
	}
	text, err := json.MarshalIndent(c.entry(s), indent(2), indent(1))
	if err != nil {
		return nil, err
	}
	entry, err := hujson.Parse(text)
	if err != nil {
		return nil, err
	}
	member(servers, s.Name, 2).Value = entry.Value
	return v.Pack(), nil
}

// member returns the value of the member with this name. If the object has no such member, member
// adds it on a new line, with an empty object as its value. The parameter depth is the number of
// levels by which this line is indented.
func member(o *hujson.Object, name string, depth int) *hujson.Value {
	for i, m := range o.Members {
		if label, ok := m.Name.Value.(hujson.Literal); ok && label.String() == name {
			return &o.Members[i].Value
		}
	}
	if len(o.Members) == 0 {
		o.AfterExtra = append(o.AfterExtra, "\n"+indent(depth-1)...)
	}
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra("\n" + indent(depth)), Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: &hujson.Object{}},
	})
	return &o.Members[len(o.Members)-1].Value
}

func indent(depth int) string { return strings.Repeat("  ", depth) }

// real resolves the links in a path, since some users keep the file in another directory and link
// to it. It returns path if the file does not exist.
func real(path string) (string, error) {
	to, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return to, err
}

// replace replaces the file at path atomically and keeps its mode.
func replace(path string, content []byte) error {
	mode := fs.FileMode(0o600) // such files hold tokens for other servers
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return home.ReplaceFile(path, mode, func(f *os.File) error {
		_, err := f.Write(content)
		return errors.Join(err, f.Sync())
	})
}
