//go:build linux

package e2e

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Screen is the display of an X server that the test runs, and a connection to it. Its methods
// implement the part of the X protocol that the tests need: they open a window, list the
// windows, find the window with the keyboard focus, and read pixels.
type Screen struct {
	t       *testing.T
	Display string
	conn    net.Conn
	root    uint32
	Window  uint32 // the test's own window: see [Screen.Show]
}

// NewScreen starts the X server Xvfb, which runs until the test ends, and connects to it.
func NewScreen(t *testing.T) *Screen {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	// The server must run longer than the test's context. The browser, which needs the display,
	// ends in a cleanup function, and the context is cancelled before the cleanup functions run.
	server := exec.CommandContext(context.WithoutCancel(t.Context()), "Xvfb", "-displayfd", "3", "-ac", "-nolisten", "tcp", "-screen", "0", "1600x1200x24")
	server.ExtraFiles = []*os.File{write}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // the error is that the server was killed
	})
	_ = write.Close() // the server has its own copy of the descriptor
	if err := read.SetReadDeadline(time.Now().Add(CommandDeadline)); err != nil {
		t.Fatal(err)
	}
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not come up: %v", err)
	}
	number = strings.TrimSpace(number)
	s := &Screen{t: t, Display: ":" + number}
	if s.conn, err = (&net.Dialer{}).DialContext(t.Context(), "unix", "/tmp/.X11-unix/X"+number); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.conn.Close() })
	s.greet()
	return s
}

// greet sets the X connection up, finds the root window and chooses an id for the test's window.
func (s *Screen) greet() {
	s.t.Helper()
	s.write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	head := s.read(8)
	if head[0] != 1 {
		s.t.Fatalf("the X server does not let us in: %v", head)
	}
	rest := s.read(4 * int(binary.LittleEndian.Uint16(head[6:])))
	vendor, formats := int(binary.LittleEndian.Uint16(rest[16:])), int(rest[21])
	s.Window = binary.LittleEndian.Uint32(rest[4:]) + 1
	s.root = binary.LittleEndian.Uint32(rest[32+(vendor+3)/4*4+8*formats:])
}

func (s *Screen) write(b []byte) {
	s.t.Helper()
	if _, err := s.conn.Write(b); err != nil {
		s.t.Fatal(err)
	}
}

func (s *Screen) read(n int) []byte {
	s.t.Helper()
	b := make([]byte, n)
	if err := s.conn.SetReadDeadline(time.Now().Add(CommandDeadline)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.ReadFull(s.conn, b); err != nil {
		s.t.Fatal(err)
	}
	return b
}

// request sends an X request: the opcode, the data byte that follows it in the header, and the
// body as 32-bit words.
func (s *Screen) request(code, data byte, words ...uint32) {
	s.t.Helper()
	b := []byte{code, data}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(words)+1))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	s.write(b)
}

// answer reads the reply to the last request. A reply begins with 32 bytes, which contain the
// length of the rest in units of 4 bytes. The X server sends nothing except replies, since the
// test has subscribed to no events.
func (s *Screen) answer() []byte {
	s.t.Helper()
	b := s.read(32)
	if b[0] != 1 {
		s.t.Fatalf("the X server answers %v", b)
	}
	return append(b, s.read(4*int(binary.LittleEndian.Uint32(b[4:])))...)
}

// Show opens the test's window and calls [Screen.Work]. The window represents another program, in
// which the person works while the browser runs.
func (s *Screen) Show() {
	const createWindow, mapWindow = 1, 8
	// Position 10,10; size 300x200; border width 0 and class InputOutput; the visual of the root
	// window; no attributes.
	s.request(createWindow, 0, s.Window, s.root, 10|10<<16, 300|200<<16, 0|1<<16, 0, 0)
	s.request(mapWindow, 0, s.Window)
	s.Work()
}

// Work raises the test's window to the top and gives it the keyboard focus.
func (s *Screen) Work() {
	const configureWindow, setInputFocus, stackMode, above = 12, 42, 1 << 6, 0
	s.request(configureWindow, 0, s.Window, stackMode, above)
	s.request(setInputFocus, 1, s.Window, 0)
}

// Focus returns the window that has the keyboard focus.
func (s *Screen) Focus() uint32 {
	const getInputFocus = 43
	s.request(getInputFocus, 0)
	return binary.LittleEndian.Uint32(s.answer()[8:])
}

// Windows returns the visible windows, the topmost last.
func (s *Screen) Windows() []uint32 {
	const queryTree, getAttributes = 15, 3
	s.request(queryTree, 0, s.root)
	b := s.answer()
	var all []uint32
	for i := range int(binary.LittleEndian.Uint16(b[16:])) {
		w := binary.LittleEndian.Uint32(b[32+4*i:])
		s.request(getAttributes, 0, w)
		if attributes := s.answer(); attributes[26] == 2 { // viewable
			all = append(all, w)
		}
	}
	return all
}

// Pixel returns the colour of a pixel of the screen, as 0xRRGGBB.
func (s *Screen) Pixel(x, y uint32) uint32 {
	const getImage, zPixmap, allPlanes = 73, 2, 1<<32 - 1
	s.request(getImage, zPixmap, s.root, x|y<<16, 1|1<<16, allPlanes)
	return binary.LittleEndian.Uint32(s.answer()[32:]) & 0xffffff
}

// provideScreens installs Xvfb with apt-get if it is missing. If the installation fails,
// provideScreens prints the error, and the tests that need a display fail.
func provideScreens(ctx context.Context) {
	if _, err := exec.LookPath("Xvfb"); err == nil {
		return
	}
	words := []string{"apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "xvfb"}
	if os.Getuid() != 0 {
		words = append([]string{"sudo", "-n"}, words...)
	}
	if out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n%s\n", strings.Join(words, " "), err, out)
	}
}
