package web_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// busyAfterCount makes the page busy for a time as soon as the daemon has counted the elements that
// match a selector. Playwright runs the counting script with window.eval in the page's main world,
// so busyAfterCount replaces this function.
func busyAfterCount(t *testing.T, s *daemontest.Session, busy time.Duration) {
	t.Helper()
	eval(t, s, fmt.Sprintf(`(() => {
		const real = window.eval
		const spin = () => { for (const end = Date.now() + %d; Date.now() < end;); }
		window.eval = (code) => {
			if (code.includes("all.length")) {
				window.eval = real
				setTimeout(spin)
			}
			return real(code)
		}
		return 0
	})()`, busy.Milliseconds()))
}

// isBusyTimeout reports whether an error says that the page did not answer in time.
func isBusyTimeout(err error) bool {
	return errors.Is(err, wire.CodeTimeout) && wire.AsError(err).Hint != ""
}

// If a page has the element, but is busy until the command's time is over, the error does not say
// that the element is missing.
func TestReadOfABusyPage(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	in := verbs.GetIn{Element: element("#agree")}
	for name, read := range map[string]func(*daemontest.Session) error{
		"is enabled": func(s *daemontest.Session) error { _, _, err := ask(t, s, verbs.IsEnabled, in); return err },
		"is checked": func(s *daemontest.Session) error { _, _, err := ask(t, s, verbs.IsChecked, in); return err },
		"get box":    func(s *daemontest.Session) error { _, _, err := ask(t, s, verbs.GetBox, in); return err },
		"find text": func(s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.FindElement, verbs.FindIn{By: "first", Value: "#agree", Action: []string{"text"}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := home.Start(t)
			open(t, s, web.URL("/form"))
			busyAfterCount(t, s, 7*time.Second)
			if err := read(s); !isBusyTimeout(err) {
				t.Errorf("the read = %v, want a timeout with a hint", err)
			}
		})
	}
}

// A page whose answer comes shortly before the end of a command's time has time to be read all the
// same.
func TestReadAfterALateCount(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for name, read := range map[string]func() bool{
		"is enabled": func() bool { return do(t, s, verbs.IsEnabled, verbs.GetIn{Element: element("#agree")}).Enabled },
		"find text": func() bool {
			found := do(t, s, verbs.FindElement, verbs.FindIn{By: "first", Value: "label", Action: []string{"text"}, TimeoutIn: verbs.TimeoutIn{Timeout: 5000}}).Found
			return found != nil
		},
	} {
		open(t, s, web.URL("/form"))
		// The elements are counted 200 ms before the end of the command's 5 s. Then the page is busy.
		busyAfterCount(t, s, time.Second)
		eval(t, s, `(() => {
			const real = window.eval, end = Date.now() + 4800
			window.eval = (code) => {
				while (code.includes("all.length") && Date.now() < end);
				return real(code)
			}
			return 0
		})()`)
		if !read() {
			t.Errorf("%s read nothing", name)
		}
	}
}

// A page that answers a moment after the limit of a read is slow and not wedged.
func TestReadOfASlowPage(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	// A read has 5 s, and Playwright's call one second more. The page's diagnosis then takes one
	// second at least. The page is busy until a fixed time, however late it gets the call.
	eval(t, s, `(() => {
		const real = window.eval, end = Date.now() + 6400
		window.eval = (code) => {
			while (code.includes("all.length") && Date.now() < end);
			return real(code)
		}
		return 0
	})()`)
	if got := do(t, s, verbs.GetCount, verbs.GetIn{Element: element("#agree")}).Count; got != 1 {
		t.Errorf("get count = %d, want 1", got)
	}
}
