//go:build linux

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// mostTasks is the maximum number of tasks that the manager runs at the same time.
const mostTasks = 10

// managerOrder is a line of the manager's input. Its field Do is "start", "cancel" or "interrupt".
// managerEvent is a line of the manager's output. Its field Event is "started" or "ended".
type (
	managerOrder struct{ Do, ID, Script string }
	managerEvent struct {
		ID, Event, Output string
		Status            int
	}
)

// manager works like a typical task manager. It runs each task in a shell with its own terminal,
// and runs at most mostTasks tasks at the same time. A variable in the shell's environment names
// the task's session.
type manager struct {
	out   *json.Encoder
	tasks sync.WaitGroup

	mu        sync.Mutex // guards the fields below and out
	queue     []managerOrder
	terminals map[string]*os.File // of the running tasks, by task id
}

// manage runs the manager. It returns when its input and all tasks have ended.
func manage() int {
	m := &manager{out: json.NewEncoder(os.Stdout), terminals: map[string]*os.File{}}
	orders := json.NewDecoder(os.Stdin)
	for {
		var o managerOrder
		if err := orders.Decode(&o); err != nil {
			m.tasks.Wait()
			if errors.Is(err, io.EOF) {
				return 0
			}
			return 1
		}
		m.mu.Lock()
		switch o.Do {
		case "start":
			m.queue = append(m.queue, o)
			m.nextLocked()
		case "cancel":
			_ = m.terminals[o.ID].Close() // the processes of the terminal get SIGHUP
		case "interrupt":
			_, _ = m.terminals[o.ID].Write([]byte{3}) // Ctrl-C
		}
		m.mu.Unlock()
	}
}

func (m *manager) nextLocked() {
	for len(m.queue) > 0 && len(m.terminals) < mostTasks {
		o := m.queue[0]
		m.queue = m.queue[1:]
		cmd := exec.Command("sh", "-c", o.Script) //nolint:noctx // it ends with its terminal
		cmd.Env = append(os.Environ(), "AGENT_BROWSER_SESSION="+o.ID)
		terminal, err := open(pty.Start(cmd))
		if err != nil {
			_ = m.out.Encode(managerEvent{ID: o.ID, Event: "ended", Output: err.Error(), Status: -1})
			continue
		}
		m.terminals[o.ID] = terminal
		_ = m.out.Encode(managerEvent{ID: o.ID, Event: "started"})
		m.tasks.Go(func() { m.follow(o.ID, cmd, terminal) })
	}
}

// open returns a duplicate of the terminal in non-blocking mode, and closes the terminal that it
// got. In this mode, Close also ends a Read that is in progress. The parameters are the results of
// pty.Start.
func open(terminal *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	defer terminal.Close()
	fd, err := unix.FcntlInt(terminal.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true) // before NewFile, which checks the mode
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), terminal.Name()), nil
}

func (m *manager) follow(id string, cmd *exec.Cmd, terminal *os.File) {
	var said bytes.Buffer
	_, _ = io.Copy(&said, terminal) // reading fails when the task has closed its side
	_ = cmd.Wait()                  // ProcessState has the status
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = terminal.Close() // fails if the task was cancelled
	delete(m.terminals, id)
	_ = m.out.Encode(managerEvent{ID: id, Event: "ended", Output: said.String(), Status: cmd.ProcessState.ExitCode()})
	m.nextLocked()
}
