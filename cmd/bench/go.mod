module github.com/abrowser/abrowser/cmd/bench

go 1.26.0

require (
	github.com/abrowser/abrowser v0.0.0 // the client package, as a task manager in Go uses it; e2e/apps: the apps that agents read; tools: programs that speak CDP
	github.com/tiktoken-go/tokenizer v0.10.0 // the tokens of a snapshot; it contains the vocabularies, so that nothing is downloaded
)

require (
	github.com/dlclark/regexp2/v2 v2.5.1 // indirect
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)

replace github.com/abrowser/abrowser => ../..
