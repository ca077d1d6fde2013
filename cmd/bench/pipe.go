package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// measurePipe is the least that a question to the browser can take: one over its pipe,
// with nobody between.
func measurePipe(ctx context.Context, b *bench, name string) error {
	profile, err := b.own("pipe")
	if err != nil {
		return err
	}
	browserIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, browserOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	args := append([]string{"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile}, b.flags()...)
	cmd := exec.CommandContext(ctx, b.browser, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{browserIn, browserOut}
	err = cmd.Start()
	browserIn.Close()
	browserOut.Close()
	if err != nil {
		return err
	}
	var took series
	answers := bufio.NewReader(out)
	for id := range 10 * max(leastRounds, b.rounds) {
		began := time.Now()
		if _, err = fmt.Fprintf(in, `{"id":%d,"method":"Browser.getVersion"}`+"\x00", id+1); err != nil {
			break
		}
		var answer []byte
		if answer, err = answers.ReadBytes(0); err != nil {
			break
		}
		if !bytes.Contains(answer, []byte("Chrom")) {
			err = fmt.Errorf("the browser answers %s", answer)
			break
		}
		if id > 0 { // the first one waits for the browser to be there
			took = append(took, time.Since(began))
		}
	}
	if err == nil {
		_, err = io.WriteString(in, `{"id":999999,"method":"Browser.close"}`+"\x00")
	}
	if err != nil {
		cancel()
	}
	_ = cmd.Wait() // it was asked to end
	b.time(name, "bare browser", took)
	return err
}
