package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// The README's block of figures lies between these.
const (
	blockBegin = "<!-- figures: made by just bench -readme FILE -->\n"
	blockEnd   = "<!-- end of figures -->\n"
)

// writeReadme puts the figures of one run into the README.
func writeReadme(path, figures string) error {
	raw, err := os.ReadFile(figures)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("reading %s: %w", figures, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	whole, err := replaceBlock(string(text), r.block())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(whole), 0o644) //nolint:gosec // a file of the tree
}

func replaceBlock(text, block string) (string, error) {
	before, rest, begun := strings.Cut(text, blockBegin)
	_, after, ended := strings.Cut(rest, blockEnd)
	if !begun || !ended {
		return "", fmt.Errorf("there is no place between %q and %q", strings.TrimSpace(blockBegin), strings.TrimSpace(blockEnd))
	}
	return before + blockBegin + block + blockEnd + after, nil
}

// block is the figures as the README shows them: our median, and how many times as
// long each of the others took.
func (r result) block() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s, on %s, with %s.\n", r.Date, r.Machine, strings.Join(r.Versions, ", "))
	fmt.Fprintf(&b, "The browser's flags, where a peer takes any: `%s`.\n\n", strings.Join(r.Flags, " "))
	b.WriteString("| scenario | abrowser, median (p95) | the others' median, as a multiple of ours |\n|---|---|---|\n")
	var order []string
	rows := map[string][]figure{}
	for _, f := range r.Figures {
		if rows[f.Scenario] == nil {
			order = append(order, f.Scenario)
		}
		rows[f.Scenario] = append(rows[f.Scenario], f)
	}
	for _, name := range order {
		ours, others := "", []string{}
		for _, f := range rows[name] {
			switch {
			case f.Error != "":
				others = append(others, f.Contender+" failed")
			case f.Contender == self:
				ours = f.told()
			case f.Ratio > 0:
				others = append(others, fmt.Sprintf("%s %s", f.Contender, digits(f.Ratio)))
			default:
				others = append(others, f.Contender+" "+f.told())
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, ours, strings.Join(others, "; "))
	}
	return b.String()
}

func (f figure) told() string {
	text := digits(f.Median) + " " + f.Unit
	if f.P95 > 0 {
		text += " (" + digits(f.P95) + ")"
	}
	return text
}

// digits has two or three of them that count.
func digits(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
