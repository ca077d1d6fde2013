package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/manual"
	"github.com/abrowser/abrowser/cmd/abrowser/skills"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hashLength is the number of hexadecimal digits in the names that sessionID returns.
const hashLength = 12

// sessionID returns a name for a session that depends only on a directory and the given prefix.
func (x *run) sessionID(_ context.Context, in verbs.SessionIDIn) (*verbs.SessionIDOut, error) {
	dir := x.config.Dir
	if dir == "" {
		return nil, wire.Errorf(wire.CodeBadInput, "the working directory does not exist")
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if in.Scope != "cwd" {
		worktree, repository := gitRoots(dir)
		if worktree == "" {
			return nil, wire.Errorf(wire.CodeBadInput, "%s is not in a git repository", dir).WithHint("abrowser session id --scope cwd")
		}
		if dir = worktree; in.Scope == "git-root" {
			dir = repository
		}
	}
	sum := sha256.Sum256([]byte(dir))
	out := &verbs.SessionIDOut{Hash: hex.EncodeToString(sum[:])[:hashLength], Scope: in.Scope, Path: dir}
	if out.Session = out.Hash; in.Prefix != "" {
		out.Session = strings.ToLower(in.Prefix) + "-" + out.Hash
	}
	return out, home.CheckName(out.Session)
}

// gitRoots returns the root of the git worktree that contains a directory, and the root of the
// repository. The two differ in a worktree that `git worktree add` has made, where .git is a file
// that names a directory in the repository. Both are empty if the directory is not in a repository.
func gitRoots(dir string) (worktree, repository string) {
	for ; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		info, err := os.Stat(dotGit)
		switch {
		case err == nil && info.IsDir():
			return dir, dir
		case err == nil:
			raw, err := os.ReadFile(dotGit)
			target, linked := strings.CutPrefix(strings.TrimSpace(string(raw)), "gitdir: ")
			if at := strings.LastIndex(target, "/.git/worktrees/"); err == nil && linked && at > 0 {
				return dir, target[:at]
			}
			return dir, dir
		case filepath.Dir(dir) == dir:
			return "", ""
		}
	}
}

// refuseREPL answers [verbs.REPL] for a caller without standard input. Package cli runs the verb
// itself, because its answers are printed one after the other.
func (*run) refuseREPL(context.Context, verbs.Empty) (*verbs.Empty, error) {
	return nil, wire.Errorf(wire.CodeBadInput, "repl reads standard input; only the command line runs it").WithHint("abrowser repl")
}

func (*run) man(context.Context, verbs.Empty) (*verbs.ManOut, error) {
	return &verbs.ManOut{Page: manual.Page(Version(), verbs.All())}, nil
}

// upgrade returns how to install a newer abrowser.
func (*run) upgrade(context.Context, verbs.Empty) (*verbs.UpgradeOut, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &verbs.UpgradeOut{Version: Version(), Program: program, Steps: []string{
		"in abrowser's source: git pull && GOBIN=" + filepath.Dir(program) + " just install",
		"without the source:   CGO_ENABLED=0 GOBIN=" + filepath.Dir(program) + " go install github.com/abrowser/abrowser/cmd/abrowser@latest",
		"then:                 abrowser doctor",
	}}, nil
}

func (*run) listSkills(context.Context, verbs.Empty) (*verbs.SkillsOut, error) {
	return &verbs.SkillsOut{Skills: skills.All()}, nil
}

func (*run) getSkill(_ context.Context, in verbs.SkillsGetIn) (*verbs.SkillsGetOut, error) {
	text, err := skills.Get(in.Name, Version())
	if err != nil {
		return nil, err
	}
	return &verbs.SkillsGetOut{Name: in.Name, Version: Version(), Content: text}, nil
}

func (x *run) installSkills(_ context.Context, in verbs.SkillsInstallIn) (*verbs.SkillsInstallOut, error) {
	dir, _ := x.config.Lookup("HOME")
	if in.Project {
		dir = x.config.Dir
	}
	if !filepath.IsAbs(dir) {
		return nil, wire.Errorf(wire.CodeBadInput, "the directory for the skills is not known: HOME is not set").WithHint("abrowser skills install %s --project", in.Agent)
	}
	files, err := skills.Install(dir, in.Agent, Version())
	if err != nil {
		return nil, err
	}
	return &verbs.SkillsInstallOut{Files: files}, nil
}
