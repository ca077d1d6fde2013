package broker

import (
	"log/slog"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// KeepOptions are for [Keep]. Log and Ready may be nil.
type KeepOptions struct {
	Root       sockets.Root
	Settings   wire.Settings
	Build      string
	Executable string // the stable copy of ours, to run the broker from
	Browser    string // the path of the browser's executable
	NoWindows  bool   // that browser is headless by itself and knows no --headless=new
	NoSandbox  string // why it has to run without its sandbox; empty: with it
	Environ    []string
	Log        *slog.Logger
	Ready      func(error) // called once, when the broker answers or will not
}

// ServeOptions are for [Serve]. All else comes from the keeper.
type ServeOptions struct {
	Root     sockets.Root
	Settings wire.Settings
	Build    string
	Log      *slog.Logger
	Ready    func(error)
}

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}
