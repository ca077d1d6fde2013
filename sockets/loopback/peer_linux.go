package loopback

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// socketUser returns the user of a TCP socket on this machine, and true for known. The parameter
// own is the socket's address, and peer is the address to which the socket is connected. The socket
// may be an IPv6 socket with an IPv4 address.
func socketUser(own, peer netip.AddrPort) (uid int, known bool, err error) {
	// The kernel may omit a socket from the table if other sockets change while the table is read.
	const attempts = 3
	for range attempts {
		for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
			uid, found, err := findSocket(table, own, peer)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a system without IPv6
			}
			if err != nil || found {
				return uid, true, err
			}
		}
	}
	return 0, true, errors.New("the peer's socket is not in the table of TCP sockets")
}

// findSocket looks for a socket in one of the kernel's tables. It ignores sockets that no process
// has open, because the kernel reports user 0 for them, whichever user has closed them.
func findSocket(table string, own, peer netip.AddrPort) (uid int, found bool, err error) {
	file, err := os.Open(table)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
		columns := strings.Fields(lines.Text())
		if len(columns) < 10 || !isAddress(columns[1], own) || !isAddress(columns[2], peer) || columns[9] == "0" {
			continue
		}
		uid, err := strconv.ParseUint(columns[7], 10, 32)
		if err != nil {
			return 0, false, fmt.Errorf("reading %s: %w", table, err)
		}
		return int(uid), true, nil
	}
	return 0, false, lines.Err()
}

// isAddress reports whether a column of the table contains the address want.
func isAddress(column string, want netip.AddrPort) bool {
	address, port, _ := strings.Cut(column, ":")
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil || uint16(n) != want.Port() {
		return false
	}
	raw, err := hex.DecodeString(address)
	if err != nil || len(raw)%4 != 0 {
		return false
	}
	// The kernel prints each 32-bit word of an address as a number in native byte order.
	for word := raw; len(word) > 0; word = word[4:] {
		binary.BigEndian.PutUint32(word, binary.NativeEndian.Uint32(word))
	}
	got, ok := netip.AddrFromSlice(raw)
	return ok && got.Unmap() == want.Addr().Unmap()
}
