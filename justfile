# What is done with this tree; `just` alone lists it. `check` is what CI runs.

golangci := "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.6.0"
govulncheck := "golang.org/x/vuln/cmd/govulncheck@v1.1.4"

[private]
default:
    @just --list --unsorted

# Without C's library each command starts 1.5 ms sooner.
# build bin/abrowser, the command line, and bin/abrowserd, the full program that it executes when it needs more
build:
    CGO_ENABLED=0 go build -o bin/abrowser ./cmd/thin
    CGO_ENABLED=0 go build -o bin/abrowserd ./cmd/abrowser

# put both where `go install` puts programs
install: build
    mkdir -p "${GOBIN:-$(go env GOPATH)/bin}"
    install bin/abrowserd bin/abrowser "${GOBIN:-$(go env GOPATH)/bin}"

# One package at a time: most of them keep two processors busy by themselves. With more of them,
# pages may take longer to answer than a command waits.
# run the tests, with a real browser
test *args:
    go build ./...
    go test -p 1 {{ args }} ./...

# The time is for a machine that does other things, too. Without GORACE each process
# that ends waits a second more.
# run the tests with the race detector
race *args:
    go build -race ./...
    GORACE=atexit_sleep_ms=0 go test -p 1 -race -timeout 30m {{ args }} ./...

# look for faults: vet for both systems, then the linters of .golangci.yml
lint:
    go vet ./...
    GOOS=darwin go vet ./...
    cd cmd/bench && go vet ./... && go test ./...
    go run {{ golangci }} run

# format everything
fmt:
    go run {{ golangci }} fmt

# fail where `just fmt` would change something
formatted:
    go run {{ golangci }} fmt --diff

# write what is generated from the verbs: the tables of COMMANDS.md and README.md
docs:
    go test ./cmd/abrowser/cli -run README -update

# known vulnerabilities; needs the internet, so it is not part of check
vuln:
    go run {{ govulncheck }} ./...

# For the READMEs of the tree and of cmd/bench: just bench -out /tmp/figures.json, then just bench -readme /tmp/figures.json
# measure side by side with the peers, which come from npm; about ten minutes; see `just bench -h`
bench *args:
    cd cmd/bench && go run . {{ args }}

# measure the parts: one command at a time, a call over a socket, a message through the broker
bench-parts *args:
    go test ./cmd/abrowser ./cmd/abrowser/cli ./sockets/server ./launcher/broker -run '^$' -bench . {{ args }}

# remove each guard of cmd/mutants/guards.txt in turn and expect its tests to fail; words choose guards
mutants *words:
    go run ./cmd/mutants {{ words }}

# end and stop every process there is while tasks work, for a time: just chaos 10m 6 [SEED]
chaos time="5m" tasks="4" seed="0":
    go test ./cmd/abrowser/faults -run '^TestChaos$' -v -timeout 0 -chaos.for={{ time }} -chaos.tasks={{ tasks }} -chaos.seed={{ seed }} -chaos.faults=
    go test ./cmd/abrowser/faults -run '^TestCyclesLeaveNothing$' -v -timeout 0 -cycles 1000

# With faults: just soak 30m -soak.kills; with delays at each hand-over: just soak 30m -soak.stalls. One kind again: just soak 5m -soak.kinds=covered,click -soak.seed=7
# commands for elements that become ready at random moments, each answer compared with what the page counted
soak time="10m" *args:
    go test ./cmd/abrowser/soak -run '^TestSoak$' -v -timeout 0 -soak.for={{ time }} {{ args }}

# what CI runs
check: formatted lint race
    git diff --exit-code
