package commands

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/cmd/abrowser/statefiles"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// login is the content of a file with a saved login.
type login struct {
	verbs.AuthProfile
	Password string `json:"password"`
}

// maxLogin is the size of the largest file with a saved login in bytes.
const maxLogin = 64 << 10

// savedLogins are the commands about saved logins.
type savedLogins struct{ *run }

func (x savedLogins) store() statefiles.Store {
	return statefiles.Store{Dir: x.root().Path("auth"), What: "saved login", List: "abrowser auth list"}
}

// key returns the key that encrypts the saved logins. This is the key of [run.encryptionKey],
// or else the key in the root's file auth.key. If that file does not exist either, key creates
// it with a random key if create is true, and otherwise returns an empty key.
func (x savedLogins) key(c call, create bool) (string, error) {
	key, err := x.encryptionKey(c)
	if key != "" || err != nil {
		return key, err
	}
	path := x.root().Path("auth.key")
	content, err := statefiles.Read(path, maxKey)
	if !errors.Is(err, wire.CodeNotFound) {
		return strings.TrimSpace(string(content)), err
	}
	if !create {
		return "", nil
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	if err := os.MkdirAll(x.root().Dir, 0o700); err != nil {
		return "", wire.OSError("making "+x.root().Dir, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another command has just created it
		content, err := statefiles.Read(path, maxKey)
		return strings.TrimSpace(string(content)), err
	}
	if err != nil {
		return "", wire.OSError("writing "+path, err)
	}
	key = hex.EncodeToString(random)
	_, err = f.WriteString(key + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", wire.OSError("writing "+path, errors.Join(err, os.Remove(path)))
	}
	x.warn("the saved logins are encrypted with the new key in " + path + "; ABROWSER_ENCRYPTION_KEY chooses another key")
	return key, nil
}

func (x savedLogins) save(ctx context.Context, in verbs.AuthSaveIn) (*verbs.AuthSaveOut, error) {
	path, err := x.store().Path(in.Name)
	if err != nil {
		return nil, err
	}
	if in.PasswordFile != "" {
		content, err := statefiles.Read(config.InDir(x.config.Dir, in.PasswordFile), maxLogin)
		if err != nil {
			return nil, err
		}
		if in.Password = OneLine(content); in.Password == "" {
			return nil, wire.Errorf(wire.CodeBadInput, "the file %s is empty", in.PasswordFile).WithHint("ls -l %s", wire.ShellWord(in.PasswordFile))
		}
		if err := verbs.CheckPassword(in.Password); err != nil {
			return nil, err
		}
	}
	key, err := x.key(x.call, true)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(login{verbs.AuthProfile{
		Name: in.Name, URL: in.URL, Username: in.Username,
		UsernameSelector: in.UsernameSelector, PasswordSelector: in.PasswordSelector, SubmitSelector: in.SubmitSelector,
	}, in.Password})
	if err != nil {
		return nil, err
	}
	sealed, err := x.seal(ctx, content, key)
	if err != nil {
		return nil, err
	}
	if err := x.store().Make(); err != nil {
		return nil, err
	}
	return &verbs.AuthSaveOut{Saved: in.Name}, home.WriteFile(path, sealed)
}

// OneLine returns a password that was read from a file or from standard input, without the newline
// at its end.
func OneLine(content []byte) string {
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
}

// read returns a saved login.
func (x savedLogins) read(ctx context.Context, name, key string) (login, error) {
	var l login
	content, err := x.store().Load(name, maxLogin)
	if err != nil {
		return l, err
	}
	if content, err = x.unseal(ctx, content, key, maxLogin); err != nil {
		return l, err
	}
	if json.Unmarshal(content, &l) != nil || l.Password == "" || l.URL == "" { // the error of Unmarshal might contain the password
		return login{}, wire.Errorf(wire.CodeBadInput, "the file of the saved login %s is damaged", name).WithHint("abrowser auth delete %s", name)
	}
	l.Name = name
	return l, nil
}

// prepare adds the saved login to the parameters of auth login. If there is no such login, the
// command fails before it starts a daemon.
func (x savedLogins) prepare(ctx context.Context, c call) error {
	key, err := x.key(c, false)
	if err != nil {
		return err
	}
	l, err := x.read(ctx, c.text("name"), key)
	c.params["profile"], c.params["password"] = l.AuthProfile, l.Password
	return err
}

func (x savedLogins) list(ctx context.Context, _ verbs.KeyFileIn) (*verbs.AuthListOut, error) {
	files, err := x.store().All()
	if err != nil {
		return nil, err
	}
	key, err := x.key(x.call, false)
	if err != nil {
		return nil, err
	}
	out := &verbs.AuthListOut{Profiles: []verbs.AuthListed{}}
	for _, f := range files {
		l, err := x.read(ctx, f.Name, key)
		listed := verbs.AuthListed{Name: f.Name, Username: l.Username, URL: l.URL}
		if err != nil {
			listed.Error = err.Error()
		}
		out.Profiles = append(out.Profiles, listed)
	}
	return out, nil
}

func (x savedLogins) show(ctx context.Context, in verbs.AuthNameIn) (*verbs.AuthShowOut, error) {
	key, err := x.key(x.call, false)
	if err != nil {
		return nil, err
	}
	l, err := x.read(ctx, in.Name, key)
	return &verbs.AuthShowOut{Profile: l.AuthProfile}, err
}

func (x savedLogins) remove(_ context.Context, in verbs.AuthDeleteIn) (*verbs.AuthDeleteOut, error) {
	return &verbs.AuthDeleteOut{Deleted: in.Name}, x.store().Remove(in.Name)
}
