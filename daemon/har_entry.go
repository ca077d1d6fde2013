package daemon

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/playwright-community/playwright-go"
)

// harEntry is one request in a HAR 1.2 file, with the members that its readers ask
// for.
type harEntry struct {
	Started  string      `json:"startedDateTime"`
	Time     float64     `json:"time"` // milliseconds
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`
	Resource string      `json:"_resourceType,omitzero"`
}

type harRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []harPair    `json:"cookies"`
	Headers     []harPair    `json:"headers"`
	Query       []harPair    `json:"queryString"`
	HeadersSize int          `json:"headersSize"`
	BodySize    int          `json:"bodySize"`
	PostData    *harPostData `json:"postData,omitzero"`
}

type harPostData struct {
	MIMEType string    `json:"mimeType"`
	Params   []harPair `json:"params"`
	Text     string    `json:"text"`
}

type harResponse struct {
	Status      int        `json:"status"` // 0 where none came
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
	Failure     string     `json:"_failureText,omitzero"`
}

type harContent struct {
	Size     int    `json:"size"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text,omitzero"`
	Encoding string `json:"encoding,omitzero"` // base64, or none
	Comment  string `json:"comment,omitzero"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const mostBody = 32 << 20 // bytes of one body that are kept

// requestOf is the entry of a request that has no answer.
func requestOf(q playwright.Request, began time.Time) harEntry {
	e := harEntry{
		Started: began.UTC().Format("2006-01-02T15:04:05.000000Z"), Resource: q.ResourceType(),
		Request: harRequest{
			Method: q.Method(), URL: q.URL(), HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: []harPair{}, Query: []harPair{}, HeadersSize: -1,
		},
		Response: harResponse{Cookies: []harPair{}, Headers: []harPair{}, HTTPVersion: "HTTP/1.1", HeadersSize: -1, BodySize: -1, Content: harContent{MIMEType: "x-unknown"}},
		Timings:  harTimings{Send: -1, Wait: -1, Receive: -1},
	}
	if u, err := url.Parse(q.URL()); err == nil {
		for name, values := range u.Query() {
			for _, value := range values {
				e.Request.Query = append(e.Request.Query, harPair{name, value})
			}
		}
		slices.SortStableFunc(e.Request.Query, func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
	}
	return e
}

// entryOf is the entry of a request that is over. What cannot be had any more, since
// its page has gone, is left out.
func entryOf(q playwright.Request, began time.Time, content string) harEntry {
	e := requestOf(q, began)
	headers, _ := q.HeadersArray()
	e.Request.Headers = pairs(headers)
	if c := header(headers, "cookie"); c != "" {
		if cookies, err := http.ParseCookie(c); err == nil {
			e.Request.Cookies = cookiePairs(cookies)
		}
	}
	if body, err := q.PostDataBuffer(); err == nil && len(body) > 0 {
		e.Request.BodySize = len(body)
		if content != "none" && utf8.Valid(body) {
			e.Request.PostData = &harPostData{MIMEType: header(headers, "content-type"), Params: []harPair{}, Text: string(body)}
		}
	}
	if why := q.Failure(); why != nil {
		e.Response.Failure = why.Error()
	}
	if t := q.Timing(); t != nil && t.ResponseEnd > 0 {
		e.Time = t.ResponseEnd
		e.Timings = harTimings{Send: 0, Wait: max(0, t.ResponseStart-max(0, t.RequestStart)), Receive: max(0, t.ResponseEnd-max(0, t.ResponseStart))}
	}
	if answer, err := q.ExistingResponse(); err == nil && answer != nil {
		e.answered(answer, content)
	}
	return e
}

func (e *harEntry) answered(answer playwright.Response, content string) {
	headers, _ := answer.HeadersArray()
	r := &e.Response
	r.Status, r.StatusText, r.Headers = answer.Status(), answer.StatusText(), pairs(headers)
	if version, err := answer.HttpVersion(); err == nil && version != "" {
		r.HTTPVersion, e.Request.HTTPVersion = version, version
	}
	r.RedirectURL = header(headers, "location")
	lines := http.Header{}
	for _, h := range headers {
		if strings.EqualFold(h.Name, "set-cookie") {
			lines.Add("Set-Cookie", h.Value)
		}
	}
	r.Cookies = cookiePairs((&http.Response{Header: lines}).Cookies())
	if r.Content.MIMEType = header(headers, "content-type"); r.Content.MIMEType == "" {
		r.Content.MIMEType = "x-unknown"
	}
	if content == "none" || r.Status >= 300 && r.Status < 400 {
		return
	}
	text := isText(r.Content.MIMEType)
	if content == "text" && !text {
		return
	}
	body, err := answer.Body()
	switch r.Content.Size = len(body); {
	case err != nil:
		r.Content.Comment = "the body is not there any more"
	case len(body) > mostBody:
		r.Content.Comment = "the body is too large"
	case text && utf8.Valid(body):
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

func pairs(headers []playwright.NameValue) []harPair {
	all := []harPair{}
	for _, h := range headers {
		all = append(all, harPair(h))
	}
	return all
}

func cookiePairs(cookies []*http.Cookie) []harPair {
	all := []harPair{}
	for _, c := range cookies {
		all = append(all, harPair{c.Name, c.Value})
	}
	return all
}

func header(headers []playwright.NameValue, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
