package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// measureBatch measures the workflow when one `abrowser batch` runs all its commands.
func measureBatch(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	var took series
	for range max(3, b.rounds/3) {
		args := []string{"--session", mainSession, "--json", "batch", "--bail"}
		for _, s := range workflow() {
			args = append(args, strings.Join(quoted(c.words("", s.a, b.text(c, s))[2:]), " "))
		}
		out, one, err := c.command(ctx, args...)
		if err != nil {
			return err
		}
		if !strings.Contains(out, "42") {
			return fmt.Errorf("batch answered %s", out)
		}
		took = append(took, one)
	}
	b.time(name, self, took)
	return nil
}

func quoted(words []string) []string {
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return words
}

// root returns abrowser's root directory, which contains the sockets. The contender c must be
// abrowser.
func (c *contender) root() home.Root { return home.Root{Dir: filepath.Join(c.dir, ".abrowser")} }

// measureClient measures the workflow without a process for each command. It sends the requests
// with the Go package client, on one connection.
func measureClient(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	place, err := c.root().Session(mainSession)
	if err != nil {
		return err
	}
	cl := client.Client{Endpoint: place, Session: mainSession}.KeepAlive()
	defer cl.Close()
	var took series
	for range max(3, b.rounds/3) {
		began := time.Now()
		if err := clientWorkflow(ctx, cl, b.site.url("/form")); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	b.time(name, self, took)
	return nil
}

func clientWorkflow(ctx context.Context, cl *client.Client, url string) error {
	if _, _, err := client.Do(ctx, cl, verbs.Open, verbs.OpenIn{URL: url}); err != nil {
		return err
	}
	if _, _, err := client.Do(ctx, cl, verbs.Snapshot, verbs.SnapshotIn{Interactive: true}); err != nil {
		return err
	}
	if _, _, err := client.Do(ctx, cl, verbs.Fill, verbs.FillIn{Element: verbs.Element{Selector: "#name"}, Text: "Ada"}); err != nil {
		return err
	}
	if _, _, err := client.Do(ctx, cl, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "#go"}}); err != nil {
		return err
	}
	text, _, err := client.Do(ctx, cl, verbs.GetText, verbs.GetIn{Element: verbs.Element{Selector: "#count"}})
	if err != nil {
		return err
	}
	if text.Value != "1" {
		return fmt.Errorf("the page says %q after a click", text.Value)
	}
	got, _, err := client.Do(ctx, cl, verbs.Eval, verbs.EvalIn{Script: "21*2"})
	if err != nil {
		return err
	}
	var answer int
	if err := json.Unmarshal(got.Result, &answer); err != nil || answer != 42 {
		return fmt.Errorf("eval answered %s", got.Result)
	}
	if _, _, err := client.Do(ctx, cl, verbs.GetURL, verbs.TabIn{}); err != nil {
		return err
	}
	_, _, err = client.Do(ctx, cl, verbs.Screenshot, verbs.ScreenshotIn{})
	return err
}
