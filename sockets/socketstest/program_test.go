package socketstest

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

func TestWriteProgram(t *testing.T) {
	dir, done := t.TempDir(), make(chan struct{})
	var forks sync.WaitGroup
	defer forks.Wait()
	defer close(done)
	for range 4 {
		forks.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := exec.CommandContext(t.Context(), "true").Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := WriteProgram(path, []byte("#!/bin/sh\n")); err != nil {
			t.Fatal(err)
		}
		if err := exec.CommandContext(t.Context(), path).Run(); err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
	}
}
