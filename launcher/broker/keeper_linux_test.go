package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The keeper does not poll the browser's pipes, so messages between clients and browser do not wake
// it. The same holds for a keeper that has replaced a dead keeper.
func TestKeeperDoesNotPollThePipes(t *testing.T) {
	r := newRig(t, wire.Settings{})
	cmd := r.keeper()
	r.awaitBroker()
	t.Cleanup(func() { _, _ = try(r, verbs.BrowserStop, verbs.BrowserStopIn{}) })
	status := ask(r, verbs.BrowserStatus, verbs.Empty{})
	pipes := []uint64{inode(status.BrowserPID, 3), inode(status.BrowserPID, 4)} // Chromium's numbers
	checkPipes(t, status.KeeperPID, pipes)
	if err := syscall.Kill(status.KeeperPID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "another keeper has taken over", func() bool {
		log, err := os.ReadFile(r.root.Path("log", "keeper.log"))
		return err == nil && bytes.Contains(log, []byte(`msg="taking over"`))
	})
	checkPipes(t, ask(r, verbs.BrowserStatus, verbs.Empty{}).KeeperPID, pipes)
	ask(r, verbs.BrowserStop, verbs.BrowserStopIn{})
	until(t, "all processes have ended", func() bool { return len(processes(r.root.Dir)) == 0 })
}

// checkPipes checks that a keeper holds the pipes and does not poll them. The keeper polls its
// socket, so a keeper that polls nothing fails the check as well.
func checkPipes(t *testing.T, keeper int, pipes []uint64) {
	t.Helper()
	held, polled := map[uint64]bool{}, map[uint64]bool{}
	for _, fd := range descriptors(t, keeper) {
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", keeper, fd))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the keeper has closed it meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		held[inode(keeper, fd)] = true
		for line := range strings.Lines(string(info)) {
			// Only a descriptor of epoll has such lines, one for each polled file.
			if _, rest, ok := strings.Cut(line, " ino:"); ok && strings.HasPrefix(line, "tfd:") {
				var file uint64
				if _, err := fmt.Sscanf(rest, "%x", &file); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				polled[file] = true
			}
		}
	}
	if len(polled) == 0 {
		t.Errorf("keeper %d polls nothing", keeper)
	}
	for _, pipe := range pipes {
		if !held[pipe] || polled[pipe] {
			t.Errorf("keeper %d: pipe %d is held: %v, and polled: %v", keeper, pipe, held[pipe], polled[pipe])
		}
	}
}

// descriptors returns the numbers of a process's open files.
func descriptors(t *testing.T, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fdinfo", pid))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(entries))
	for i, e := range entries {
		if all[i], err = strconv.Atoi(e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// inode returns the number of the inode of a process's open file, or 0 if the file is not open.
func inode(pid, fd int) uint64 {
	var s syscall.Stat_t
	if syscall.Stat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), &s) != nil {
		return 0
	}
	return s.Ino
}
