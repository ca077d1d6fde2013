package args

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestParseParams(t *testing.T) {
	tests := []struct {
		args string // split as a shell does
		verb string
		want string // the request
	}{
		{"open https://example.com", "open", `{"url":"https://example.com"}`},
		{"goto example.com --timeout 500", "open", `{"timeout":500,"url":"example.com"}`},
		{"open", "open", `{}`},
		{"fill '#a' hello big world", "fill", `{"selector":"#a","text":"hello big world"}`},
		{"fill '#a' -5", "fill", `{"selector":"#a","text":"-5"}`},
		{"fill '#a' -x", "fill", `{"selector":"#a","text":"-x"}`},
		{"fill '#a' -hello", "fill", `{"selector":"#a","text":"-hello"}`},
		{"fill '#a' ''", "fill", `{"selector":"#a","text":""}`},
		{"fill '#a' true", "fill", `{"selector":"#a","text":"true"}`},
		{"fill --json '#a' true", "fill", `{"selector":"#a","text":"true"}`},
		{"fill '#a' 'a  b' c", "fill", `{"selector":"#a","text":"a  b c"}`},
		{"type '#a' --foo", "type", `{"selector":"#a","text":"--foo"}`},
		{"type '#a' --foo=bar baz", "type", `{"selector":"#a","text":"--foo=bar baz"}`},
		{"type '#a' x --clear --delay 10", "type", `{"clear":true,"delay":10,"selector":"#a","text":"x"}`},
		{"type '#a' -- --clear -- x", "type", `{"selector":"#a","text":"--clear -- x"}`},
		{"type --clear=false '#a' x", "type", `{"clear":false,"selector":"#a","text":"x"}`},
		{"scroll down -100", "scroll", `{"amount":-100,"direction":"down"}`},
		{"scroll", "scroll", `{}`},
		{"scroll up 50 -s main", "scroll", `{"amount":50,"direction":"up","selector":"main"}`},
		{"select '#a' Red -1", "select", `{"selector":"#a","values":["Red","-1"]}`},
		{"press Control+a", "press", `{"key":"Control+a"}`},
		{"key -", "press", `{"key":"-"}`},
		{"click e2 --new-tab", "click", `{"newTab":true,"selector":"e2"}`},
		{"click e2 --new-tab false", "click", `{"newTab":false,"selector":"e2"}`},
		{"click @e2 --button=right --modifiers Alt,Shift", "click", `{"button":"right","modifiers":["Alt","Shift"],"selector":"@e2"}`},
		{"click e2 --modifiers Alt --modifiers Shift", "click", `{"modifiers":["Alt","Shift"],"selector":"e2"}`},
		{"snapshot -ic -d 3 -s main", "snapshot", `{"compact":true,"depth":3,"interactive":true,"selector":"main"}`},
		{"snapshot -d3 -smain -u", "snapshot", `{"depth":3,"selector":"main","urls":true}`},
		{"get text h1", "get text", `{"selector":"h1"}`},
		{"--session a get --json text h1", "get text", `{"selector":"h1"}`},
		{"get attr a href", "get attr", `{"attribute":"href","selector":"a"}`},
		{"wait 500", "wait", `{"what":"500"}`},
		{"wait --text -5", "wait", `{"text":"-5"}`},
		{"wait --text=--json", "wait", `{"text":"--json"}`},
		{"wait -t Hello --timeout 10", "wait", `{"text":"Hello","timeout":10}`},
		{"wait '#a' --state hidden", "wait", `{"state":"hidden","what":"#a"}`},
		{"wait --fn 1==1", "wait", `{"fn":"1==1"}`},
		{"tab", "tab list", `{}`},
		{"tabs", "tabs", `{}`},
		{"tab --all", "tab list", `{"all":true}`},
		{"tab --json list", "tab list", `{}`},
		{"tab t2", "tab switch", `{"tab":"t2"}`},
		{"tab --session x docs", "tab switch", `{"tab":"docs"}`},
		{"tab switch list", "tab switch", `{"tab":"list"}`},
		{"tab new --label docs example.com", "tab new", `{"label":"docs","url":"example.com"}`},
		{"tab close", "tab close", `{}`},
		{"tab prune --older-than 12h --prefix ci-", "tab prune", `{"olderThan":"12h","prefix":"ci-"}`},
		{"session", "session", `{}`},
		{"session list", "session list", `{}`},
		{"--headed false quit --page", "close", `{"page":true}`},
		{"eval 1 + 1", "eval", `{"script":"1 + 1"}`},
		{"eval -1", "eval", `{"script":"-1"}`},
		{"eval -b MSsx", "eval", `{"base64":true,"script":"MSsx"}`},
		{"screenshot '#a' x.png -f", "screenshot", `{"full":true,"path":"x.png","selector":"#a"}`},
		{"cdp", "cdp", `{}`},
		{"cdp --port 9222 --json", "cdp", `{"port":9222}`},
		{"cdp --port 9222 -- npx tool --port 1 --json -- {cdp}", "cdp", `{"command":["npx","tool","--port","1","--json","--","{cdp}"],"port":9222}`},
		{`batch "get title" "get url" --bail`, "batch", `{"bail":true,"commands":["get title","get url"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			l, err := Parse(words(t, tt.args))
			if err != nil {
				t.Fatalf("Parse(%s): %v", tt.args, err)
			}
			got, err := json.Marshal(l.Params)
			if err != nil {
				t.Fatal(err)
			}
			if name := l.Verb.Describe().Name; name != tt.verb || string(got) != tt.want {
				t.Errorf("Parse(%s) = %s %s, want %s %s", tt.args, name, got, tt.verb, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		args, message, hint string // parts of them
		code                wire.Code
	}{
		{"opne x", "unknown command opne", "did you mean abrowser open?", wire.CodeUnknownVerb},
		{"xyzzy", "unknown command xyzzy", "abrowser help", wire.CodeUnknownVerb},
		{"daemons", "unknown command daemons", "abrowser help", wire.CodeUnknownVerb},
		{"get txt h1", "unknown command get txt; get takes attr, attributes, box", "did you mean abrowser get text?", wire.CodeBadInput},
		{"session lst", "unknown command session lst", "did you mean abrowser session list?", wire.CodeBadInput},
		{"click", "click needs SELECTOR: a selector, or a ref", "usage: abrowser click SELECTOR [flags]", wire.CodeBadInput},
		{"fill '#a'", "fill needs TEXT...", "usage: abrowser fill SELECTOR TEXT... [flags]", wire.CodeBadInput},
		{"click ''", "click's SELECTOR is empty", "abrowser click --help", wire.CodeBadInput},
		{"open ''", "open's URL is empty", "", wire.CodeBadInput},
		{"get url x", `get url takes no argument, but got "x" too`, "usage: abrowser get url", wire.CodeBadInput},
		{"click a b", `click takes one argument, but got "b" too`, "usage:", wire.CodeBadInput},
		{"click a --newtab", "unknown flag --newtab", "did you mean --new-tab?", wire.CodeBadInput},
		{"click a --bogus=1", "unknown flag --bogus", "abrowser click --help", wire.CodeBadInput},
		{"fill --bogus '#a' x", "unknown flag --bogus", "abrowser fill --help", wire.CodeBadInput},
		{"--proxy http://127.0.0.1:1 open", "unknown flag --proxy", "--proxy-server=", wire.CodeBadInput},
		{"open --headers {} a.example", "unknown flag --headers", "abrowser set headers JSON", wire.CodeBadInput},
		{"snapshot -iz", "unknown flag -iz", "", wire.CodeBadInput},
		{"--ful screenshot", "unknown flag --ful", "abrowser help", wire.CodeBadInput},
		{"open --incognito a.example", "unknown flag --incognito", "abrowser --mode incognito open URL", wire.CodeBadInput},
		{"wait --timeout abc", `--timeout takes a whole number (the longest time to wait, in milliseconds), not "abc"`, "abrowser wait --help", wire.CodeBadInput},
		{"wait --timeout -5", "--timeout takes 1 or more", "", wire.CodeBadInput},
		{"wait --timeout 0", "--timeout takes 1 or more", "", wire.CodeBadInput},
		{"wait --timeout", "--timeout needs a value", "", wire.CodeBadInput},
		{"wait --timeout --json", "--timeout needs a value", "", wire.CodeBadInput},
		{"--session", "--session needs a value", "", wire.CodeBadInput},
		{"--session --json open", "--session needs a value", "", wire.CodeBadInput},
		{"wait x --state gone", `--state takes visible, hidden, attached, detached, not "gone"`, "", wire.CodeBadInput},
		{"scroll sideways", `scroll's DIRECTION takes up, down, left, right, not "sideways"`, "", wire.CodeBadInput},
		{"scroll dwn", "scroll's DIRECTION takes", "did you mean down?", wire.CodeBadInput},
		{"scroll down far", "scroll's AMOUNT takes a whole number", "", wire.CodeBadInput},
		{"click a --new-tab=perhaps", `--new-tab takes true or false, not "perhaps"`, "", wire.CodeBadInput},
		{"cdp npx tool", `"npx" has to follow --`, "abrowser cdp --help", wire.CodeBadInput},
		{"cdp --port 1 npx --port {cdp}", `"npx" has to follow --`, "", wire.CodeBadInput},
		{"cdp --", "nothing follows --", "", wire.CodeBadInput},
		{"click a --modifiers Alt,Hyper", `--modifiers takes Alt, Control, Meta, Shift, not "Hyper"`, "", wire.CodeBadInput},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			_, err := Parse(words(t, tt.args))
			if !errors.Is(err, tt.code) {
				t.Fatalf("Parse(%s) = %v, want code %s", tt.args, err, tt.code)
			}
			e := wire.AsError(err)
			if !strings.Contains(e.Message, tt.message) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("Parse(%s) = %q, hint %q, want %q, hint %q", tt.args, e.Message, e.Hint, tt.message, tt.hint)
			}
			if status := wire.ExitStatus(e.Code); status != wire.ExitUsage {
				t.Errorf("Parse(%s): status %d, want %d", tt.args, status, wire.ExitUsage)
			}
		})
	}
}

func TestParseGlobalFlags(t *testing.T) {
	tests := []struct{ args, want string }{
		{"--session a --json open x", `{"json":true,"session":"a"}`},
		{"open x --session a --json", `{"json":true,"session":"a"}`},
		{"open --session=a x --headed=false", `{"headed":false,"session":"a"}`},
		{"--headed true open x", `{"headed":true}`},
		{"open x --args --a,--b --args=--c", `{"args":["--a","--b","--c"]}`},
		{"get --session a url -h", `{"help":true,"session":"a"}`},
		{"-V", `{"version":true}`},
		{"--session= open", `{"session":""}`},
		{"fill '#a' x --max-output 5", `{"maxOutput":5}`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			l, err := Parse(words(t, tt.args))
			if err != nil {
				t.Fatalf("Parse(%s): %v", tt.args, err)
			}
			got, err := json.Marshal(l.Global)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("Parse(%s) has %s, want %s", tt.args, got, tt.want)
			}
		})
	}
}

func words(t *testing.T, command string) []string {
	t.Helper()
	all, err := Split(command)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
