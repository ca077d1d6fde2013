package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	_ "image/png" // decodes screenshots
	"os"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// home is the root directory, with its browser, that all tests of the package share.
var home *daemontest.Home //nolint:gochecknoglobals // TestMain has no other way to hand it to the tests

func TestMain(m *testing.M) { os.Exit(daemontest.Run(m, &home)) }

// patience is the limit of every wait in the tests. No command's own time limit is longer.
const patience = 40 * time.Second

// ask runs a verb and returns its output, its warnings and its error.
func ask[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In) (Out, []string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	return client.Do(ctx, s.Client, v, in)
}

// do runs a verb that must succeed.
func do[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In) Out {
	t.Helper()
	out, _, err := ask(t, s, v, in)
	if err != nil {
		t.Fatalf("%s(%+v) = %v, hint %q", v.Name, in, err, wire.AsError(err).Hint)
	}
	return out
}

// fails runs a verb that must fail with the given code, and returns the error.
func fails[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In, code wire.Code) wire.Error {
	t.Helper()
	out, _, err := ask(t, s, v, in)
	if !errors.Is(err, code) {
		t.Fatalf("%s(%+v) = %+v, %v (%v), want the error %s", v.Name, in, out, err, wire.AsError(err), code)
	}
	coded := wire.AsError(err)
	if coded.Hint == "" && code != wire.CodeEvaluation && code != wire.CodeInterrupted && code != wire.CodeNavigation {
		t.Errorf("%s(%+v) fails without a hint: %v", v.Name, in, err)
	}
	return *coded
}

func element(selector string) verbs.Element { return verbs.Element{Selector: selector} }

func eval(t testing.TB, s *daemontest.Session, script string) string {
	t.Helper()
	return string(do(t, s, verbs.Eval, verbs.EvalIn{Script: script}).Result)
}

func sizeOf(t testing.TB, picture []byte) (width, height int) {
	t.Helper()
	c, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		t.Fatalf("the picture cannot be read: %v", err)
	}
	return c.Width, c.Height
}

// step returns a command of a batch.
func step(t testing.TB, verb string, in any) verbs.Step {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.Step{Command: []string{verb}, Verb: verb, In: raw}
}
