package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// CDPIn is the input of [CDP].
type CDPIn struct {
	Port    int      `json:"port,omitzero" min:"1" help:"the TCP port on 127.0.0.1; the default is a free port"`
	Command []string `json:"command,omitzero" arg:"--" help:"a program and its arguments, in which {cdp} stands for the URL; the endpoint ends with the program"`
}

const maxPort = 65535

// Check returns [wire.CodeBadInput] for a port that is too large, and for a program whose name is
// empty.
func (in CDPIn) Check() error {
	if in.Port > maxPort {
		return wire.Errorf(wire.CodeBadInput, "port is %d; it takes at most %d", in.Port, maxPort)
	}
	if len(in.Command) > 0 && in.Command[0] == "" {
		return wire.Errorf(wire.CodeBadInput, "the program after -- has no name")
	}
	return nil
}

// CDPOut is the output of [CDP].
type CDPOut struct {
	URL string `json:"url"` // the WebSocket of the session's browser
	// HTTPURL is the URL to which clients append paths such as /json/version. It has no slash at the
	// end.
	HTTPURL string `json:"httpUrl"`
	Session string `json:"session"`
}

// Text returns the URL of the WebSocket.
func (o CDPOut) Text() string { return o.URL }

// CDP serves the session's CDP endpoint on a TCP port, for programs that cannot use a Unix socket.
var CDP = wire.Verb[CDPIn, CDPOut]{Spec: wire.Spec{
	Name: "cdp", Group: groupSession, Short: "Serve the session's CDP endpoint on a TCP port of 127.0.0.1, or run a program with it",
	Long: "Without a program it prints the endpoint's URL, and serves until it is interrupted or its standard input, if that is a pipe, ends. " +
		"A program gets the URL in ABROWSER_CDP_URL and in place of each {cdp} in its arguments; the command ends with it and has its exit status. " +
		"The URL contains a secret that is of no use after the end.",
	Example: "abrowser cdp -- npx @playwright/mcp --cdp-endpoint {cdp}", By: wire.ByCommand, NoStart: true,
}}

// ConnectIn is the input of [Connect].
type ConnectIn struct {
	Endpoint string `json:"endpoint" arg:"0" required:"true" help:"the port or the URL of the browser's debugger, as 9222 or ws://127.0.0.1:9222/devtools/browser/ID"`
}

// ConnectOut is the output of [Connect].
type ConnectOut struct {
	Launched bool   `json:"launched"` // the session has a page in the browser
	URL      string `json:"url"`
	TabID    string `json:"tabId"`
	TargetID string `json:"targetId"`
}

// Text is empty, because the caller knows the endpoint.
func (o ConnectOut) Text() string { return "" }

// Connect opens the session in a running browser that abrowser has not started.
var Connect = wire.Verb[ConnectIn, ConnectOut]{Spec: wire.Spec{
	Name: "connect", Group: groupSession, Short: "Open the session in a running browser that abrowser did not start",
	Long:    "It is the same as --cdp ENDPOINT open. The session's later commands need no endpoint. It works in a tab of its own and never shows or closes those of a person.",
	Example: "abrowser connect 9222", By: wire.ByCommand,
}}

// InspectIn is the input of [Inspect].
type InspectIn struct {
	Tab  string `json:"tab,omitzero" arg:"0" help:"the tab, as t2, or its label; the default is the active tab"`
	Port int    `json:"port,omitzero" min:"1" help:"the TCP port on 127.0.0.1; the default is a free port"`
}

// Check returns [wire.CodeBadInput] for a port that is too large.
func (in InspectIn) Check() error { return CDPIn{Port: in.Port}.Check() }

// InspectOut is the output of [Inspect].
type InspectOut struct {
	Opened bool   `json:"opened"` // a window was opened; always false, because a person opens the URL
	URL    string `json:"url"`    // of DevTools, for the address bar of Chrome, Chromium or Edge
	TabID  string `json:"tabId"`
}

// Text returns the URL.
func (o InspectOut) Text() string { return o.URL }

// Inspect lets a person inspect a page of the session with DevTools.
var Inspect = wire.Verb[InspectIn, InspectOut]{Spec: wire.Spec{
	Name: "inspect", Group: groupDiagnosis, Short: "Print a URL that opens DevTools on the session's page in your own browser",
	Long: "Copy the URL into the address bar of Chrome, Chromium or Edge. DevTools works on the page as long as the command runs: " +
		"until it is interrupted or its standard input, if that is a pipe, ends. " +
		"The session's commands go on meanwhile. The URL contains a secret that is of no use after the end.",
	Example: "abrowser inspect", By: wire.ByCommand, NoStart: true,
}}
