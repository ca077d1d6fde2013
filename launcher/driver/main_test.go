package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// TestMain lets the tests start the test binary in the same way as playwright-go starts abrowser:
// with the command line of Node.
func TestMain(m *testing.M) {
	if handled, status := Main(os.Args[1:]); handled {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestMainIgnoresOtherCommands(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"open", "https://example.com"},
		{"/d/package/cli.js"},
		{"package/cli.js", "--version"},
		{"/d/cli.js", "--version"},
		{"open", "/d/package/cli.js"},
	} {
		if handled, _ := Main(args); handled {
			t.Errorf("Main(%q) = true", args)
		}
	}
}

func TestVersionIsPrintedWithoutNode(t *testing.T) {
	dir := t.TempDir()
	cli := filepath.Join(dir, "package", "cli.js")
	ask := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], cli, "--version")
		cmd.Env = []string{"PATH=/nowhere"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := ask(); err == nil || !strings.HasPrefix(out, "abrowser: error: reading the driver's version") {
		t.Errorf("without a driver: %q, %v", out, err)
	}
	if err := os.MkdirAll(filepath.Dir(cli), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package", "package.json"), []byte(`{"version":"1.60.0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := ask(); err != nil || out != "Version 1.60.0\n" {
		t.Errorf("printed %q, %v", out, err)
	}
}

func TestNodeReplacesTheProcess(t *testing.T) {
	root := home.Root{Dir: filepath.Join(t.TempDir(), "home")}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	script := "#!/bin/sh\n[ \"$1\" = --version ] && echo v22.0.0 && exit\necho \"pid $$ args $* node $PLAYWRIGHT_NODEJS_PATH\"; cat; exit 7\n"
	node := filepath.Join(tools, "node")
	if err := socketstest.WriteProgram(node, []byte(script)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "/d/package/cli.js", "run-driver")
	cmd.Env = []string{"PATH=" + tools + ":/usr/bin:/bin", "ABROWSER_HOME=" + root.Dir, "PLAYWRIGHT_NODEJS_PATH=" + os.Args[0]}
	cmd.Stdin = strings.NewReader("sent to the driver")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("exit status %v, want Node's own 7: %s", err, &out)
	}
	// Node has the pid of the process that was started, so no process is between playwright-go and
	// the driver.
	first, last := "pid "+strconv.Itoa(cmd.Process.Pid)+" args --eval ", " /d/package/cli.js run-driver node \nsent to the driver"
	if !strings.HasPrefix(out.String(), first) || !strings.HasSuffix(out.String(), last) {
		t.Errorf("Node printed %q, want %q ... %q", &out, first, last)
	}
}

func TestWithoutNode(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "/d/package/cli.js", "run-driver")
	cmd.Env = []string{"PATH=/nowhere", "ABROWSER_HOME=" + t.TempDir()}
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != wire.ExitNoBrowser || !strings.HasPrefix(string(out), "abrowser: error: Node 18 or newer") {
		t.Errorf("status %d: %s", got, out)
	}
}

// TestRealDriver runs the real driver through our executable. With -short it is skipped,
// since it downloads the driver from the npm registry.
func TestRealDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads from the npm registry")
	}
	i := &install.Installer{Root: home.Root{Dir: filepath.Join(t.TempDir(), "home")}}
	if _, err := Find(t.Context(), i); err == nil {
		t.Fatal("Find returned a driver that is not installed")
	}
	if err := i.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	setup, err := Find(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), setup.Node, filepath.Join(setup.Directory, "package", "cli.js"), "run-driver")
	cmd.Env = append(os.Environ(), "ABROWSER_HOME="+i.Root.Dir)
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hello := `{"id":1,"guid":"","method":"initialize","params":{"sdkLanguage":"javascript"},"metadata":{}}`
	if _, err := in.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(hello))), hello...)); err != nil {
		t.Fatal(err)
	}
	var size uint32
	if err := binary.Read(out, binary.LittleEndian, &size); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(out, answer); err != nil || !bytes.Contains(answer, []byte("__create__")) {
		t.Errorf("the driver answered %.200q, %v", answer, err)
	}
	if err := in.Close(); err != nil { // the driver exits
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
