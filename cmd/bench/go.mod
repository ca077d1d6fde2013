module github.com/abrowser/abrowser/cmd/bench

go 1.26.0

require (
	github.com/abrowser/abrowser v0.0.0 // the client package, as a task manager in Go uses it; e2e/apps: the apps that agents read
	github.com/tiktoken-go/tokenizer v0.10.0 // the tokens of a snapshot; it contains the vocabularies, so that nothing is downloaded
)

require (
	github.com/dlclark/regexp2/v2 v2.5.1 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/abrowser/abrowser => ../..
