package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// place is a block of text between two comments, which both READMEs contain. benchReadme contains
// the whole block, and treeReadme contains an extract of it.
type place struct {
	begin, end string
	extract    func(block string) (string, error)
}

func figuresPlace() place {
	return place{"<!-- figures: made by just bench -readme FILE -->\n", "<!-- end of figures -->\n", extract}
}

func readingsPlace() place {
	return place{"<!-- readings: made by just bench -readme FILE -->\n", "<!-- end of readings -->\n", readExtract}
}

// tableHead is the head of the table of figures in both READMEs.
const tableHead = "| scenario | abrowser, median (p95) | the others' median, as a multiple of ours |\n|---|---|---|\n"

// These are the paths of the READMEs that contain figures, relative to this directory. benchReadme
// has a row for each scenario. treeReadme, which is the README of the project, has only the rows of
// the scenarios in treeScenarios.
const (
	benchReadme = "README.md"
	treeReadme  = "../../README.md"
)

// treeScenarios returns the names of the scenarios whose rows the project's README shows.
func treeScenarios() []string {
	return []string{
		"get url", "snapshot", "click", "navigate", "workflow of 8", "new session", "cold start",
		"many tasks at once: tasks a minute", "many tasks at once: memory of all",
		"growth: memory a further session, 128 live",
	}
}

// writeReadmes writes the figures and the readings of an earlier run into both READMEs. If the run
// has only figures or only readings, the other block stays unchanged. figures is the path of the
// file that the run wrote because of its flag -out.
func writeReadmes(figures string) error {
	raw, err := os.ReadFile(figures)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return fmt.Errorf("reading %s: %w", figures, err)
	}
	if len(r.Figures) > 0 {
		if err := figuresPlace().write(r.block()); err != nil {
			return fmt.Errorf("%s: %w", figures, err)
		}
	}
	if len(r.Readings) > 0 {
		if err := readingsPlace().write(r.readBlock()); err != nil {
			return fmt.Errorf("%s: %w", figures, err)
		}
	}
	return nil
}

// write replaces the block in both READMEs. all is the new block of benchReadme.
func (p place) write(all string) error {
	few, err := p.extract(all)
	if err != nil {
		return err
	}
	for path, block := range map[string]string{benchReadme: all, treeReadme: few} {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		whole, err := p.replace(string(text), block)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(whole), 0o644); err != nil { //nolint:gosec // a source file, which others may read
			return err
		}
	}
	return nil
}

// replace returns the text of a README with the given block in place of the old one.
func (p place) replace(text, block string) (string, error) {
	before, _, after, err := p.cut(text)
	if err != nil {
		return "", err
	}
	return before + p.begin + block + p.end + after, nil
}

// cut returns the block of a README and the text around it.
func (p place) cut(text string) (before, block, after string, err error) {
	before, rest, begun := strings.Cut(text, p.begin)
	block, after, ended := strings.Cut(rest, p.end)
	if !begun || !ended {
		return "", "", "", fmt.Errorf("no place between %q and %q", strings.TrimSpace(p.begin), strings.TrimSpace(p.end))
	}
	return before, block, after, nil
}

// extract returns the part of a block of figures that the project's README contains: the first
// line, which says when and where the figures were measured, and the rows of the scenarios in
// treeScenarios.
func extract(block string) (string, error) {
	measured, _, _ := strings.Cut(block, "\n")
	rows := measured + "\n\n" + tableHead
	for _, name := range treeScenarios() {
		_, rest, ok := strings.Cut(block, "\n| "+name+" | ")
		row, _, ended := strings.Cut(rest, "\n")
		if !ok || !ended {
			return "", fmt.Errorf("no row %q among the figures", name)
		}
		rows += "| " + name + " | " + row + "\n"
	}
	return rows, nil
}

// block returns the block of figures. It says how the figures were measured, and has a table with a
// row for each scenario. A row contains abrowser's median. For each other contender, the row
// contains the ratio of that contender's median to abrowser's, or the contender's median if
// abrowser was not measured. If a contender failed, the row says so.
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
				ours = f.cell()
			case f.Ratio > 0:
				others = append(others, fmt.Sprintf("%s %s", f.Contender, digits(f.Ratio)))
			default:
				others = append(others, f.Contender+" "+f.cell())
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, ours, strings.Join(others, "; "))
	}
	return b.String()
}

func (f figure) cell() string {
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
