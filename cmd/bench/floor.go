package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// measureFloor measures the least time that any command can take. It runs the program ./floor,
// which only connects to a Unix socket and prints what the server sends. bench itself is the
// server.
func measureFloor(ctx context.Context, b *bench, name string) error {
	socket := filepath.Join(b.dir, "floor.sock")
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer listener.Close()
	go func() { // runs until the listener is closed
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("ok")) // if this fails, the output of the process is not "ok"
			_ = conn.Close()
		}
	}()
	floor, err := buildFloor(ctx, b.dir)
	if err != nil {
		return err
	}
	c := &contender{name: "bare process", program: []string{floor}, dir: b.dir}
	var took series
	for range b.rounds {
		out, one, err := c.command(ctx, socket)
		if err != nil {
			return err
		}
		if out != "ok" {
			return fmt.Errorf("the floor answered %q, want ok", out)
		}
		took = append(took, one)
	}
	b.time(name, c.name, took)
	return os.Remove(floor)
}

// measureAsked measures the least time that `get url` can take. The program ./floor sends the
// session's daemon the same request as `abrowser get url`, and prints the response unchanged.
// measureAsked runs floor and `abrowser get url` in turn and records the times of both.
func measureAsked(ctx context.Context, b *bench, name string) error {
	us := b.contenderNamed(self)
	if _, err := us.do(ctx, mainSession, navigate, b.site.url(onForm)); err != nil {
		return err
	}
	where, _, err := us.command(ctx, "--session", mainSession, "--json", "session", "info")
	if err != nil {
		return err
	}
	var status struct{ Data verbs.SessionInfoOut }
	if err := json.Unmarshal([]byte(where), &status); err != nil {
		return err
	}
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: abrowser\r\n%s: %d\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		verbs.GetURL.Path(), wire.HeaderProtocol, wire.Protocol())
	floor, err := buildFloor(ctx, b.dir)
	if err != nil {
		return err
	}
	bare := &contender{name: "bare process", program: []string{floor}, dir: b.dir}
	var ours, bares series
	for range b.rounds {
		one, err := us.do(ctx, mainSession, getURL, onForm)
		if err != nil {
			return err
		}
		out, least, err := bare.command(ctx, status.Data.Socket, request)
		if err != nil {
			return err
		}
		if !strings.Contains(out, onForm) {
			return fmt.Errorf("the daemon answered %q, want the URL of %s", out, onForm)
		}
		ours, bares = append(ours, one), append(bares, least)
	}
	b.time(name, us.name, ours)
	b.time(name, bare.name, bares)
	return os.Remove(floor)
}

func buildFloor(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "floor")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./floor")
	build.Stderr = os.Stderr
	return program, errors.Join(build.Run(), rewrite(program))
}
