package har

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Entry is one request and its response, with the members that readers of a HAR expect.
type Entry struct {
	Started  string   `json:"startedDateTime"`
	Time     float64  `json:"time"` // milliseconds
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	Cache    struct{} `json:"cache"`
	Timings  Timings  `json:"timings"`
	Resource string   `json:"_resourceType,omitzero"`
}

// Request is what was sent.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Pair    `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	Query       []Pair    `json:"queryString"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int       `json:"bodySize"`
	PostData    *postData `json:"postData,omitzero"`
}

type postData struct {
	MIMEType string `json:"mimeType"`
	Params   []Pair `json:"params"`
	Text     string `json:"text"`
}

// Response is what was received. Status is 0 if nothing was received.
type Response struct {
	Status      int     `json:"status"`
	StatusText  string  `json:"statusText"`
	HTTPVersion string  `json:"httpVersion"`
	Cookies     []Pair  `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	Content     content `json:"content"`
	RedirectURL string  `json:"redirectURL"`
	HeadersSize int     `json:"headersSize"`
	BodySize    int     `json:"bodySize"`
	Failure     string  `json:"_failureText,omitzero"`
}

type content struct {
	Size     int    `json:"size"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text,omitzero"`
	Encoding string `json:"encoding,omitzero"` // base64 or empty
	Comment  string `json:"comment,omitzero"`
}

// Timings are the parts of an entry's time in milliseconds; -1 is unknown.
type Timings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Pair is a header, a cookie or a parameter of a query.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// maxBody is the size in bytes of the largest body that is recorded.
const maxBody = 32 << 20

// unknownType is recorded as the media type of a response that has no content type.
const unknownType = "x-unknown"

// NewEntry returns the entry of a request that has no response yet. The parameter began is the
// time at which the request was sent. It identifies the request in a [Journal].
func NewEntry(began time.Time, method, address, resource string) Entry {
	e := Entry{
		Started: began.UTC().Format("2006-01-02T15:04:05.000000000Z"), Resource: resource,
		Request: Request{
			Method: method, URL: address, HTTPVersion: "HTTP/1.1", Cookies: []Pair{}, Headers: []Pair{}, Query: []Pair{}, HeadersSize: -1,
		},
		Response: Response{Cookies: []Pair{}, Headers: []Pair{}, HTTPVersion: "HTTP/1.1", HeadersSize: -1, BodySize: -1, Content: content{MIMEType: unknownType}},
		Timings:  Timings{Send: -1, Wait: -1, Receive: -1},
	}
	if u, err := url.Parse(address); err == nil {
		for name, values := range u.Query() {
			for _, value := range values {
				e.Request.Query = append(e.Request.Query, Pair{name, value})
			}
		}
		slices.SortStableFunc(e.Request.Query, func(a, b Pair) int { return strings.Compare(a.Name, b.Name) })
	}
	return e
}

// SetHeaders sets the headers, and the cookies among them.
func (r *Request) SetHeaders(headers []Pair) {
	r.Headers = headers
	if c := header(headers, "cookie"); c != "" {
		if cookies, err := http.ParseCookie(c); err == nil {
			r.Cookies = cookiePairs(cookies)
		}
	}
}

// SetBody sets the body's size. If keep is true and the body is text of at most maxBody bytes, it
// also sets the body itself. Call [Request.SetHeaders] first.
func (r *Request) SetBody(body []byte, keep bool) {
	r.BodySize = len(body)
	if keep && len(body) <= maxBody && utf8.Valid(body) {
		r.PostData = &postData{MIMEType: header(r.Headers, "content-type"), Params: []Pair{}, Text: string(body)}
	}
}

// SetHeaders sets the headers, and the members that follow from them: the redirect URL, the
// cookies and the content type.
func (r *Response) SetHeaders(headers []Pair) {
	r.Headers = headers
	r.RedirectURL = header(headers, "location")
	lines := http.Header{}
	for _, h := range headers {
		if strings.EqualFold(h.Name, "set-cookie") {
			lines.Add("Set-Cookie", h.Value)
		}
	}
	r.Cookies = cookiePairs((&http.Response{Header: lines}).Cookies())
	if r.Content.MIMEType = header(headers, "content-type"); r.Content.MIMEType == "" {
		r.Content.MIMEType = unknownType
	}
}

// WantsBody reports whether the response's body is to be recorded. The parameter bodies is "all",
// "text" or "none", and names the bodies that the caller wants. The body of a redirect is never
// recorded. Set the status and the headers first.
func (r *Response) WantsBody(bodies string) bool {
	if bodies == "none" || r.Status >= 300 && r.Status < 400 {
		return false
	}
	return bodies != "text" || isText(r.Content.MIMEType)
}

// SetBody sets the body and its size. If err says that the body could not be read, or if the body
// is larger than maxBody, SetBody sets a comment instead of the body.
func (r *Response) SetBody(body []byte, err error) {
	switch r.Content.Size = len(body); {
	case err != nil:
		r.Content.Comment = "the body is not there any more"
	case len(body) > maxBody:
		r.Content.Comment = "the body is too large"
	case isText(r.Content.MIMEType) && utf8.Valid(body):
		r.Content.Text = string(body)
	default:
		r.Content.Text, r.Content.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
	}
	r.BodySize = r.Content.Size
}

func isText(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") ||
		strings.HasSuffix(kind, "javascript") || kind == "application/x-www-form-urlencoded"
}

func cookiePairs(cookies []*http.Cookie) []Pair {
	all := []Pair{}
	for _, c := range cookies {
		all = append(all, Pair{c.Name, c.Value})
	}
	return all
}

func header(headers []Pair, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
