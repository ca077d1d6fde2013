package commands

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/cmd/abrowser/statefiles"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// maxStateFile is the size of the largest state file in bytes. Encryption adds little.
const maxStateFile = wire.MaxRequest + wire.MaxRequest/100

// savedStates are the commands about files with saved states.
type savedStates struct{ *run }

func (x savedStates) store() statefiles.Store {
	return statefiles.Store{Dir: x.root().Path("states"), What: "state", List: "abrowser state list"}
}

// path returns the path of a state file that is given by its name or path.
func (x savedStates) path(given string) (string, error) {
	if statefiles.IsName(given) {
		return x.store().Path(given)
	}
	return config.InDir(x.config.Dir, given), nil
}

// prepare completes the parameters of state save and state load: it resolves names, and reads
// the file to load. If the file cannot be used, the command fails before it starts a daemon.
func (x savedStates) prepare(ctx context.Context, c call) error {
	path, err := x.path(c.text("path"))
	if err != nil || c.text("path") == "" {
		return err
	}
	isName := statefiles.IsName(c.text("path"))
	c.params["path"] = path
	key, err := x.encryptionKey(c)
	if err != nil {
		return err
	}
	if c.spec.Name == verbs.StateLoad.Name {
		state, err := x.read(ctx, path, key)
		c.params["state"] = state
		return err
	}
	if isName {
		if err := x.store().Make(); err != nil {
			return err
		}
	}
	if key == "" {
		x.warn("the file is not encrypted, and contains logins: with ABROWSER_ENCRYPTION_KEY or --key-file it is")
		return nil
	}
	_, err = x.seal(ctx, nil, key) // an invalid key is reported before anything is done
	x.stateKeys = append(x.stateKeys, stateKey{path, key})
	return err
}

// stateKey is the key with which the state at a path is to be encrypted.
type stateKey struct{ path, key string }

// read reads and checks a state file.
func (x savedStates) read(ctx context.Context, path, key string) (*verbs.State, error) {
	content, err := statefiles.Read(path, maxStateFile)
	if err == nil {
		content, err = x.unseal(ctx, content, key, wire.MaxRequest)
	}
	if err != nil {
		return nil, err
	}
	return verbs.ParseState(content)
}

// sealOutput encrypts the content of an output of state save, if the command has a key.
func (x savedStates) sealOutput(ctx context.Context, out any) error {
	state, ok := out.(*verbs.StateSaveOut)
	if !ok {
		return nil
	}
	i := slices.IndexFunc(x.stateKeys, func(k stateKey) bool { return k.path == state.Path })
	if i < 0 {
		return nil
	}
	sealed, err := x.seal(ctx, state.Content, x.stateKeys[i].key)
	state.Content, state.Encrypted = sealed, err == nil
	return err
}

func (x savedStates) list(context.Context, verbs.Empty) (*verbs.StateListOut, error) {
	all, err := x.store().All()
	return &verbs.StateListOut{Directory: x.store().Dir, Files: all}, err
}

func (x savedStates) show(ctx context.Context, in verbs.StateShowIn) (*verbs.StateShowOut, error) {
	path, err := x.path(x.text("path"))
	if err != nil {
		return nil, err
	}
	key, err := x.encryptionKey(x.call)
	if err != nil {
		return nil, err
	}
	content, err := statefiles.Read(path, maxStateFile)
	if err != nil {
		return nil, err
	}
	file, err := statefiles.Describe(path)
	if err != nil {
		return nil, err
	}
	out := &verbs.StateShowOut{StateFile: file, State: json.RawMessage("null")}
	if file.Encrypted && key == "" {
		out.Summary = "encrypted"
		return out, nil
	}
	if content, err = x.unseal(ctx, content, key, wire.MaxRequest); err != nil {
		return nil, err
	}
	state, err := verbs.ParseState(content)
	if err != nil {
		return nil, err
	}
	out.Summary = state.Summary()
	for _, c := range state.Cookies {
		out.Sites = append(out.Sites, c.Domain)
	}
	for _, o := range state.Origins {
		out.Sites = append(out.Sites, o.Origin)
	}
	slices.Sort(out.Sites)
	out.Sites = slices.Compact(out.Sites)
	out.State, err = json.Marshal(state)
	return out, err
}

func (x savedStates) clear(_ context.Context, in verbs.StateClearIn) (*verbs.StateClearOut, error) {
	if in.All {
		all, err := x.store().RemoveOld(time.Unix(1<<40, 0))
		return &verbs.StateClearOut{Cleared: len(all)}, err
	}
	return &verbs.StateClearOut{Cleared: 1}, x.store().Remove(in.Name)
}

func (x savedStates) clean(_ context.Context, in verbs.StateCleanIn) (*verbs.StateCleanOut, error) {
	names, err := x.store().RemoveOld(time.Now().AddDate(0, 0, -in.OlderThan))
	return &verbs.StateCleanOut{Cleaned: len(names), Names: names}, err
}

func (x savedStates) rename(_ context.Context, in verbs.StateRenameIn) (*verbs.StateRenameOut, error) {
	return &verbs.StateRenameOut{Renamed: true, OldName: in.OldName, NewName: in.NewName}, x.store().Rename(in.OldName, in.NewName)
}
