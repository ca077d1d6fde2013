package spare

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets"
)

// The test binary, started as `abrowser daemon (spare)`, waits at the place that it is
// told, and then says what it has become.
func TestMain(m *testing.M) {
	if os.Args[0] == "abrowser" {
		os.Exit(becomeAndSay())
	}
	os.Exit(m.Run())
}

func becomeAndSay() int {
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	base := os.Getenv("PLACE")
	o, err := Wait(ctx, sockets.Place{Socket: base + ".spare", Lock: base + ".spare.lock"}, "b1", func(error) { fmt.Println("waits") })
	if err == nil {
		err = o.Become()
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	raw, err := os.ReadFile("/proc/self/cmdline")
	fmt.Printf("out %q %v\n", os.Environ(), err)
	fmt.Fprintf(os.Stderr, "err %s\n", strings.ReplaceAll(strings.TrimRight(string(raw), "\x00"), "\x00", " "))
	o.Ready(nil)
	return 0
}

// What it was started with is not to be seen any more, also not by who lists processes.
func TestBecome(t *testing.T) {
	p := newPlace(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "daemon", Placeholder)
	child.Args[0] = "abrowser"
	child.Env = []string{"PLACE=" + strings.TrimSuffix(p.Socket, ".spare"), "OLD=1"}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	s := offer("task_" + strings.Repeat("x", len(Placeholder)-len("task_"))) // as long as a name may be
	if err := sockets.CheckName(s.Name); err != nil || sockets.CheckName(s.Name+"x") == nil {
		t.Errorf("%s is not as long as a name may be: %v", s.Name, err)
	}
	s.Log = p.Log
	taken, err := Take(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := taken.Await(t.Context()); err != nil || taken.Process.Pid != child.Process.Pid {
		t.Errorf("Await = %v, of process %d, want %d", err, taken.Process.Pid, child.Process.Pid)
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	want := "out [\"A=1\" \"B=x=y\"] <nil>\nerr abrowser daemon " + s.Name + "\n"
	if got, err := os.ReadFile(p.Log); err != nil || string(got) != want {
		t.Errorf("its log is %q, %v, want %q", got, err, want)
	}
}
