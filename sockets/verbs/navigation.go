package verbs

import "github.com/abrowser/abrowser/sockets/wire"

const groupNavigation = "Navigation"

// OpenIn is the input of [Open].
type OpenIn struct {
	URL      string         `json:"url,omitzero" arg:"0" help:"the URL to open; the default scheme is https, or http for loopback hosts"`
	Device   string         `json:"device,omitzero" help:"emulate this device in the session's pages: iPhone 15, Pixel 7, Desktop Chrome"`
	Viewport StringOrObject `json:"viewport,omitzero" help:"the size of the pages, such as 800x600; overrides the size of a device"`
	HAR      string         `json:"har,omitzero" flag:"har" file:"out" help:"record the session's requests in this HAR file until the session is closed"`
	HARs     []string       `json:"hars,omitzero" flag:"hars" file:"in" help:"answer requests from these HAR files if they contain a response"`
	OnEnd    string         `json:"onEnd,omitzero" enum:"keep|close" help:"what happens to the session's tabs when it is closed"`
	TimeoutIn
}

// Check returns an error for an invalid viewport.
func (in OpenIn) Check() error {
	if in.Viewport == "" {
		return nil
	}
	_, _, err := ParseSize(in.Viewport)
	return err
}

// OpenOut is the output of [Open].
type OpenOut struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	TabID    string `json:"tabId"`
	TargetID string `json:"targetId"`
	Effects
}

// Text returns the title, the URL and the effects, each on its own line.
func (o OpenOut) Text() string { return lines(o.Title, o.URL, o.Effects.Text()) }

// Open creates the session's page if needed and navigates it to a URL.
var Open = wire.Verb[OpenIn, OpenOut]{Spec: wire.Spec{
	Name: "open", PageText: true, Aliases: []string{"goto", "navigate"}, Group: groupNavigation,
	Short:   "Go to a URL in the session's own page",
	Long:    "Waits for the page's load event. If the document is loaded but the event does not come in time, the command succeeds with a warning.",
	Example: "abrowser open https://example.com",
}}

// StepIn is the input of [Back], [Forward] and [Reload].
type StepIn struct{ TimeoutIn }

// PageURL is the URL of the page after a command.
type PageURL struct {
	URL string `json:"url"`
	Effects
}

// Text returns the URL and the effects.
func (o PageURL) Text() string { return lines(o.URL, o.Effects.Text()) }

// Back goes one step back in the page's history.
var Back = wire.Verb[StepIn, PageURL]{Spec: wire.Spec{
	Name: "back", Group: groupNavigation, Short: "Go back in the page's history", Example: "abrowser back",
}}

// Forward goes one step forward in the page's history.
var Forward = wire.Verb[StepIn, PageURL]{Spec: wire.Spec{
	Name: "forward", Group: groupNavigation, Short: "Go forward in the page's history", Example: "abrowser forward",
}}

// PushStateIn is the input of [PushState].
type PushStateIn struct {
	URL string `json:"url" arg:"0" required:"true" help:"a URL of the page's origin, or a path such as /settings"`
	TimeoutIn
}

// PushStateOut is the output of [PushState].
type PushStateOut struct {
	URL string `json:"url"`
}

// Text returns the page's URL.
func (o PushStateOut) Text() string { return o.URL }

// PushState makes a page with client-side routing go to another URL.
var PushState = wire.Verb[PushStateIn, PushStateOut]{Spec: wire.Spec{
	Name: "pushstate", Group: groupNavigation, Short: "Change the page's URL without loading a document", Example: "abrowser pushstate /settings",
	Long: "Pages with client-side routing show the view of the URL: those of Next.js by their own router, others because of a popstate event.",
}}

// Reload loads the page again.
var Reload = wire.Verb[StepIn, PageURL]{Spec: wire.Spec{
	Name: "reload", Group: groupNavigation, Short: "Load the page again", Example: "abrowser reload",
}}
