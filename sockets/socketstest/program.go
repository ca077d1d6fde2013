package socketstest

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that the tests execute. Between its fork and its exec, a child of
// this process has every file open that is open here. While any process has a file open for
// writing, executing the file fails with "text file busy". So WriteProgram lets no test fork while
// the file is open.
func WriteProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
}
