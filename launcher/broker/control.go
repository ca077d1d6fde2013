package broker

import (
	"bufio"
	"encoding/json"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// word is what keeper and broker say to each other, one JSON object a line.
type word struct {
	// From the keeper.
	Charge *charge `json:"charge,omitempty"` // the first word: what the broker is to serve
	Close  bool    `json:"close,omitempty"`  // close the browser
	Gone   bool    `json:"gone,omitempty"`   // the browser has ended; end too

	// From the broker.
	Ready bool        `json:"ready,omitempty"`
	Error *wire.Error `json:"error,omitempty"` // it cannot serve
	Beat  bool        `json:"beat,omitempty"`  // it lives
	Stop  bool        `json:"stop,omitempty"`  // the browser is to end
	Lost  bool        `json:"lost,omitempty"`  // the browser has closed its pipe
}

// charge is what the broker is put in charge of.
type charge struct {
	Name       string    `json:"name"`
	Instance   string    `json:"instance"` // of the browser: another one at each start
	Fresh      bool      `json:"fresh"`    // no broker has served this instance yet
	Restarts   int       `json:"restarts"` // how many instances died before
	Died       time.Time `json:"died"`     // when the last of them did; zero where none has
	BrowserPID int       `json:"browserPid"`
	BrokerPID  int       `json:"brokerPid,omitzero"` // to a new keeper, which did not start it
	KeeperPID  int       `json:"keeperPid"`
	Keeper     string    `json:"keeper"` // the executable to start a keeper from
	Executable string    `json:"executable"`
	Profile    string    `json:"profile"`
	NoSandbox  string    `json:"noSandbox,omitempty"` // why it has none
	Began      time.Time `json:"began"`
	Ending     bool      `json:"ending,omitzero"` // the keeper before was ending the browser
}

// The descriptors that a broker is started with.
const (
	fdControl = 3 + iota
	fdIn      // the browser reads from it
	fdOut     // the browser writes to it
	fdListener
	fdLease
	fdErrors // the browser's stderr; held, so that it survives the keeper
)

// control is one end of the line between keeper and broker. The broker's end
// outlives a keeper: see [control.renew].
type control struct {
	mu   sync.Mutex // guards the fields below, held while writing
	conn net.Conn
	in   *bufio.Reader
}

const controlTime = 2 * time.Second

func (c *control) send(s word) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(controlTime)); err != nil {
		return err
	}
	_, err = c.conn.Write(append(line, '\n'))
	return err
}

// receive waits for the other's next word. One goroutine calls it.
func (c *control) receive() (word, error) {
	c.mu.Lock()
	in := c.in
	c.mu.Unlock()
	var s word
	line, err := in.ReadBytes('\n')
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(line, &s)
}

// renew goes on with another's line.
func (c *control) renew(with *control) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.Close() // its other end is dead
	c.conn, c.in = with.conn, with.in
}

func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.Close() // nobody waits for what was written
}

func controlOn(f *os.File) (*control, error) {
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &control{conn: conn, in: bufio.NewReader(conn)}, f.Close()
}

// newControl returns the keeper's end and the file of the broker's.
func newControl() (*control, *os.File, error) {
	// No SOCK_CLOEXEC on macOS, so by hand, with no fork in between.
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	ours, err := controlOn(os.NewFile(uintptr(fds[0]), "control"))
	theirs := os.NewFile(uintptr(fds[1]), "control")
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}
