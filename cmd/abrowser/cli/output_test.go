package cli

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestPlainJSON(t *testing.T) {
	got, err := plainJSON(json.RawMessage(`{"b":12345678901234567890,"a":[1.50,"\u003cä\u0026"]}`))
	if want := `{"a":[1.50,"<ä&"],"b":12345678901234567890}`; err != nil || string(got) != want {
		t.Errorf("plainJSON = %s, %v, want %s", got, err, want)
	}
}

func TestAnswers(t *testing.T) {
	gone := wire.Errorf(wire.CodeStaleRef, "e1 is gone").WithHint("abrowser snapshot")
	warned := wire.Bind(verbs.Hover, func(_ context.Context, c *wire.Call, in verbs.ElementIn) (verbs.HoverOut, error) {
		c.Warn("3 elements match")
		c.Warn("the first is taken")
		return verbs.HoverOut{Hovered: in.Selector}, nil
	})
	b := newBench(t)
	b.serve("default",
		answers(verbs.Open, verbs.OpenOut{URL: "https://x.example/?a=1&b=<2>", Title: "X & Y", TabID: "t1", TargetID: "T"}),
		answers(verbs.GetURL, verbs.PageURL{URL: "https://x.example/?a=1&b=<2>"}),
		answers(verbs.GetText, verbs.GetTextOut{Value: "häß\nlich", Origin: "o"}),
		answers(verbs.Click, verbs.ClickOut{Clicked: "e2", Effects: verbs.Effects{
			Opened:  []verbs.OpenedTab{{TabID: "t2", URL: "https://p.example/"}},
			Dialogs: []verbs.Dialog{{Type: "confirm", Message: "Sure?", Handled: "dismissed"}},
		}}),
		answers(verbs.Focus, verbs.FocusOut{Focused: "e3"}),
		answers(verbs.Eval, verbs.EvalOut{Result: json.RawMessage(`{"z":123,"a":"<b>"}`), Origin: "o"}),
		warned,
		fails(verbs.Dblclick, gone),
		fails(verbs.Press, wire.Errorf(wire.CodeTimeout, "no answer")),
		fails(verbs.Back, wire.Errorf(wire.CodePageClosed, "the page is gone")),
		fails(verbs.Check, wire.Errorf(wire.CodeOwnership, "not yours")),
		fails(verbs.Uncheck, wire.Errorf(wire.CodeNoBrowser, "there is none")),
	)
	tests := []struct {
		args           string
		stdout, stderr string
		status         int
	}{
		{"open x", "X & Y\nhttps://x.example/?a=1&b=<2>\n", "", 0},
		{"--json open x", `{"success":true,"data":{"tabId":"t1","targetId":"T","title":"X & Y","url":"https://x.example/?a=1&b=<2>"},"error":null,"sessionId":"default","sessionType":"browser"}` + "\n", "", 0},
		{"get url", "https://x.example/?a=1&b=<2>\n", "", 0},
		{"get text h1", "häß\nlich\n", "", 0},
		{"get text h1 --max-output 3", "häß\n[truncated: showing 3 of 8 chars. Use --max-output to adjust]\n", "", 0},
		{"get text h1 --max-output 8", "häß\nlich\n", "", 0},
		{"click e2", "opened t2 https://p.example/\ndialog confirm \"Sure?\"\n", "", 0},
		{"focus e3", "", "", 0},
		{"eval 1", "{\n  \"z\": 123,\n  \"a\": \"<b>\"\n}\n", "", 0}, // in the order of the page's object
		{"eval 1 --json", `{"success":true,"data":{"origin":"o","result":{"a":"<b>","z":123}},"error":null,"sessionId":"default","sessionType":"browser"}` + "\n", "", 0},
		{"hover h1", "", "abrowser: warning: 3 elements match\nabrowser: warning: the first is taken\n", 0},
		{"hover h1 --json", `{"success":true,"data":{"hovered":"h1"},"error":null,"warning":"3 elements match; the first is taken","sessionId":"default","sessionType":"browser"}` + "\n", "", 0},
		{"dblclick e1", "", "abrowser: error: e1 is gone\nabrowser: hint: abrowser snapshot\n", 1},
		{"dblclick e1 --json", `{"success":false,"data":null,"error":"e1 is gone","code":"stale_ref","hint":"abrowser snapshot","sessionId":"default","sessionType":"browser"}` + "\n", "", 1},
		{"press a", "", "abrowser: error: no answer\n", 4},
		{"back", "", "abrowser: error: the page is gone\n", 6},
		{"check a", "", "abrowser: error: not yours\n", 5},
		{"uncheck a", "", "abrowser: error: there is none\n", 3},
		{"reload", "", "abrowser: error: this server has no /v1/reload\nabrowser: hint: abrowser help lists the commands\n", 2},
		{"bogus --json", `{"success":false,"data":null,"error":"unknown command bogus","code":"unknown_verb","hint":"abrowser help"}` + "\n", "", 2},
		{"click --json", `{"success":false,"data":null,"error":"click needs SELECTOR: a selector, or a ref from the last snapshot such as e3","code":"bad_input","hint":"usage: abrowser click SELECTOR [flags]"}` + "\n", "", 2},
		{"wait", "", "abrowser: error: wait needs one condition: milliseconds, a selector, --text, --url, --load, --fn or --download\nabrowser: hint: abrowser wait --text Welcome\n", 2},
		{"session", "default\n", "", 0},
		{"session --json", `{"success":true,"data":{"session":"default"},"error":null,"sessionId":"default","sessionType":"browser"}` + "\n", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			stdout, stderr, status := b.run(words(t, tt.args)...)
			if stdout != tt.stdout || stderr != tt.stderr || status != tt.status {
				t.Errorf("%s\n got %q, %q, %d\nwant %q, %q, %d", tt.args, stdout, stderr, status, tt.stdout, tt.stderr, tt.status)
			}
		})
	}
}

// With --content-boundaries, text of the page stands between lines with a nonce, or the answer names
// the nonce. Other answers are the same as without.
func TestContentBoundaries(t *testing.T) {
	b := newBench(t)
	b.serve("default",
		answers(verbs.GetText, verbs.GetTextOut{Value: "---\nEND", Origin: "https://x.example/"}),
		answers(verbs.GetURL, verbs.PageURL{URL: "https://x.example/"}),
		answers(verbs.Batch, verbs.BatchOut{Results: []verbs.StepResult{
			{Success: true, Result: json.RawMessage(`{"text":"---\nEND","origin":"https://x.example/"}`)},
		}}),
	)
	text := regexp.MustCompile(`^--- PAGE_CONTENT nonce=(\w{26}) origin=https://x\.example/ ---\n---\nEND\n--- END_PAGE_CONTENT nonce=(\w{26}) ---\n$`)
	seen := map[string]bool{}
	for _, line := range []string{"get text h1 --content-boundaries", "--content-boundaries batch 'get text h1'"} {
		stdout, stderr, status := b.run(words(t, line)...)
		m := text.FindStringSubmatch(stdout)
		if m == nil || m[1] != m[2] || seen[m[1]] || stderr != "" || status != 0 {
			t.Fatalf("%s: %q, %q, %d", line, stdout, stderr, status)
		}
		seen[m[1]] = true
	}
	stdout, _, _ := b.run(words(t, "get text h1 --content-boundaries --json")...)
	var answer struct {
		Boundary struct{ Nonce, Origin string } `json:"_boundary"`
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || len(answer.Boundary.Nonce) != 26 || answer.Boundary.Origin != "https://x.example/" {
		t.Errorf("the JSON answer is %s (%v)", stdout, err)
	}
	if stdout, _, _ := b.run(words(t, "get url --content-boundaries")...); stdout != "https://x.example/\n" {
		t.Errorf("get url prints %q", stdout)
	}
}
