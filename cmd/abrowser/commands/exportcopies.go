package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// copyDownloads copies the downloads that are complete and that no command has fetched. They stay
// where they are, for the session. If the browser does not run, there are none.
func (e *export) copyDownloads(ctx context.Context) error {
	place, err := e.brokerPlace()
	if err != nil {
		return err
	}
	out, err := askPlace(ctx, e.run, place, verbs.BrokerDownloads, verbs.BrokerDownloadsIn{Session: e.session})
	if err != nil {
		if !errors.Is(err, wire.CodeNotRunning) {
			e.warn("the downloads are missing: " + err.Error())
		}
		return nil
	}
	for _, d := range out.Downloads {
		if d.Path == "" {
			continue // it is not complete
		}
		base := path.Base("/" + strings.ReplaceAll(d.SuggestedFilename, "\\", "/"))
		err = errors.Join(err, e.copyFile(d.Path, path.Join("downloads", fmt.Sprintf("%d-%s", d.Number, base))))
	}
	return err
}

// copyPictures copies the last pictures of tabs that are closed.
func (e *export) copyPictures() error {
	pictures, err := e.root().Pictures(e.session)
	for _, tab := range slices.Sorted(maps.Keys(pictures)) {
		if name := tab + ".jpeg"; !slices.Contains(e.files, name) {
			err = errors.Join(err, e.copyFile(pictures[tab], name))
		}
	}
	return err
}

// copyFile copies a file to the given name in the directory.
func (e *export) copyFile(from, name string) error {
	in, err := os.Open(from)
	if err != nil {
		e.warn(name + " is missing: it has just been removed")
		return nil
	}
	defer in.Close()
	to := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return wire.OSError("writing "+name, err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return wire.OSError("writing "+name, err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return wire.OSError("writing "+name, err)
	}
	e.files = append(e.files, name)
	return nil
}
