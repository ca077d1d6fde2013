# The recipes of this repository. `just` without a recipe lists them. CI runs `just check`.

golangci := "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.0"
govulncheck := "golang.org/x/vuln/cmd/govulncheck@v1.1.4"

# The compiler and the linters take a fifth less processor time when they collect garbage less often.
go := "GOGC=400 go"

[private]
default:
    @just --list --unsorted

# CGO_ENABLED=0 keeps the C library out: each command then starts 1.5 ms sooner.
# build bin/abrowser, the thin command line, and bin/abrowserd, the full program that it executes for commands that need more
build:
    CGO_ENABLED=0 go build -o bin/abrowser ./cmd/thin
    CGO_ENABLED=0 go build -o bin/abrowserd ./cmd/abrowser

# install both programs where `go install` puts programs
install: build
    mkdir -p "${GOBIN:-$(go env GOPATH)/bin}"
    install bin/abrowserd bin/abrowser "${GOBIN:-$(go env GOPATH)/bin}"

# How many packages are tested at a time, each with up to four tests. Two take a fifth less time on two
# processors, but then pages may take longer to respond than a test expects: just packages=2 race
packages := "1"

# run the tests, with a real browser
test *args:
    {{ go }} build ./...
    {{ go }} test -p {{ packages }} {{ args }} ./...

# The timeout is long enough for a machine that is busy with other things. Without GORACE, each
# process would sleep for a second before it ends. The recipe lint includes go vet.
# run the tests with the race detector
race *args:
    {{ go }} build -race ./...
    GORACE=atexit_sleep_ms=0 {{ go }} test -vet=off -p {{ packages }} -race -timeout 30m {{ args }} ./...

# The packages for macOS are compiled without optimization, since they are not run.
# look for faults: the linters of .golangci.yml, which include go vet, and go vet for macOS
lint:
    GOOS=darwin {{ go }} vet -gcflags='all=-N -l' ./...
    cd cmd/bench && {{ go }} vet ./... && {{ go }} test ./...
    {{ go }} run {{ golangci }} run

# format everything
fmt:
    {{ go }} run {{ golangci }} fmt

# fail if `just fmt` would change a file
formatted:
    {{ go }} run {{ golangci }} fmt --diff

# write the tables in COMMANDS.md and README.md, which are generated from the verbs
docs:
    go test ./cmd/abrowser/cli -run README -update

# look for known vulnerabilities; needs the internet, so it is not part of check
vuln:
    go run {{ govulncheck }} ./...

# To update the figures in README.md and cmd/bench/README.md: just bench -out /tmp/figures.json, then just bench -readme /tmp/figures.json
# measure abrowser and similar programs from npm side by side; takes about ten minutes; see `just bench -h`
[positional-arguments]
bench *args:
    cd cmd/bench && go run . "$@"

# measure single parts: a command, a call over a socket, a message through the broker
bench-parts *args:
    go test ./cmd/abrowser ./cmd/abrowser/cli ./sockets/server ./launcher/broker -run '^$' -bench . {{ args }}

# remove each guard in cmd/mutants/guards.txt in turn and expect its tests to fail; words select guards by name, file or test
[positional-arguments]
mutants *words:
    go run ./cmd/mutants "$@"

# kill or freeze one process after another while tasks work, for 10 minutes with 6 tasks: just chaos 10m 6 [SEED]
chaos time="5m" tasks="4" seed="0":
    go test ./cmd/abrowser/faults -run '^TestChaos$' -v -timeout 0 -chaos.for={{ time }} -chaos.tasks={{ tasks }} -chaos.seed={{ seed }} -chaos.faults=
    go test ./cmd/abrowser/faults -run '^TestCyclesLeaveNothing$' -v -timeout 0 -cycles 1000

# To kill processes meanwhile: just soak 30m -soak.kills. To suspend them for moments: just soak 30m -soak.stalls.
# To run one kind and one action again: just soak 5m -soak.kinds=covered,click -soak.seed=7
# run commands for elements that become ready at random moments, and compare each answer with what the page counted
soak time="10m" *args:
    go test ./cmd/abrowser/soak -run '^TestSoak$' -v -timeout 0 -soak.for={{ time }} {{ args }}

# run what CI runs
check: formatted lint race
    git diff --exit-code
