package handover

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

// Message is a message between keeper and broker. It is sent as one line of JSON.
type Message struct {
	// From the keeper.
	Browser *Browser `json:"browser,omitempty"` // the first message: the browser to serve
	Close   bool     `json:"close,omitempty"`   // close the browser
	Gone    bool     `json:"gone,omitempty"`    // the browser has ended, and the broker must end too

	// From the broker.
	Ready     bool        `json:"ready,omitempty"`
	Error     *wire.Error `json:"error,omitempty"`     // the broker cannot serve
	Heartbeat bool        `json:"heartbeat,omitempty"` // sent each second
	Stop      bool        `json:"stop,omitempty"`      // the keeper must end the browser
	Lost      bool        `json:"lost,omitempty"`      // the browser has closed its pipe
	// The socket at which the broker listens was removed or replaced.
	Unbound bool `json:"unbound,omitempty"`
}

// Browser describes the browser that keeper and broker serve.
type Browser struct {
	Name       string    `json:"name"`
	Instance   string    `json:"instance"` // an id that is new for each start of the browser
	Fresh      bool      `json:"fresh"`    // no broker has served this instance yet
	Restarts   int       `json:"restarts"` // how many instances have died
	Died       time.Time `json:"died"`     // when the previous instance died; zero if none has
	PID        int       `json:"browserPid"`
	BrokerPID  int       `json:"brokerPid,omitzero"` // set for a keeper that did not start the broker
	KeeperPID  int       `json:"keeperPid"`
	Keeper     string    `json:"keeper"`     // the executable to start a keeper from
	Executable string    `json:"executable"` // the browser's executable
	Profile    string    `json:"profile"`
	NoSandbox  string    `json:"noSandbox,omitempty"` // why the browser runs without its sandbox
	Began      time.Time `json:"began"`
	// The previous keeper was asked to end the browser, and died before the browser had ended.
	Ending bool `json:"ending,omitzero"`
}

// Conn is one end of the connection between keeper and broker. If the keeper dies, the broker
// keeps its Conn, and calls [Conn.Replace] to connect it to the next keeper.
type Conn struct {
	mu   sync.Mutex // guards the fields below; held while writing
	conn net.Conn
	in   *bufio.Reader
}

// Silence is how long a broker may send nothing before the keeper treats it as dead. A broker sends
// a heartbeat each second.
const Silence = 5 * time.Second

const (
	sendTime  = 2 * time.Second
	firstTime = 10 * time.Second
)

// Pair returns a new connection: this process's end, and the file of the other end for
// the process to be started.
func Pair() (*Conn, *os.File, error) {
	// macOS has no SOCK_CLOEXEC, so the flag is set afterwards; nothing forks in between.
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	ours, err := Open(os.NewFile(uintptr(fds[0]), "connection"))
	theirs := os.NewFile(uintptr(fds[1]), "connection")
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// Open returns the connection whose end is f, and closes f.
func Open(f *os.File) (*Conn, error) {
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Conn{conn: conn, in: bufio.NewReader(conn)}, f.Close()
}

// Send sends a message. It returns an error if the message cannot be written within 2 s (sendTime),
// such as when the peer reads nothing.
func (c *Conn) Send(m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendTime)); err != nil {
		return err
	}
	_, err = c.conn.Write(append(line, '\n'))
	return err
}

// Receive waits for the next message. Calls of Receive must not overlap.
func (c *Conn) Receive() (Message, error) {
	c.mu.Lock()
	in := c.in
	c.mu.Unlock()
	var m Message
	line, err := in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(line, &m)
}

// Browser waits up to 10 s (firstTime) for the first message, which describes the browser.
func (c *Conn) Browser() (*Browser, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(firstTime)); err != nil {
		return nil, err
	}
	first, err := c.Receive()
	if err != nil || first.Browser == nil {
		return nil, wire.Errorf(wire.CodeStart, "the first message does not describe the browser: %v", err)
	}
	return first.Browser, c.conn.SetReadDeadline(time.Time{})
}

// Replace closes c's connection, whose other end is dead, and makes c use the connection of other
// instead.
func (c *Conn) Replace(other *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.Close() // its other end is dead
	c.conn, c.in = other.conn, other.in
}

// Close closes the connection.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.conn.Close() // the other end does not need data that is still unsent
}
