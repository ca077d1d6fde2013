package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pictureTime is how long one page may take for its picture, in milliseconds.
const pictureTime = 2000

// export writes the files of [verbs.SessionExport].
type export struct {
	*run
	dir   string
	files []string
}

// exportSession writes what is known of the session to files.
func (x *run) exportSession(ctx context.Context, in verbs.ExportIn) (*verbs.ExportOut, error) {
	log, err := x.sessionLog(ctx, verbs.SessionLogIn{})
	if err != nil && !errors.Is(err, wire.CodeNotFound) {
		return nil, err
	}
	if log == nil {
		log = &verbs.SessionLogOut{Session: x.session, Commands: []verbs.Activity{}}
	}
	events, err := x.knownEvents(ctx, x.session, verbs.EventsIn{})
	if err != nil {
		return nil, err
	}
	events.Events = slices.DeleteFunc(events.Events, func(e verbs.Event) bool { return e.Session != x.session })
	table, err := x.readTable(ctx, true)
	if err != nil {
		return nil, err
	}
	tabs := slices.DeleteFunc(table.Tabs, func(t verbs.Tab) bool { return t.SessionID != x.session })
	if len(log.Commands)+len(events.Events)+len(tabs) == 0 {
		return nil, wire.Errorf(wire.CodeNotFound, "No session: %s", x.session).WithHint("abrowser session list")
	}
	e := &export{run: x, dir: in.Dir}
	if !filepath.IsAbs(e.dir) {
		e.dir = filepath.Join(x.config.Dir, e.dir)
	}
	if err := makeEmptyDir(e.dir); err != nil {
		return nil, err
	}
	err = errors.Join(e.write("commands.json", log.Commands), e.write("events.json", events.Events), e.write("tabs.json", tabs))
	for _, tab := range tabs {
		err = errors.Join(err, e.picture(ctx, tab))
	}
	if slices.ContainsFunc(tabs, func(t verbs.Tab) bool { return t.State == verbs.StateLive }) {
		aside := map[string]any{"aside": true}
		err = errors.Join(err,
			e.read(ctx, "console.json", &verbs.Console, aside),
			e.read(ctx, "errors.json", &verbs.Errors, aside),
			e.requests(ctx, aside))
	} else {
		err = errors.Join(err, e.copyRecord(ctx))
	}
	err = errors.Join(err, e.copyPictures(), e.copyDownloads(ctx))
	return &verbs.ExportOut{Dir: e.dir, Files: e.files}, err
}

// copyRecord writes what was kept when the session's last daemon ended, if anything was.
func (e *export) copyRecord(ctx context.Context) error {
	raw, err := os.ReadFile(e.root().RecordFile(e.session))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wire.OSError("reading the record", err)
	}
	var record verbs.SessionRecord
	if err := json.Unmarshal(raw, &record); err != nil {
		e.warn("the record of the session cannot be read: " + err.Error())
		return nil
	}
	return errors.Join(
		e.write("console.json", verbs.ConsoleOut{Messages: record.Console}),
		e.write("errors.json", verbs.ErrorsOut{Errors: record.Errors}),
		e.writeHAR(ctx, record.Requests))
}

// makeEmptyDir creates a directory, or returns an error if it has files already.
func makeEmptyDir(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if wire.IsBadPath(err) {
		return wire.Errorf(wire.CodeBadInput, "%.60q is not the path of a directory", dir).WithHint("abrowser session export DIRECTORY")
	}
	if err != nil {
		return wire.OSError("creating "+dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wire.OSError("reading "+dir, err)
	}
	if len(entries) > 0 {
		return wire.Errorf(wire.CodeBadInput, "%s is not empty", dir).WithHint("abrowser session export DIRECTORY")
	}
	return nil
}

// write writes a value as a file of JSON.
func (e *export) write(name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return e.writeFile(name, append(raw, '\n'))
}

func (e *export) writeFile(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(e.dir, name), content, 0o600); err != nil {
		return wire.OSError("writing "+name, err)
	}
	e.files = append(e.files, name)
	return nil
}

// picture writes a picture of a tab. A page that does not respond has none, which is a warning.
func (e *export) picture(ctx context.Context, tab verbs.Tab) error {
	params := map[string]any{"session": tab.SessionID, "tab": tab.TabID, "once": true, "wait": pictureTime}
	out, err := e.askBrokerOf(ctx, e.session, &verbs.BrokerView, params)
	view, ok := out.(*verbs.View)
	if err != nil || !ok || len(view.JPEG) == 0 {
		e.warn("there is no picture of " + tab.TabID)
		return nil
	}
	return e.writeFile(tab.TabID+".jpeg", view.JPEG)
}

// read writes the output of a verb. If the session does not answer, that is a warning.
func (e *export) read(ctx context.Context, name string, verb wire.AnyVerb, params map[string]any) error {
	result, err := e.Do(ctx, Command{Session: e.session, Verb: verb, Params: params, Running: true})
	if err != nil {
		e.warn(name + " is missing: " + err.Error())
		return nil
	}
	return e.write(name, result.Output)
}

const harName = "requests.har"

// requests writes the requests that the running session has kept. If the session does not answer,
// that is a warning.
func (e *export) requests(ctx context.Context, params map[string]any) error {
	result, err := e.Do(ctx, Command{Session: e.session, Verb: &verbs.Requests, Params: params, Running: true})
	out, ok := result.Output.(*verbs.RequestsOut)
	if err != nil || !ok {
		e.warn(harName + " is missing: the session does not answer")
		return nil
	}
	return e.writeHAR(ctx, out.Requests)
}

func (e *export) writeHAR(ctx context.Context, requests []verbs.Request) error {
	if err := e.LoadFull(ctx); err != nil {
		return err
	}
	if err := e.full.WriteHAR(filepath.Join(e.dir, harName), requests); err != nil {
		return wire.OSError("writing "+harName, err)
	}
	e.files = append(e.files, harName)
	return nil
}
