package web

import (
	"context"
	"os"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// upload gives files to a file field. The browser reads them when the page does.
func (c *pageCall) upload(ctx context.Context, in verbs.UploadIn) (verbs.UploadOut, error) {
	params, err := uploadParams(in)
	if err != nil {
		return verbs.UploadOut{}, err
	}
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.UploadOut{}, err
	}
	done, err := c.performInDriver(ctx, at, action{name: "upload", verb: "upload", params: params})
	if err != nil {
		return verbs.UploadOut{}, err
	}
	switch {
	case done.unopened:
		return verbs.UploadOut{}, wire.Errorf(wire.CodeNotActionable, "%q was clicked and opened no file chooser", in.Selector).WithHint(daemon.HintSnapshot)
	case done.lacks != "":
		return verbs.UploadOut{}, wire.Errorf(wire.CodeNotActionable, "%q was clicked, and %s", in.Selector, done.lacks).WithHint(daemon.HintSnapshot)
	}
	return verbs.UploadOut{Selector: in.Selector, Uploaded: len(in.Files), Effects: c.effects(ctx)}, nil
}

func checkUpload(in verbs.UploadIn) error {
	_, err := uploadParams(in)
	return err
}

// uploadParams returns the driver's parameters. It returns an error if a file cannot be read.
func uploadParams(in verbs.UploadIn) (map[string]any, error) {
	for _, path := range in.Files {
		file, err := os.Open(path)
		if err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("abrowser help upload")
		}
		info, err := file.Stat()
		_ = file.Close() // nothing was written
		switch {
		case err != nil:
			return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("abrowser help upload")
		case info.IsDir() && len(in.Files) > 1:
			return nil, wire.Errorf(wire.CodeBadInput, "%s is a directory; it can only be uploaded alone", path).WithHint("abrowser help upload")
		case info.IsDir():
			return map[string]any{"directory": path}, nil
		}
	}
	return map[string]any{"files": in.Files}, nil
}
