module github.com/abrowser/abrowser

go 1.26.0

require (
	filippo.io/age v1.3.2 // cmd/abrowser/seal: encrypt saved logins; a format that other programs read
	github.com/JohannesKaufmann/html-to-markdown/v2 v2.5.2 // daemon/web/markdown: convert pages to Markdown
	github.com/andybalholm/brotli v1.2.1 // cmd/abrowser/cdpserver: the description of CDP in the browser's resources is compressed with it; the standard library has no Brotli
	github.com/aymanbagabas/go-udiff v0.4.1 // daemon/web/diff: compare snapshots by lines
	github.com/coder/websocket v1.8.15 // launcher/broker: CDP for each session; daemon: a client of it
	github.com/creack/pty v1.1.24 // cmd/abrowser: tests run tasks in terminals, as a task manager does
	github.com/ergochat/readline v0.1.3 // cmd/abrowser/lineedit: edit, complete and recall the lines of repl in a terminal
	github.com/fsnotify/fsnotify v1.10.1 // sockets: wait for a socket to appear; launcher/broker: notice that one was removed
	github.com/modelcontextprotocol/go-sdk v1.8.0 // cmd/abrowser/mcp: the protocol's official library
	github.com/orisano/pixelmatch v0.0.0-20230914042517-fa304d1dc785 // daemon/web/picture: compare screenshots as Playwright does, but in the daemon of the session and not in the driver that sessions share
	github.com/playwright-community/playwright-go v0.6000.0 // daemon: drives the pages; later versions have another path, and @latest is an older one
	github.com/rogpeppe/go-internal v1.16.0 // cmd/abrowser: transcripts as tests
	github.com/spf13/cobra v1.10.2 // cmd/abrowser/completion: shell completion
	github.com/tailscale/hujson v0.0.0-20260727124030-b80ff77dac4f // cmd/abrowser/mcpsetup: add to other programs' JSON files and keep their comments
	golang.org/x/image v0.47.0 // daemon/web/picture: write numbers into screenshots; the standard library has no font
	golang.org/x/net v0.62.0 // daemon/web/cookies: the registrable domain of a host, by publicsuffix
	golang.org/x/sys v0.49.0 // sockets: flock, the peer's user
)

require (
	filippo.io/hpke v0.4.0 // indirect
	github.com/JohannesKaufmann/dom v0.3.1 // indirect
	github.com/deckarep/golang-set/v2 v2.8.0 // indirect
	github.com/go-jose/go-jose/v3 v3.0.5 // indirect
	github.com/go-stack/stack v1.8.1 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
