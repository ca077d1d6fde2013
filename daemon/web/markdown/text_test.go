package markdown

import (
	"net/url"
	"strings"
	"testing"
)

const guide = `# Guide

Read me first.

## Install

Use the installer.

` + "```\n# not a heading\n\nrun it\n```" + `

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
		"run it":  "# Guide\n\n## Install\n\n```\n# not a heading\n\nrun it\n```",
		"linux":   "# Guide\n\n## Install\n\n### On Linux",
		"nowhere": "",
	} {
		if got := filtered(guide, sought); got != want {
			t.Errorf("filtered(%q) = %q, want %q", sought, got, want)
		}
	}
}

func TestMarkdownOf(t *testing.T) {
	base, err := url.Parse("https://example.test/docs/page?q=1")
	if err != nil {
		t.Fatal(err)
	}
	html := `<html><head><title>T</title><style>p{}</style><script>secret()</script></head><body>
		<h1>Title</h1><p>A <b>bold</b> <a href="/other">link</a>.</p><ul><li>one<li>two</ul><pre><code>x = 1</code></pre></body></html>`
	want := "# Title\n\nA **bold** [link](https://example.test/other).\n\n- one\n- two\n\n```\nx = 1\n```"
	if got, err := markdownOf(html, base); err != nil || got != want {
		t.Errorf("markdownOf() = %q, %v; want %q", got, err, want)
	}
}

func TestDecoded(t *testing.T) {
	if got, err := decoded([]byte("caf\xe9"), "text/plain; charset=iso-8859-1"); err != nil || got != "café" {
		t.Errorf("decoded() = %q, %v", got, err)
	}
	if got, err := decoded([]byte(`<meta charset="windows-1251">`+"\xcf\xf0\xe8"), "text/html"); err != nil || !strings.HasSuffix(got, "При") {
		t.Errorf("decoded() = %q, %v", got, err)
	}
}

func TestCutText(t *testing.T) {
	long := strings.Repeat("é", maxContent/2) + "é"
	if kept, cut := cutText(long); !cut || len(kept) != maxContent {
		t.Errorf("of %d bytes %d are kept, cut: %v", len(long), len(kept), cut)
	}
	if kept, cut := cutText("x" + long); !cut || len(kept) != maxContent-1 || !strings.HasSuffix(kept, "é") {
		t.Errorf("%d bytes are kept, cut: %v", len(kept), cut)
	}
	if kept, cut := cutText("short"); cut || kept != "short" {
		t.Errorf("a short text becomes %q, cut: %v", kept, cut)
	}
}

func TestMediaType(t *testing.T) {
	for header, want := range map[string]string{"text/Markdown; charset=utf-8": "text/markdown", "": "text/html", ";;": "text/html"} {
		if got := mediaType(header, []byte("<html>")); got != want {
			t.Errorf("mediaType(%q) = %q, want %q", header, got, want)
		}
	}
}
