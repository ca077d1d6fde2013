package cli

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestTimeoutsTravel(t *testing.T) {
	b := newBench(t)
	var got verbs.ElementIn
	b.serve("default", wire.Bind(verbs.Hover, func(_ context.Context, _ *wire.Call, in verbs.ElementIn) (verbs.HoverOut, error) {
		got = in
		return verbs.HoverOut{}, nil
	}))
	b.env["AGENT_BROWSER_DEFAULT_TIMEOUT"] = "700"
	b.file(filepath.Join(b.dir, "abrowser.json"), `{"timeout":800}`)
	for _, tt := range []struct {
		args        string
		want        int
		waitsInFull bool
	}{{"hover a --timeout 600", 600, true}, {"hover a", 700, false}} {
		if _, stderr, status := b.run(words(t, tt.args)...); status != 0 || got.Timeout != tt.want || got.WaitsInFull() != tt.waitsInFull {
			t.Errorf("%s sent timeout %d, waits in full %v (%q), want %+v", tt.args, got.Timeout, got.WaitsInFull(), stderr, tt)
		}
	}
	delete(b.env, "AGENT_BROWSER_DEFAULT_TIMEOUT")
	if _, stderr, status := b.run("hover", "a"); status != 0 || got.Timeout != 800 || got.WaitsInFull() {
		t.Errorf("hover sent timeout %d (%q), want the file's 800 as a default", got.Timeout, stderr)
	}
	b.file(filepath.Join(b.dir, "abrowser.json"), `{}`)
	if _, stderr, status := b.run("hover", "a"); status != 0 || got.Timeout != 0 || got.WaitsInFull() {
		t.Errorf("hover sent timeout %d (%q), want none", got.Timeout, stderr)
	}
}
