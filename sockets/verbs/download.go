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

// SavedDownload is a finished download. The caller moves or copies the file from Source to Path.
type SavedDownload struct {
	Path              string `json:"path"`
	SuggestedFilename string `json:"suggestedFilename"`
	URL               string `json:"url"`
	Size              int64  `json:"size"` // bytes
	// Source is the path where the caller finds the file. If Keep is true, the caller must copy
	// the file instead of moving it. TakeFile clears both fields.
	Source string `json:"source,omitzero"`
	Keep   bool   `json:"keep,omitzero"`
}

// Text returns the file's path.
func (s SavedDownload) Text() string { return s.Path }

// TakeFile returns the file, which the caller then saves; see [wire.Filer].
func (s *SavedDownload) TakeFile() (wire.File, bool) {
	f := wire.File{Path: s.Path, Name: s.SuggestedFilename, Source: s.Source, Keep: s.Keep}
	s.Source, s.Keep = "", false
	return f, true
}

// SetPath sets the path to which the file was saved.
func (s *SavedDownload) SetPath(path string) { s.Path = path }

// DownloadOut is the output of [SaveDownload].
type DownloadOut struct {
	SavedDownload
	Effects
}

// Text returns the file's path and the other effects of the click.
func (o DownloadOut) Text() string { return lines(o.SavedDownload.Text(), o.Effects.Text()) }

// SaveDownload clicks an element and saves the file that the browser downloads.
var SaveDownload = wire.Verb[DownloadIn, DownloadOut]{Spec: wire.Spec{
	Name: "download", Group: groupInput, Short: "Click an element and save the file that it downloads",
	Long: "An existing file is replaced when the download is complete. In a directory the file gets the name that the page suggests, " +
		"with a number if that is taken. A download that takes longer than the timeout continues: abrowser wait --download PATH saves it.",
	Example: "abrowser download '#export' report.csv",
}}

// BrokerDownloadsIn is the input of [BrokerDownloads].
type BrokerDownloadsIn struct {
	Session string `json:"session" required:"true" help:"the session of the downloads"`
	Forget  string `json:"forget,omitzero" help:"the id of a finished download to forget"`
}

// BrokerDownload is a download of a session's page.
type BrokerDownload struct {
	Number            int       `json:"number"` // 1, 2, ...: never reused in a session
	GUID              string    `json:"guid"`
	URL               string    `json:"url"`
	SuggestedFilename string    `json:"suggestedFilename"`
	State             string    `json:"state"` // inProgress, completed or canceled
	Received          int64     `json:"received"`
	Total             int64     `json:"total,omitzero"` // 0 if unknown
	StartedAt         time.Time `json:"began"`
	Delivered         bool      `json:"handed,omitzero"` // a CDP client of the session has got a copy of the file
	Path              string    `json:"path,omitzero"`   // the path of the finished file
	Keep              bool      `json:"keep,omitzero"`   // the file must be copied, not moved
}

// BrokerDownloadsOut lists downloads in the order of their start.
type BrokerDownloadsOut struct {
	Downloads []BrokerDownload `json:"downloads"`
}

// BrokerDownloads lists the session's downloads that no command has saved yet. If Forget is set,
// BrokerDownloads first removes that download from the list.
var BrokerDownloads = wire.Verb[BrokerDownloadsIn, BrokerDownloadsOut]{Spec: wire.Spec{
	Name: "broker downloads", Group: groupBroker, Short: "List a session's downloads",
	Example: "abrowser broker downloads", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}
