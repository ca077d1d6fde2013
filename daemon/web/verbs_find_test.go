package web_test

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const findPage = `(() => {
	document.body.innerHTML = '<button title="Send all">Send it</button><button>Cancel</button><button>send</button>' +
		'<label>Mail <input id="mail" placeholder="you@example.com" data-testid="mail-field"></label><label><input type="checkbox" id="box"> Agree "now"</label>' +
		'<img alt="Logo" width="20" height="20" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><ul><li>one</li><li>two</li><li>three</li></ul>';
	window.log = [];
	addEventListener("click", (e) => log.push(e.target.textContent || e.target.alt || e.target.id));
	return 0;
})()`

func TestFind(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, findPage)
	for _, tt := range []struct {
		in   verbs.FindIn
		want string // what was clicked
	}{
		{verbs.FindIn{By: "role", Value: "button", Name: "cancel"}, "Cancel"},
		{verbs.FindIn{By: "role", Value: "button", Name: "send", Exact: true}, "send"},
		{verbs.FindIn{By: "text", Value: "send it"}, "Send it"},
		{verbs.FindIn{By: "text", Value: "send", Exact: true}, "send"},
		{verbs.FindIn{By: "title", Value: "Send all"}, "Send it"},
		{verbs.FindIn{By: "alt", Value: "logo"}, "Logo"},
		{verbs.FindIn{By: "placeholder", Value: "you@"}, "mail"},
		{verbs.FindIn{By: "testid", Value: "mail-field"}, "mail"},
		{verbs.FindIn{By: "label", Value: "mail"}, "mail"},
		{verbs.FindIn{By: "label", Value: `Agree "now"`}, "box"},
		{verbs.FindIn{By: "first", Value: "li"}, "one"},
		{verbs.FindIn{By: "last", Value: "li"}, "three"},
		{verbs.FindIn{By: "nth", Value: "1", Action: []string{"li"}}, "two"},
		{verbs.FindIn{By: "nth", Value: "1", Action: []string{"li", "click"}}, "two"},
	} {
		eval(t, s, "log.length = 0")
		if out := do(t, s, verbs.FindElement, tt.in); out.Clicked == "" {
			t.Errorf("find %+v = %+v", tt.in, out)
		}
		if got := eval(t, s, "log[0]"); got != `"`+tt.want+`"` {
			t.Errorf("find %+v clicked %s, want %s", tt.in, got, tt.want)
		}
	}
	do(t, s, verbs.FindElement, verbs.FindIn{By: "label", Value: "Mail", Action: []string{"fill", "a", "b"}})
	if got := value(t, s, "#mail"); got != "a b" {
		t.Errorf("find ... fill wrote %q", got)
	}
	do(t, s, verbs.FindElement, verbs.FindIn{By: "testid", Value: "mail-field", Action: []string{"type", "c"}})
	if got := value(t, s, "#mail"); !strings.Contains(got, "c") {
		t.Errorf("find ... type left %q", got)
	}
	do(t, s, verbs.FindElement, verbs.FindIn{By: "label", Value: "Agree", Action: []string{"uncheck"}})
	if do(t, s, verbs.IsChecked, verbs.GetIn{Element: element("#box")}).Checked {
		t.Error("find ... uncheck left the box checked")
	}
	if out := do(t, s, verbs.FindElement, verbs.FindIn{By: "nth", Value: "2", Action: []string{"li", "text"}}); out.Found == nil || *out.Found != "three" {
		t.Errorf("find nth 2 li text = %+v", out)
	}
}

// If nothing matches, the error names existing elements of the requested kind. Bad input is refused
// at once.
func TestFindMisses(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, findPage)
	short := verbs.TimeoutIn{Timeout: 4000}
	for _, tt := range []struct {
		in   verbs.FindIn
		code wire.Code
		want string
	}{
		{verbs.FindIn{By: "role", Value: "button", Name: "Zed", TimeoutIn: short}, wire.CodeNotFound, `button "Zed"; the page has 3 named buttons: Send it, Cancel, send`},
		{verbs.FindIn{By: "placeholder", Value: "Zed", TimeoutIn: short}, wire.CodeNotFound, "the page has 1 placeholder: you@example.com"},
		{verbs.FindIn{By: "testid", Value: "mail", TimeoutIn: short}, wire.CodeNotFound, "mail-field"},
		{verbs.FindIn{By: "text", Value: "Zed", Action: []string{"text"}}, wire.CodeNotFound, `text "Zed"`},
		{verbs.FindIn{By: "role", Value: "button]"}, wire.CodeBadInput, "not a role"},
		{verbs.FindIn{By: "text", Value: "x", Action: []string{"jump"}}, wire.CodeBadInput, "unknown action"},
		{verbs.FindIn{By: "text", Value: "x", Action: []string{"fill"}}, wire.CodeBadInput, "takes a text"},
		{verbs.FindIn{By: "text", Value: "x", Action: []string{"click", "y"}}, wire.CodeBadInput, "takes no text"},
		{verbs.FindIn{By: "text", Value: "x", Name: "y"}, wire.CodeBadInput, "find role"},
		{verbs.FindIn{By: "nth", Value: "two", Action: []string{"li"}}, wire.CodeBadInput, "an index and a selector"},
		{verbs.FindIn{By: "first", Value: "@e1"}, wire.CodeBadInput, "takes a selector"},
		{verbs.FindIn{By: "colour", Value: "red"}, wire.CodeBadInput, "by"},
	} {
		if err := fails(t, s, verbs.FindElement, tt.in, tt.code); !strings.Contains(err.Message, tt.want) {
			t.Errorf("find %+v fails with %q, want %q", tt.in, err.Message, tt.want)
		}
	}
	if got := eval(t, s, "log.length"); got != "0" {
		t.Errorf("the page got %s clicks", got)
	}
}
