// Package skills contains instructions for agents that use abrowser, and writes them where common
// agents look for them.
//
// The instructions are part of the program, so they always fit its version. The package runs no
// command and reads no configuration of an agent. Package commands uses it. The invariant: a file
// that abrowser has not written is not changed.
package skills

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

//go:embed core.md parallel.md
var texts embed.FS

// core is the name of the skill that [Install] writes.
const core = "core"

// All returns the skills.
func All() []verbs.Skill {
	return []verbs.Skill{
		{Name: core, Description: "open, read and operate pages"},
		{Name: "parallel", Description: "several tasks or agents in one browser"},
	}
}

// Get returns the text of a skill, with the given version of abrowser filled in.
func Get(name, version string) (string, error) {
	raw, err := texts.ReadFile(name + ".md")
	if err != nil {
		return "", wire.Errorf(wire.CodeNotFound, "skill not found: %s", name).WithHint("abrowser skills list")
	}
	return strings.TrimSuffix(strings.ReplaceAll(string(raw), "{{version}}", version), "\n"), nil
}

// mark is the line by which Install recognizes a file that abrowser has written.
const mark = "<!-- written by abrowser skills install -->"

// agents returns the directories in which agents have their skills, by the agent's name.
func agents() map[string]string {
	return map[string]string{"agents": ".agents", "claude": ".claude", "codex": ".codex", "cursor": ".cursor", "gemini": ".gemini"}
}

// Install writes the skill core for an agent below dir, which is the user's home or a project. If
// agent is empty, it writes the skill for every agent that has a directory there.
func Install(dir, agent, version string) ([]verbs.InstalledSkill, error) {
	text, err := Get(core, version)
	if err != nil {
		return nil, err
	}
	var files []verbs.InstalledSkill
	for _, name := range []string{"agents", "claude", "codex", "cursor", "gemini"} {
		base := filepath.Join(dir, agents()[name])
		if agent != "" && agent != name || agent == "" && !isDirectory(base) {
			continue
		}
		f := verbs.InstalledSkill{Agent: name, File: filepath.Join(base, "skills", "abrowser", "SKILL.md")}
		if f.Reason, err = write(f.File, text+"\n\n"+mark+"\n"); err != nil {
			return files, err
		}
		f.Written = f.Reason == ""
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, wire.Errorf(wire.CodeNotFound, "no directory of an agent in %s", dir).WithHint("abrowser skills install claude")
	}
	return files, nil
}

// write writes a file, but does not replace a file that abrowser has not written. In that case, it
// returns a reason.
func write(path, text string) (reason string, err error) {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && !strings.Contains(string(before), mark):
		return "abrowser has not written this file", nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", wire.OSError("reading "+path, err)
	}
	return "", home.ReplaceFile(path, 0o644, func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
