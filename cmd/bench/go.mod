module github.com/abrowser/abrowser/cmd/bench

go 1.26.0

require github.com/abrowser/abrowser v0.0.0 // the client package, as a task manager in Go uses it

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/abrowser/abrowser => ../..
