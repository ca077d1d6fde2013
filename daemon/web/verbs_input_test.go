package web_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func text(t testing.TB, s *daemontest.Session, selector string) string {
	t.Helper()
	return do(t, s, verbs.GetText, verbs.GetIn{Element: element(selector)}).Value
}

func value(t testing.TB, s *daemontest.Session, selector string) string {
	t.Helper()
	return do(t, s, verbs.GetValue, verbs.GetIn{Element: element(selector)}).Value
}

func open(t testing.TB, s *daemontest.Session, url string) verbs.OpenOut {
	t.Helper()
	return do(t, s, verbs.Open, verbs.OpenIn{URL: url})
}

func TestInput(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	tests := []struct {
		name string
		act  func(t *testing.T)
		see  func(t *testing.T) string
		want string
	}{
		{
			"fill replaces",
			func(t *testing.T) {
				do(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "Ada Lovelace"})
			},
			func(t *testing.T) string { return value(t, s, "#name") }, "Ada Lovelace",
		},
		{
			"fill of a date",
			func(t *testing.T) { do(t, s, verbs.Fill, verbs.FillIn{Element: element("#day"), Text: "2024-02-29"}) },
			func(t *testing.T) string { return value(t, s, "#day") }, "2024-02-29",
		},
		{
			"type appends",
			func(t *testing.T) {
				do(t, s, verbs.Type, verbs.TypeIn{Element: element("#notes"), Text: "one"})
				do(t, s, verbs.Type, verbs.TypeIn{Element: element("#notes"), Text: " two, a longer text than one part of it"})
			},
			func(t *testing.T) string { return value(t, s, "#notes") }, "one two, a longer text than one part of it",
		},
		{
			"type --clear --delay",
			func(t *testing.T) {
				do(t, s, verbs.Type, verbs.TypeIn{Element: element("#notes"), Text: "new", Clear: true, Delay: 20})
			},
			func(t *testing.T) string { return value(t, s, "#notes") }, "new",
		},
		{
			"press a chord",
			func(t *testing.T) {
				do(t, s, verbs.Focus, verbs.ElementIn{Element: element("#notes")})
				do(t, s, verbs.Press, verbs.PressIn{Key: "Control+a"})
				do(t, s, verbs.Press, verbs.PressIn{Key: "x"})
			},
			func(t *testing.T) string { return value(t, s, "#notes") }, "x",
		},
		{
			"check",
			func(t *testing.T) { do(t, s, verbs.Check, verbs.ElementIn{Element: element("#agree")}) },
			func(t *testing.T) string { return text(t, s, "#out") }, "agree true",
		},
		{
			"uncheck",
			func(t *testing.T) { do(t, s, verbs.Uncheck, verbs.ElementIn{Element: element("#agree")}) },
			func(t *testing.T) string { return text(t, s, "#out") }, "agree false",
		},
		{
			"check a radio button",
			func(t *testing.T) { do(t, s, verbs.Check, verbs.ElementIn{Element: element("#large")}) },
			func(t *testing.T) string { return eval(t, s, "document.querySelector('#large').checked") }, "true",
		},
		{
			"select by label",
			func(t *testing.T) {
				do(t, s, verbs.Select, verbs.SelectIn{Element: element("#colour"), Values: []string{"Green"}})
			},
			func(t *testing.T) string { return value(t, s, "#colour") }, "g",
		},
		{
			"select by value",
			func(t *testing.T) {
				do(t, s, verbs.Select, verbs.SelectIn{Element: element("#colour"), Values: []string{"b"}})
			},
			func(t *testing.T) string { return value(t, s, "#colour") }, "b",
		},
		{
			"select several",
			func(t *testing.T) {
				do(t, s, verbs.Select, verbs.SelectIn{Element: element("#fruits"), Values: []string{"Apple", "Plum"}})
			},
			func(t *testing.T) string {
				return eval(t, s, "Array.from(document.querySelector('#fruits').selectedOptions, o => o.value).join()")
			}, `"Apple,Plum"`,
		},
		{
			"dblclick",
			func(t *testing.T) { do(t, s, verbs.Dblclick, verbs.ElementIn{Element: element("#double")}) },
			func(t *testing.T) string { return text(t, s, "#out") }, "doubled",
		},
		{
			"hover",
			func(t *testing.T) { do(t, s, verbs.Hover, verbs.ElementIn{Element: element("#hover")}) },
			func(t *testing.T) string { return text(t, s, "#out") }, "hovered",
		},
		{
			"focus",
			func(t *testing.T) { do(t, s, verbs.Focus, verbs.ElementIn{Element: element("#search")}) },
			func(t *testing.T) string { return text(t, s, "#out") }, "focused",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.act(t)
			if got := tt.see(t); got != tt.want {
				t.Errorf("the page shows %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInputRefuses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	miss := fails(t, s, verbs.Select, verbs.SelectIn{Element: element("#colour"), Values: []string{"zzz"}}, wire.CodeNotFound)
	if !strings.Contains(miss.Message, `r ("Red"), g ("Green")`) {
		t.Errorf("the error %q does not list the options", miss.Message)
	}
	fails(t, s, verbs.Select, verbs.SelectIn{Element: element("#name"), Values: []string{"x"}}, wire.CodeNotActionable)
	fails(t, s, verbs.Fill, verbs.FillIn{Element: element("h1"), Text: "x"}, wire.CodeNotActionable)
	fails(t, s, verbs.Check, verbs.ElementIn{Element: element("h1")}, wire.CodeNotActionable)
	fails(t, s, verbs.Press, verbs.PressIn{Key: "NoSuchKey"}, wire.CodeBadInput)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("a[")}, wire.CodeBadInput)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("//h1[")}, wire.CodeBadInput)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("nosuch=engine")}, wire.CodeBadInput)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("aria-ref=e1")}, wire.CodeBadInput)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("#nope"), TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotFound)
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("#send"), TimeoutIn: verbs.TimeoutIn{Timeout: 1 << 40}}, wire.CodeBadInput)
}

func TestActionsWaitForTheElement(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct {
		name, selector, reason string
		after                  string // a script that makes the element ready
	}{
		{"disabled", "#disabled", "is not enabled", "document.querySelector('#disabled').disabled = false"},
		{"hidden", "#hidden", "not visible", "document.querySelector('#hidden').style.display = ''"},
		{"covered", "#covered", "covered by", "document.querySelector('#cover').remove()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/states"))
			err := fails(t, s, verbs.Click, verbs.ClickIn{Element: element(tt.selector), TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotActionable)
			if !strings.Contains(err.Message, tt.reason) {
				t.Errorf("the error is %q, want the reason %q", err.Message, tt.reason)
			}
			if got := text(t, s, "#out"); got != "" {
				t.Fatalf("it was clicked all the same: %q", got)
			}
			eval(t, s, "setTimeout(() => { "+tt.after+" }, 1200), 0")
			do(t, s, verbs.Click, verbs.ClickIn{Element: element(tt.selector)})
			if got := len(strings.Fields(text(t, s, "#out"))); got != 1 {
				t.Errorf("it was clicked %d times, want once", got)
			}
		})
	}
}

// Even if the timeout comes before the first check of the element, the error says what the element
// lacks.
func TestTooShortTimeout(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	snapshot(t, s) // loads Playwright's script into the page
	short := verbs.TimeoutIn{Timeout: 1}
	// After the timeout, the driver gives the page one second for a single check. On a busy machine
	// a page may take longer, and the error says so. The test then tries again.
	hover := func(selector string) (err error) {
		for range 20 {
			_, _, err = ask(t, s, verbs.Hover, verbs.ElementIn{Element: element(selector), TimeoutIn: short})
			if !strings.Contains(fmt.Sprint(err), "not ready in time") {
				break
			}
		}
		return err
	}
	if err := hover("#hidden"); !errors.Is(err, wire.CodeNotActionable) || !strings.Contains(err.Error(), "not visible") {
		t.Errorf("the error for an element that is not visible is %v", err)
	}
	if err := hover("#nothing"); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("the error for an element that does not exist is %v", err)
	}
	if err := fails(t, s, verbs.Hover, verbs.ElementIn{Element: element(".many"), TimeoutIn: short}, wire.CodeTimeout); !strings.Contains(err.Message, "not ready in time") {
		t.Errorf("the error is %q", err.Message)
	}
}

func TestSeveralMatch(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	_, warnings, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element(".many")})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "3 elements") {
		t.Errorf("click of three = %q, %v, want one warning", warnings, err)
	}
	if got := text(t, s, "#out"); got != "First" {
		t.Errorf("%q was clicked, want the first", got)
	}
	_, warnings, err = ask(t, s, verbs.GetText, verbs.GetIn{Element: element(".many")})
	if err != nil || len(warnings) != 1 {
		t.Errorf("get text of three = %q, %v, want one warning", warnings, err)
	}
}

func TestClickWithButtonAndModifier(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	eval(t, s, "addEventListener('mousedown', e => document.title = e.button + ' ' + e.shiftKey), 0")
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("h1"), Button: "right", Modifiers: []string{"Shift"}})
	if got := do(t, s, verbs.GetTitle, verbs.TabIn{}).Title; got != "2 true" {
		t.Errorf("the page saw %q, want the right button with Shift", got)
	}
}

func TestScroll(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/tall"))
	do(t, s, verbs.Scroll, verbs.ScrollIn{Amount: 250, Direction: "down"})
	do(t, s, verbs.Scroll, verbs.ScrollIn{Amount: 50, Direction: "up"})
	if got := eval(t, s, "scrollY"); got != "200" {
		t.Errorf("scrollY = %s, want 200", got)
	}
}

func TestErrorsAreCoded(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("e99"), Text: "x"})
	if !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("fill of an unknown ref = %v, want %s", err, wire.CodeNotFound)
	}
}
