package cookiefile

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestParse(t *testing.T) {
	pair := func(name, value string) Cookie { return Cookie{Name: name, Value: value} }
	tests := []struct {
		name, content string
		want          []Cookie
		at            string
	}{
		{"header", "Cookie: a=1; b=x=y;c=\n", []Cookie{pair("a", "1"), pair("b", "x=y"), pair("c", "")}, ""},
		{"header without its name", "a=1; b=2", []Cookie{pair("a", "1"), pair("b", "2")}, ""},
		{
			"curl of Chrome", "curl 'https://x.example/p?q=1' \\\n  -H 'accept: */*' \\\n  -b 'a=1; b=it'\\''s' \\\n  -H 'user-agent: Mozilla'\n",
			[]Cookie{pair("a", "1"), pair("b", "it's")},
			"https://x.example/p?q=1",
		},
		{"curl of Firefox", `curl "https://x.example/" --compressed -H "Cookie: a=\"1\"; b=2"`, []Cookie{pair("a", `"1"`), pair("b", "2")}, "https://x.example/"},
		{"curl with escapes", `curl 'https://x.example/' -H $'cookie: a=\u00e9\'\x41\"'`, []Cookie{pair("a", "é'A\"")}, "https://x.example/"},
		{"curl with joined flags", "curl --cookie=a=1 -bb=2 -HCookie:c=3 --url=https://x.example/", []Cookie{pair("a", "1"), pair("b", "2"), pair("c", "3")}, "https://x.example/"},
		{
			"JSON of an extension", `[{"name":"a","value":"1","domain":".x.example","path":"/p","expirationDate":1999999999.5,"httpOnly":true,"secure":true,"sameSite":"no_restriction"}]`,
			[]Cookie{{"a", "1", ".x.example", "/p", "None", 1999999999.5, true, true}},
			"",
		},
		{"JSON of a state", `{"cookies":[{"name":"a","value":"1","expires":-1,"sameSite":"unspecified"}],"origins":[]}`, []Cookie{pair("a", "1")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, at, err := Parse([]byte(tt.content))
			if err != nil || at != tt.at || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Parse = %+v, %q, %v, want %+v, %q", got, at, err, tt.want, tt.at)
			}
		})
	}
}

// No error contains a part of the file, whose cookies are secrets.
func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, content string
		code          wire.Code
	}{
		{"empty", "", wire.CodeBadInput},
		{"no cookies", "curl https://x.example/secret", wire.CodeBadInput},
		{"an open quote", "curl -b 'a=secret", wire.CodeBadInput},
		{"an open double quote", `curl -b "a=secret`, wire.CodeBadInput},
		{"an open quote with escapes", `curl -b $'a=secret\`, wire.CodeBadInput},
		{"not JSON", `[{"name":"secret"`, wire.CodeBadInput},
		{"JSON of another kind", `["secret"]`, wire.CodeBadInput},
		{"not UTF-8", "a=secret\xff", wire.CodeBadInput},
		{"several lines", "a=secret\nb=secret", wire.CodeBadInput},
		{"too large", "a=" + strings.Repeat("x", MaxSize), wire.CodeTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Parse([]byte(tt.content))
			if !errors.Is(err, tt.code) || got != nil || strings.Contains(err.Error(), "secret") || wire.AsError(err).Hint == "" {
				t.Errorf("Parse = %+v, %v (%v), want %s", got, err, wire.AsError(err), tt.code)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`curl 'https://x.example/' -H $'cookie: a=\u00e9' -b "b=1"`))
	f.Add([]byte(`[{"name":"a"}]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if got, _, err := Parse(content); err == nil && len(got) == 0 {
			t.Error("no cookies and no error")
		}
	})
}
