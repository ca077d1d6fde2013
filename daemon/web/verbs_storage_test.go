package web_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	fails(t, s, verbs.LocalStorageGet, verbs.StorageGetIn{}, wire.CodeNotFound) // about:blank has no storage
	open(t, s, hostURL(web, "storage", "/page/one"))
	open(t, other, hostURL(web, "storage", "/page/two"))
	for _, area := range []struct {
		name   string
		get    wire.Verb[verbs.StorageGetIn, verbs.StorageGetOut]
		set    wire.Verb[verbs.StorageSetIn, verbs.SetOut]
		clear  wire.Verb[verbs.Empty, verbs.StorageClearOut]
		shared bool
	}{
		{"localStorage", verbs.LocalStorageGet, verbs.LocalStorageSet, verbs.LocalStorageClear, true},
		{"sessionStorage", verbs.SessionStorageGet, verbs.SessionStorageSet, verbs.SessionStorageClear, false},
	} {
		t.Run(area.name, func(t *testing.T) {
			if got := do(t, s, area.get, verbs.StorageGetIn{}); got.Text() != "No storage entries" {
				t.Errorf("at first the storage has %+v", got)
			}
			if got := do(t, s, area.set, verbs.StorageSetIn{Key: "a", Value: "1 ü\n2"}); !got.Set {
				t.Errorf("set answers %+v", got)
			}
			if got := eval(t, s, area.name+".a"); got != `"1 \u00fc\n2"` {
				t.Errorf("the page reads %s", got)
			}
			eval(t, s, area.name+".b = ''")
			if got := do(t, s, area.get, verbs.StorageGetIn{}); got.Text() != "a: 1 ü\n2\nb: " {
				t.Errorf("the storage has %+v", got)
			}
			if got := do(t, s, area.get, verbs.StorageGetIn{Key: "a"}); got.Value == nil || *got.Value != "1 ü\n2" {
				t.Errorf("the key has %+v", got)
			}
			if got := do(t, s, area.get, verbs.StorageGetIn{Key: "zz"}); got.Key != "zz" || got.Value != nil {
				t.Errorf("a key that does not exist has %+v", got)
			}
			if _, _, err := ask(t, s, area.set, verbs.StorageSetIn{Key: "a", Value: strings.Repeat("x", 6<<20)}); !errors.Is(err, wire.CodeBadInput) {
				t.Errorf("a value of 6 MB = %v", err)
			}
			if got := do(t, other, area.get, verbs.StorageGetIn{}); (len(got.Entries) == 2) != area.shared {
				t.Errorf("another session's page of the origin has %d entries", len(got.Entries))
			}
			if got := do(t, s, area.clear, verbs.Empty{}); !got.Cleared || got.Removed != 2 || got.Origin != hostURL(web, "storage", "") {
				t.Errorf("clear answers %+v", got)
			}
			if got := eval(t, s, area.name+".length"); got != "0" {
				t.Errorf("after clear the page has %s entries", got)
			}
		})
	}
}

// If an entry does not fit into the space that is left in a storage, the browser reports no error,
// but the verb does.
func TestStorageThatIsFull(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, hostURL(web, "full", "/page/one"))
	eval(t, s, "sessionStorage.x = 'x'.repeat(5 * 1024 * 1024 - 100), 0")
	fails(t, s, verbs.SessionStorageSet, verbs.StorageSetIn{Key: "a", Value: strings.Repeat("y", 200)}, wire.CodeBadInput)
	if got := eval(t, s, "sessionStorage.length"); got != "1" {
		t.Errorf("the storage has %s entries", got)
	}
}
