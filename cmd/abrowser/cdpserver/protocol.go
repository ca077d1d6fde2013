package cdpserver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/andybalholm/brotli"

	"github.com/abrowser/abrowser/sockets/wire"
)

// protocol returns the browser's own description of the protocol. Chromium returns the description
// only on a TCP port, which the browser does not have. So it is read from the browser's resources.
func protocol(h *handler, r *http.Request, _ *browser, _ string) (any, error) {
	status, err := h.server.Status(r.Context())
	if err != nil {
		return nil, err
	}
	if status.Executable == "" {
		return nil, wire.Errorf(wire.CodeNotFound, "abrowser did not start this browser, which describes the protocol at its own address")
	}
	program := status.Executable // may be a script that executes the browser
	if running, err := os.Readlink("/proc/" + strconv.Itoa(status.BrowserPID) + "/exe"); err == nil {
		program = running
	} else if resolved, err := filepath.EvalSymlinks(program); err == nil {
		program = resolved
	}
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(program), "resources.pak"))
	if err != nil {
		return nil, wire.Errorf(wire.CodeNotFound, "reading the browser's resources: %v", err)
	}
	found, err := findProtocol(raw)
	return found, err
}

// The format of Chromium's resource files, version 5, all numbers in little endian:
//
//	uint32 version
//	uint8  encoding, and 3 bytes of padding
//	uint16 number of resources
//	uint16 number of aliases
//	then for each resource, and once more for the end of the last one:
//	uint16 id
//	uint32 offset in the file
//
// A compressed resource begins with 0x1e 0x9b and its size in 6 bytes; Brotli data follows.
const (
	pakVersion = 5
	pakHead    = 12
	pakEntry   = 6
	brotliHead = 8
)

// leastProtocol is less than the size of any compressed description of the protocol. findProtocol
// skips smaller resources without decompressing them.
const leastProtocol = 32 << 10

// mostProtocol is a limit for the size of the description. Chromium 156's has 1.6 MB.
const mostProtocol = 32 << 20

// findProtocol returns the description of the protocol from the content of a resource file. It
// recognizes the resource by its first bytes, because the id of the resource differs between
// versions of Chromium.
func findProtocol(pak []byte) (json.RawMessage, error) {
	if len(pak) < pakHead || binary.LittleEndian.Uint32(pak) != pakVersion {
		return nil, wire.Errorf(wire.CodeNotFound, "the format of the browser's resources is not known")
	}
	for i := range int(binary.LittleEndian.Uint16(pak[8:])) {
		at := pakHead + i*pakEntry
		if at+2*pakEntry > len(pak) {
			break
		}
		from, to := int(binary.LittleEndian.Uint32(pak[at+2:])), int(binary.LittleEndian.Uint32(pak[at+pakEntry+2:]))
		if to > len(pak) || to-from < leastProtocol || pak[from] != 0x1e || pak[from+1] != 0x9b {
			continue
		}
		unpack := brotli.NewReader(bytes.NewReader(pak[from+brotliHead : to]))
		head := make([]byte, 64)
		if _, err := io.ReadFull(unpack, head); err != nil || !isProtocol(head) {
			continue
		}
		rest, err := io.ReadAll(io.LimitReader(unpack, mostProtocol))
		whole := append(head, rest...)
		if err == nil && !json.Valid(whole) {
			err = errors.New("it is not JSON")
		}
		if err != nil {
			return nil, wire.Errorf(wire.CodeInternal, "reading the description of the protocol: %v", err)
		}
		return whole, nil
	}
	return nil, wire.Errorf(wire.CodeNotFound, "the browser's resources have no description of the protocol")
}

// isProtocol reports whether a resource with these first bytes is the description of the protocol.
func isProtocol(head []byte) bool {
	compact := bytes.ReplaceAll(bytes.ReplaceAll(head, []byte(" "), nil), []byte("\n"), nil)
	return bytes.HasPrefix(compact, []byte(`{"version":{"major":`))
}
