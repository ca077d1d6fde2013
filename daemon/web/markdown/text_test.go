package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const guide = `# Guide

Read me first.

## Install

Use the installer.

` + "~~~sh\n# not a heading\n```\n\nrun it\n~~~" + `

### On Linux

Use apt.

## Use

Click the button.`

func TestOutline(t *testing.T) {
	if got, want := outline(guide), "# Guide\n## Install\n### On Linux\n## Use"; got != want {
		t.Errorf("outline() = %q, want %q", got, want)
	}
}

func TestFiltered(t *testing.T) {
	for sought, want := range map[string]string{
		"APT":     "# Guide\n\n## Install\n\n### On Linux\n\nUse apt.",
		"use ":    "# Guide\n\n## Install\n\nUse the installer.\n\n### On Linux\n\nUse apt.",
		"run it":  "# Guide\n\n## Install\n\n~~~sh\n# not a heading\n```\n\nrun it\n~~~",
		"linux":   "# Guide\n\n## Install\n\n### On Linux",
		"nowhere": "",
	} {
		if got := filtered(guide, sought); got != want {
			t.Errorf("filtered(%q) = %q, want %q", sought, got, want)
		}
	}
}

func TestMarkdownOf(t *testing.T) {
	html := `<html><head><title>T</title><style>p{}</style><script>secret()</script></head><body>
		<h1>Title</h1><p>A <b>bold</b> <a href="/other">link</a>.</p><ul><li>one<li>two</ul><pre><code>x = 1</code></pre></body></html>`
	want := "# Title\n\nA **bold** [link](https://example.test/other).\n\n- one\n- two\n\n```\nx = 1\n```"
	if got, err := markdownOf(html, "https://example.test/docs/page?q=1"); err != nil || got != want {
		t.Errorf("markdownOf() = %q, %v; want %q", got, err, want)
	}
}

func TestMarkdownOfParts(t *testing.T) {
	for _, tt := range []struct{ html, relativeTo, want string }{
		{`<a href="other">a</a>`, "https://x.test/docs/page", "[a](https://x.test/docs/other)"},
		{`<a href="../up">a</a>`, "https://x.test/docs/page", "[a](https://x.test/up)"},
		{`<a href="?q=2">a</a>`, "https://x.test/docs/page", "[a](https://x.test/docs/page?q=2)"},
		{`<a href="#part">a</a>`, "https://x.test/docs/page", "[a](https://x.test/docs/page#part)"},
		{`<base href="/root/"><a href="other">a</a>`, "https://x.test/docs/page", "[a](https://x.test/root/other)"},
		{`<img src="p.png" alt="P">`, "https://x.test/docs/", "![P](https://x.test/docs/p.png)"},
		{`<a href="other">a</a>`, "about:blank", "[a](other)"},
		{`<a href="mailto:a@x.test">a</a>`, "https://x.test/", "[a](mailto:a@x.test)"},
		{`<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>23</td></tr></table>`, "https://x.test/", "| A | B |\n|---|----|\n| 1 | 23 |"},
		{"", "https://x.test/", ""},
	} {
		got, err := markdownOf(tt.html, tt.relativeTo)
		if err != nil || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tt.want), " ") {
			t.Errorf("markdownOf(%s, %s) = %q, %v; want %q", tt.html, tt.relativeTo, got, err, tt.want)
		}
	}
}

func TestDecoded(t *testing.T) {
	if got, err := decoded([]byte("caf\xe9"), "text/plain; charset=iso-8859-1"); err != nil || got != "café" {
		t.Errorf("decoded() = %q, %v", got, err)
	}
	late := strings.Repeat("x", 5000) + "’"
	for _, kind := range []string{"", "text/plain", "text/plain; charset=utf-8"} {
		if got, err := decoded([]byte(late), kind); err != nil || got != late {
			t.Errorf("decoded(%s) ends in %q, %v", kind, got[len(got)-4:], err)
		}
		if got, err := decoded(nil, kind); err != nil || got != "" {
			t.Errorf("decoded(nothing) = %q, %v", got, err)
		}
	}
	if got, err := decoded([]byte(`<meta charset="windows-1251">`+"\xcf\xf0\xe8"), "text/html"); err != nil || !strings.HasSuffix(got, "При") {
		t.Errorf("decoded() = %q, %v", got, err)
	}
}

func TestCutAt(t *testing.T) {
	for _, character := range []string{"x", "é", "日", "😀"} {
		for offset := range 4 {
			text := strings.Repeat("y", offset) + strings.Repeat(character, 100)
			got := cutAt(text, 50)
			if !strings.HasPrefix(text, got) || len(got) > 50 || len(got) <= 50-len(character) || !utf8.ValidString(got) {
				t.Errorf("cutAt(%d y and %s) = %q", offset, character, got)
			}
		}
	}
	if got := cutAt("short", 5); got != "short" {
		t.Errorf("cutAt(short) = %q", got)
	}
}

func TestMediaType(t *testing.T) {
	for header, want := range map[string]string{"text/Markdown; charset=utf-8": "text/markdown", "": "text/html", ";;": "text/html"} {
		if got := mediaType(header, []byte("<html>")); got != want {
			t.Errorf("mediaType(%q) = %q, want %q", header, got, want)
		}
	}
}
