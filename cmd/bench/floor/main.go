// Command floor connects to the Unix socket that its first argument names, sends its second
// argument, if any, and prints the response. A command that gets a response from a daemon cannot do
// less work than this.
package main

import (
	"os"
	"syscall"
)

func main() {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: os.Args[1]})
	}
	if err == nil && len(os.Args) > 2 {
		_, err = syscall.Write(fd, []byte(os.Args[2]))
	}
	var answer [4096]byte
	n := 0
	if err == nil {
		n, err = syscall.Read(fd, answer[:])
	}
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(answer[:n])
}
