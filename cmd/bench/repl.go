package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// measureREPL measures the workflow when one `abrowser repl` runs all its commands. It sends each
// command after the response to the command before.
func measureREPL(ctx context.Context, b *bench, name string) error {
	c := b.contenderNamed(self)
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program[0], append(c.program[1:len(c.program):len(c.program)], "--session", mainSession, "--json", "repl")...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LANG=C.UTF-8"}, c.env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	answers := bufio.NewReaderSize(out, 1<<20)
	var took series
	for i := range 1 + max(3, b.rounds/3) {
		began := time.Now()
		for _, s := range workflow() {
			line, err := json.Marshal(c.words("", s.a, b.text(c, s))[2:])
			if err != nil {
				return err
			}
			if _, err := in.Write(append(line, '\n')); err != nil {
				return err
			}
			answer, err := answers.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading the answer to %s: %w", line, err)
			}
			if !strings.HasPrefix(answer, `{"success":true,`) {
				return fmt.Errorf("repl answered %s to %s", answer, line)
			}
		}
		if i > 0 { // the first round includes the start of the process
			took = append(took, time.Since(began))
		}
	}
	b.time(name, self, took)
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}
