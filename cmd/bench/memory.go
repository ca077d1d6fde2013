package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pssBelow is the memory, in MB, of all processes that name the directory in their
// command line or environment. A page of memory that several have counts in parts.
// A browser's renderers count too.
func pssBelow(dir string) (float64, error) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, proc := range entries {
		command, _ := os.ReadFile(filepath.Join(proc, "cmdline")) // what cannot be read has gone
		environ, _ := os.ReadFile(filepath.Join(proc, "environ"))
		if !bytes.Contains(slices.Concat(command, environ), []byte(dir+"/")) && !bytes.Contains(environ, []byte("="+dir+"\x00")) {
			continue
		}
		if proc == fmt.Sprintf("/proc/%d", os.Getpid()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(proc, "smaps_rollup"))
		if err != nil {
			continue // it has gone since
		}
		var pss int
		if _, rest, found := strings.Cut(string(raw), "\nPss:"); found {
			if _, err := fmt.Sscan(rest, &pss); err != nil {
				return 0, fmt.Errorf("%s/smaps_rollup: %w", proc, err)
			}
		}
		sum += pss
	}
	return float64(sum) / 1024, nil
}
