package verbs

import (
	"fmt"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Skill is a set of instructions for an agent.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// SkillsOut is the output of [SkillsList].
type SkillsOut struct {
	Skills []Skill `json:"skills"`
}

// Text returns one line for each skill.
func (o SkillsOut) Text() string {
	var all []string
	for _, s := range o.Skills {
		all = append(all, fmt.Sprintf("%-10s %s", s.Name, s.Description))
	}
	return lines(all...)
}

// SkillsList lists the skills.
var SkillsList = wire.Verb[Empty, SkillsOut]{Spec: wire.Spec{
	Name: "skills list", NoPolicy: true, Aliases: []string{"skills"}, Group: groupProgram, Short: "List the instructions for agents", Example: "abrowser skills list",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SkillsGetIn is the input of [SkillsGet].
type SkillsGetIn struct {
	Name string `json:"name,omitzero" arg:"0" default:"core" enum:"core|parallel" help:"the skill"`
}

// SkillsGetOut is the output of [SkillsGet].
type SkillsGetOut struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Content string `json:"content"`
}

// Text returns the instructions.
func (o SkillsGetOut) Text() string { return o.Content }

// SkillsGet returns a skill.
var SkillsGet = wire.Verb[SkillsGetIn, SkillsGetOut]{Spec: wire.Spec{
	Name: "skills get", NoPolicy: true, Group: groupProgram, Short: "Print instructions for an agent, of this version", Example: "abrowser skills get core",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SkillsInstallIn is the input of [SkillsInstall].
type SkillsInstallIn struct {
	Agent   string `json:"agent,omitzero" arg:"0" enum:"agents|claude|codex|cursor|gemini" help:"the agent; the default is every agent that has a directory already"`
	Project bool   `json:"project,omitzero" help:"write into the working directory, not into the home directory"`
}

// InstalledSkill is a file that contains a skill for an agent.
type InstalledSkill struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Written bool   `json:"written"`
	Reason  string `json:"reason,omitzero"` // why the file was not written
}

// SkillsInstallOut is the output of [SkillsInstall].
type SkillsInstallOut struct {
	Files []InstalledSkill `json:"files"`
}

// Text returns one line for each file.
func (o SkillsInstallOut) Text() string {
	var all []string
	for _, f := range o.Files {
		line := "wrote " + f.File
		if !f.Written {
			line = "left " + f.File + ": " + f.Reason
		}
		all = append(all, line)
	}
	return lines(all...)
}

// SkillsInstall writes the skill "core" to the directories in which agents look for skills.
var SkillsInstall = wire.Verb[SkillsInstallIn, SkillsInstallOut]{Spec: wire.Spec{
	Name: "skills install", Group: groupProgram, Short: "Write the instructions where agents look for them",
	Long:    "The file is skills/abrowser/SKILL.md in the agent's directory, such as ~/.claude. A file that abrowser has not written stays as it is.",
	Example: "abrowser skills install claude", By: wire.ByCommand, NoStart: true,
}}
