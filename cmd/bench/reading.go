package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e/apps"
)

const nameReading = "what an agent reads"

// look is a way to read a page. Each contender has its own arguments for it.
type look string

// The constants are in the order in which the looks are taken. Between interactive and delta, an
// element is clicked.
const (
	full        look = "full"
	interactive look = "-i"
	delta       look = "-i --delta after a click"
	again       look = "-i after a click"
)

// reading is the size of what a contender prints for one look at one app.
type reading struct {
	App        string `json:"app"`
	Contender  string `json:"contender"`
	Look       look   `json:"look"`
	Characters int    `json:"characters"`
	Tokens     int    `json:"tokens"`
	Refs       int    `json:"refs"`
	Error      string `json:"error,omitzero"` // why the reading is missing
}

// readers returns the names of the contenders that read the apps, with the looks of each contender.
// playwright-cli can only print snapshots of the whole page, and agents read these snapshots
// unchanged.
func readers() []struct {
	name  string
	looks []look
} {
	return []struct {
		name  string
		looks []look
	}{
		{self, []look{full, interactive, delta, again}},
		{"agent-browser", []look{full, interactive, again}},
		{"playwright-cli", []look{full, again}},
	}
}

// clicks returns, for each app, the CSS selector of the element that is clicked. Such a click
// shows, hides or changes something.
func clicks() map[string]string {
	return map[string]string{
		"adminlte":   ".nav-sidebar > li:first-child > a",                      // shows the pages of a section
		"aggrid":     `.ag-row[row-index="1"] .ag-selection-checkbox input`,    // selects a row
		"antd":       ".ant-form-item:nth-child(4) .ant-select-selector",       // opens a list
		"bootstrap4": ".dropdown-toggle",                                       // opens a menu
		"bootstrap5": `[data-bs-target="#dialog"]`,                             // opens a dialog
		"excalidraw": `[data-testid="main-menu-trigger"]`,                      // opens a menu
		"jquery-ui":  "#accordion h3:nth-of-type(2)",                           // shows another section
		"leaflet":    `.leaflet-marker-icon[title="Tea shop"]`,                 // opens a popup
		"monaco":     "#run",                                                   // changes the title
		"mui":        ".MuiSelect-select",                                      // opens a list, which hides the rest of the page from assistive technology
		"quill":      ".ql-header .ql-picker-label",                            // opens a list
		"select2":    "#select2-state-container",                               // opens a list
		"shoelace":   `sl-dropdown > sl-button[slot="trigger"]`,                // opens a menu
		"swagger":    "#operations-pet-Add-a-pet .opblock-summary-control",     // shows an operation
		"tabulator":  `.tabulator-row:nth-child(2) [tabulator-field="member"]`, // changes a cell
		"tinymce":    ".tox-mbtn:nth-child(2)",                                 // opens a menu
		"todomvc":    ".todo-list li:nth-child(2) .toggle",                     // completes an item
	}
}

const (
	steadyPause = 400 * time.Millisecond // between two snapshots of a page that may still change
	steadyTries = 25
	clickPause  = time.Second // time for the effects of a click, such as an animation
)

var anyRef = regexp.MustCompile(`[\[ ]ref=\w+[\],]`)

// measureReading counts the characters and tokens in the snapshots of real apps. Each contender
// opens the same page, reads it, clicks the same element and reads the page again.
func measureReading(ctx context.Context, b *bench, _ string) error {
	tokens, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	dir, err := apps.Dir()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all, err := apps.Serve(ctx, dir)
	if err != nil {
		return err
	}
	for _, app := range all {
		selector, ok := clicks()[app.Name]
		if !ok {
			continue
		}
		b.progress("  %s", app.Name)
		for _, r := range readers() {
			c := b.contenderNamed(r.name)
			if c == nil {
				continue
			}
			texts, err := c.read(ctx, app.URL, selector, r.looks)
			if err != nil {
				b.progress("%s: %v", app.Name, err)
			}
			for _, l := range r.looks {
				one := reading{App: app.Name, Contender: c.name, Look: l}
				if err != nil {
					one.Error = firstLine(err.Error())
				} else if one.Tokens, err = tokens.Count(texts[l]); err != nil {
					return err
				}
				one.Characters, one.Refs = utf8.RuneCountInString(texts[l]), len(anyRef.FindAllString(texts[l], -1))
				b.readings = append(b.readings, one)
				b.keep(one, texts[l])
			}
		}
	}
	return nil
}

// keep writes the text of a reading to a file below the directory that the flag -texts names.
// Without the flag, it does nothing.
func (b *bench) keep(r reading, text string) {
	if b.texts == "" {
		return
	}
	dir := filepath.Join(b.texts, r.App)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, r.Contender+" "+string(r.Look)+".txt"), []byte(text+"\n"), 0o600)
	}
	if err != nil {
		b.progress("%s: %s", dir, err)
	}
}

// read opens the URL and returns what the contender prints for each of the looks. It clicks the
// element that selector names before the first look that needs a click.
func (c *contender) read(ctx context.Context, url, selector string, looks []look) (map[look]string, error) {
	if _, err := c.do(ctx, mainSession, navigate, url); err != nil {
		return nil, err
	}
	if c.acceptAlert != nil {
		_, _, _ = c.command(ctx, c.acceptAlert...) // fails if the page shows no dialog
	}
	if err := c.awaitSteady(ctx); err != nil {
		return nil, err
	}
	texts := map[look]string{}
	clicked := false
	for _, l := range looks {
		if (l == delta || l == again) && !clicked {
			if _, err := c.do(ctx, mainSession, click, selector); err != nil {
				return nil, err
			}
			if err := pause(ctx, clickPause); err != nil {
				return nil, err
			}
			clicked = true
		}
		text, err := c.look(ctx, l)
		if err != nil {
			return nil, err
		}
		texts[l] = text
	}
	return texts, nil
}

// awaitSteady waits until two successive snapshots of the page are equal.
func (c *contender) awaitSteady(ctx context.Context) error {
	last := ""
	for range steadyTries {
		if err := pause(ctx, steadyPause); err != nil {
			return err
		}
		text, err := c.look(ctx, full)
		if err != nil {
			return err
		}
		if text == last {
			return nil
		}
		last = text
	}
	return fmt.Errorf("%s: the page does not stop to change", c.name)
}

// look returns the snapshot that the contender prints. playwright-cli prints more around the
// snapshot, which look removes, although an agent reads it too.
func (c *contender) look(ctx context.Context, l look) (string, error) {
	words := c.words(mainSession, snapshot, "") // includes -i if the contender has this flag
	switch {
	case l == full && words[len(words)-1] == "-i":
		words = words[:len(words)-1]
	case l == delta:
		words = append(words, "--delta")
	}
	text, _, err := c.command(ctx, words...)
	if _, after, ok := strings.Cut(text, "```yaml\n"); ok {
		text = after[:strings.LastIndex(after, "\n```")]
	}
	return strings.TrimSuffix(text, "\n"), err
}
