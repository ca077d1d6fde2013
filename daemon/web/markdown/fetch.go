// Package markdown returns pages and URLs as Markdown. It requests URLs itself, so that no page has
// to be opened. Package web calls it.
package markdown

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/address"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxBody      = 8 << 20 // bytes that are read of a response
	maxRedirects = 10
)

// document is what was read, before the conversion.
type document struct {
	body, kind string // kind is a media type without parameters
	final      *url.URL
	status     int
	cut        bool
}

// Read reads the page, or a URL with the browser's cookies.
func Read(ctx context.Context, at *direct.Page, in verbs.ReadIn) (verbs.ReadOut, error) {
	var d document
	var err error
	if in.URL == "" && in.LLMs == "" {
		d, err = ofPage(at)
	} else {
		d, err = ofURL(ctx, at, in)
	}
	if err != nil {
		return verbs.ReadOut{}, err
	}
	out := verbs.ReadOut{ContentType: d.kind, FinalURL: d.final.String(), URL: in.URL, Status: d.status, Source: verbs.ReadFromText}
	if out.URL == "" {
		out.URL = at.URL
	}
	switch isHTML := d.kind == "text/html" || d.kind == "application/xhtml+xml"; {
	case d.kind == "text/markdown":
		out.Source = verbs.ReadFromMarkdown
	case in.RequireMD:
		return verbs.ReadOut{}, wire.Errorf(wire.CodeNotFound, "the server has no Markdown for this URL; it has %s", d.kind).WithHint("leave --require-md out")
	case isHTML && in.URL == "" && in.LLMs == "":
		out.Source = verbs.ReadFromPage
	case isHTML:
		out.Source = verbs.ReadFromHTML
	}
	if isConverted := out.Source == verbs.ReadFromPage || out.Source == verbs.ReadFromHTML; isConverted && !in.Raw {
		if d.body, err = markdownOf(d.body, d.final); err != nil {
			return verbs.ReadOut{}, err
		}
	}
	switch {
	case in.Outline:
		d.body = outline(d.body)
	case in.Filter != "":
		if d.body = filtered(d.body, in.Filter); d.body == "" {
			return verbs.ReadOut{}, wire.Errorf(wire.CodeNotFound, "no paragraph contains %q", in.Filter).WithHint("abrowser read --outline")
		}
	}
	out.Content, out.Truncated = cutText(d.body)
	out.Truncated = out.Truncated || d.cut
	return out, nil
}

// ofPage returns the document of the session's page.
func ofPage(at *direct.Page) (document, error) {
	final, err := url.Parse(at.URL)
	if err != nil {
		return document{}, wire.Errorf(wire.CodeInternal, "the page's address is not a URL")
	}
	var root struct{ Root struct{ NodeID int } }
	if err := at.Send("DOM.getDocument", map[string]any{"depth": 0}, &root); err != nil {
		return document{}, err
	}
	var html struct{ OuterHTML string }
	err = at.Send("DOM.getOuterHTML", map[string]any{"nodeId": root.Root.NodeID}, &html)
	return document{body: html.OuterHTML, kind: "text/html", final: final}, err
}

// ofURL requests a URL.
func ofURL(ctx context.Context, at *direct.Page, in verbs.ReadIn) (document, error) {
	given := in.URL
	if given == "" {
		given = at.URL
	}
	complete, err := address.Complete(given)
	if err != nil {
		return document{}, err
	}
	to, err := url.Parse(complete)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return document{}, wire.Errorf(wire.CodeBadInput, "read takes http and https URLs").WithHint("abrowser open URL, then abrowser read")
	}
	switch in.LLMs {
	case "index":
		to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/llms.txt"}
	case "full":
		to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/llms-full.txt"}
	}
	resp, err := request(ctx, at, to)
	if err != nil {
		return document{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return document{}, wire.Errorf(wire.CodeNavigation, "the server answered with status %d", resp.StatusCode).WithHint("abrowser open URL shows what it says")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return document{}, requestError(ctx, err)
	}
	d := document{kind: mediaType(resp.Header.Get("Content-Type"), body), final: resp.Request.URL, status: resp.StatusCode}
	if d.cut = len(body) > maxBody; d.cut {
		body = body[:maxBody]
	}
	if !isText(d.kind) {
		return document{}, wire.Errorf(wire.CodeBadInput, "the URL is no text but %s", d.kind).WithHint("abrowser open URL downloads it")
	}
	d.body, err = decoded(body, resp.Header.Get("Content-Type"))
	return d, err
}

// request requests a URL with the cookies that the browser would send.
func request(ctx context.Context, at *direct.Page, to *url.URL) (*http.Response, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DialContext: dial}
	client := &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return errors.New("too many redirects")
		}
		return addCookies(at, req)
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "invalid URL")
	}
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1")
	if err := addCookies(at, req); err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, requestError(ctx, err)
	}
	return resp, nil
}

// dial connects to a host. As in browsers, each name below localhost is this machine.
func dial(ctx context.Context, network, to string) (net.Conn, error) {
	var d net.Dialer
	if host, port, err := net.SplitHostPort(to); err == nil && strings.HasSuffix(strings.ToLower(host), ".localhost") {
		to = net.JoinHostPort("localhost", port)
	}
	return d.DialContext(ctx, network, to)
}

// addCookies adds the browser's cookies for the request's URL.
func addCookies(at *direct.Page, req *http.Request) error {
	var out struct {
		Cookies []struct{ Name, Value string }
	}
	if err := at.Send("Network.getCookies", map[string]any{"urls": []string{req.URL.String()}}, &out); err != nil {
		return err
	}
	var pairs []string
	for _, c := range out.Cookies {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	req.Header.Del("Cookie") // those for the URL before a redirect
	if len(pairs) > 0 {
		req.Header.Set("Cookie", strings.Join(pairs, "; "))
	}
	return nil
}

// requestError returns the error of a request without its URL, which may have secrets.
func requestError(ctx context.Context, err error) error {
	var coded *wire.Error
	if errors.As(err, &coded) {
		return coded
	}
	if ctx.Err() != nil {
		return daemon.ContextError(ctx)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return wire.Errorf(wire.CodeNavigation, "the request failed: %v", err).WithHint("abrowser open URL")
}
