package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// blockBegin and blockEnd enclose the figures in the two READMEs, benchReadme and treeReadme.
const (
	blockBegin = "<!-- figures: made by just bench -readme FILE -->\n"
	blockEnd   = "<!-- end of figures -->\n"
)

// tableHead is the head of the table of figures in the two READMEs.
const tableHead = "| scenario | abrowser, median (p95) | the others' median, as a multiple of ours |\n|---|---|---|\n"

// The READMEs that contain figures, relative to this directory. benchReadme has a row for each
// scenario. treeReadme, which is the README of the project, has only the rows of the scenarios
// that telling returns.
const (
	benchReadme = "README.md"
	treeReadme  = "../../README.md"
)

// telling returns the scenarios whose rows the project's README shows.
func telling() []string {
	return []string{
		"get url", "snapshot", "click", "navigate", "workflow of 8", "new session", "cold start",
		"many tasks at once: tasks a minute", "many tasks at once: memory of all",
		"growth: memory a further session, 128 live",
	}
}

// writeReadmes writes the figures of an earlier run into the two READMEs. The parameter figures is
// the path of the file that the earlier run wrote because of its flag -out.
func writeReadmes(figures string) error {
	raw, err := os.ReadFile(figures)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("reading %s: %w", figures, err)
	}
	all := r.block()
	few, err := extract(all)
	if err != nil {
		return fmt.Errorf("%s: %w", figures, err)
	}
	if err := writeBlock(benchReadme, all); err != nil {
		return err
	}
	return writeBlock(treeReadme, few)
}

// writeBlock replaces the block of figures in one README.
func writeBlock(path, block string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	whole, err := replaceBlock(string(text), block)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(whole), 0o644) //nolint:gosec // a file of the tree
}

func replaceBlock(text, block string) (string, error) {
	before, _, after, err := cutBlock(text)
	if err != nil {
		return "", err
	}
	return before + blockBegin + block + blockEnd + after, nil
}

// cutBlock returns the block of figures of a README and the text around it.
func cutBlock(text string) (before, block, after string, err error) {
	before, rest, begun := strings.Cut(text, blockBegin)
	block, after, ended := strings.Cut(rest, blockEnd)
	if !begun || !ended {
		return "", "", "", fmt.Errorf("no place between %q and %q", strings.TrimSpace(blockBegin), strings.TrimSpace(blockEnd))
	}
	return before, block, after, nil
}

// extract returns the part of a block of figures that the project's README contains: the first
// line, which says when and where the figures were measured, and the rows of the scenarios in
// telling.
func extract(block string) (string, error) {
	measured, _, _ := strings.Cut(block, "\n")
	rows := measured + "\n\n" + tableHead
	for _, name := range telling() {
		_, rest, ok := strings.Cut(block, "\n| "+name+" | ")
		row, _, ended := strings.Cut(rest, "\n")
		if !ok || !ended {
			return "", fmt.Errorf("no row %q among the figures", name)
		}
		rows += "| " + name + " | " + row + "\n"
	}
	return rows, nil
}

// block returns the block of figures: how they were measured, and a table with a row for each
// scenario. A row contains abrowser's median. For each other contender, the row contains the ratio
// of that contender's median to abrowser's. If abrowser was not measured, the row contains the
// contender's median instead. If the contender failed, the row says so.
func (r result) block() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s, on %s, with %s.\n", r.Date, r.Machine, strings.Join(r.Versions, ", "))
	fmt.Fprintf(&b, "The browser's flags, where a peer takes any: `%s`.\n\n", strings.Join(r.Flags, " "))
	b.WriteString(tableHead)
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

// digits formats v with two decimals if it is below 10, with one decimal if it is below 100, and
// otherwise with none.
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
