package verbs

import (
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// DownloadIn is the input of [SaveDownload].
type DownloadIn struct {
	Element
	Path string `json:"path" arg:"1" required:"true" file:"into" help:"the file to write, or a directory to write it in"`
	TimeoutIn
}

// SavedDownload is a download that was saved, or that the caller is to save.
type SavedDownload struct {
	Path              string `json:"path"`
	SuggestedFilename string `json:"suggestedFilename"`
	URL               string `json:"url"`
	Size              int64  `json:"size"` // bytes
	// Source is where the file is until the caller has taken it; Keep: it stays there.
	Source string `json:"source,omitzero"`
	Keep   bool   `json:"keep,omitzero"`
}

// Text is the file's path.
func (s SavedDownload) Text() string { return s.Path }

// TakeFile is the file.
func (s *SavedDownload) TakeFile() (wire.File, bool) {
	f := wire.File{Path: s.Path, Name: s.SuggestedFilename, Source: s.Source, Keep: s.Keep}
	s.Source, s.Keep = "", false
	return f, true
}

// SetPath says where the file is.
func (s *SavedDownload) SetPath(path string) { s.Path = path }

// DownloadOut is what [SaveDownload] answers.
type DownloadOut struct {
	SavedDownload
	Effects
}

// Text is the file's path and what else the click caused.
func (o DownloadOut) Text() string { return lines(o.SavedDownload.Text(), o.Effects.Text()) }

// SaveDownload clicks an element and saves the file that the browser downloads.
var SaveDownload = wire.Verb[DownloadIn, DownloadOut]{Spec: wire.Spec{
	Name: "download", Group: groupInput, Short: "Click an element and save the file that it downloads",
	Long: "A file that is there already is replaced when the whole new one has come. In a directory the file gets the name that " +
		"the page suggests, with a number where that is taken. A download that takes longer than the timeout goes on: " +
		"abrowser wait --download PATH fetches it.",
	Example: "abrowser download '#export' report.csv",
}}

// BrokerDownloadsIn is the input of [BrokerDownloads].
type BrokerDownloadsIn struct {
	Session string `json:"session" required:"true" help:"whose downloads"`
	Forget  string `json:"forget,omitzero" help:"the id of one that is finished and wanted no more"`
}

// BrokerDownload is a download of a session's page.
type BrokerDownload struct {
	Number            int       `json:"number"` // 1, 2, ...: never reused in a session
	GUID              string    `json:"guid"`
	URL               string    `json:"url"`
	SuggestedFilename string    `json:"suggestedFilename"`
	State             string    `json:"state"` // inProgress, completed or canceled
	Received          int64     `json:"received"`
	Total             int64     `json:"total,omitzero"` // 0 while it is not known
	StartedAt         time.Time `json:"began"`
	Delivered         bool      `json:"handed,omitzero"` // a program at the session's endpoint has it
	Path              string    `json:"path,omitzero"`   // of the finished file
	Keep              bool      `json:"keep,omitzero"`   // the file is not ours to move
}

// BrokerDownloadsOut lists downloads, the first begun first.
type BrokerDownloadsOut struct {
	Downloads []BrokerDownload `json:"downloads"`
}

// BrokerDownloads lists the downloads of a session that nobody has fetched.
var BrokerDownloads = wire.Verb[BrokerDownloadsIn, BrokerDownloadsOut]{Spec: wire.Spec{
	Name: "broker downloads", Group: groupBroker, Short: "List a session's downloads",
	Example: "abrowser broker downloads", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}
