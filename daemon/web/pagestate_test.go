package web_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestPageState(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	open(t, s, "data:text/html,"+strings.ReplaceAll(`<title>State</title><header>top</header><nav aria-label=Main><a href="https://example.com/x">A <b>link</b></a></nav>
<main><h1>First</h1><h2 hidden>never</h2><div role=heading aria-level=3>Third</div>
<form><label>Name <input name=who value=Ann required></label><input type=password name=pw value=hunter2 placeholder=Password>
<input type=hidden name=token value=t0ps3cret><label><input type=checkbox checked> Agree</label>
<input name=mail aria-label=Mail aria-invalid=true aria-errormessage=why><p id=why>no such address</p>
<select name=s><option>one</select><textarea disabled>text</textarea><button disabled>Send</button><input type=submit value=Go></form>
<div role=alert>It failed</div><div role=alert></div><div id=host></div></main>
<script>host.attachShadow({mode:'open'}).innerHTML='<button>Inside</button>'</script>`, "\n", ""))
	got := do(t, s, verbs.PageState, verbs.TabIn{})
	got.URL = ""
	want := verbs.PageStateOut{
		Title:    "State",
		Headings: []verbs.PageHeading{{Level: 1, Text: "First"}, {Level: 3, Text: "Third"}},
		Links:    []verbs.PageLink{{Text: "A link", URL: "https://example.com/x"}},
		Buttons:  []verbs.PageButton{{Text: "Send", Disabled: true}, {Text: "Go"}, {Text: "Inside"}},
		Inputs: []verbs.PageInput{
			{Type: "text", Name: "who", Label: "Name", Value: "Ann", Required: true},
			{Type: "password", Name: "pw", Label: "Password"},
			{Type: "checkbox", Label: "Agree", Checked: true},
			{Type: "text", Name: "mail", Label: "Mail", Invalid: true},
			{Type: "select-one", Name: "s", Value: "one"},
			{Type: "textarea", Value: "text", Disabled: true},
		},
		Landmarks: []verbs.PageLandmark{{Role: "banner"}, {Role: "navigation", Name: "Main"}, {Role: "main"}},
		Errors:    []string{"Mail: no such address", "It failed"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if text := got.Text(); !strings.Contains(text, "\nbutton: Send [disabled]\n") || !strings.Contains(text, "\ntext: Name Ann [required]\n") {
		t.Errorf("as text:\n%s", text)
	}
}
