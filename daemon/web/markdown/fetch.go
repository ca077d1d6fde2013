// Package markdown returns pages and URLs as Markdown. It requests URLs itself, so that no page has
// to be opened. Package web calls it.
package markdown

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/address"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxBody      = 8 << 20 // bytes that are read of a response or a page
	maxRedirects = 10
)

// document is what was read, before the conversion.
type document struct {
	body, kind  string // kind is a media type without parameters
	final, base string // URLs: that of the document, and that to which its links are relative
	status      int
	cut         bool
}

// CheckURL returns an error for a URL that [OfURL] does not request. The function allowed returns an
// error for a URL that the session may not open.
func CheckURL(in verbs.ReadIn, allowed func(string) error) error {
	if in.URL == "" {
		return nil
	}
	to, err := target(in, in.URL)
	if err == nil {
		err = allowed(to.String())
	}
	return err
}

// target returns the URL to request.
func target(in verbs.ReadIn, given string) (*url.URL, error) {
	complete, err := address.Complete(given)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(complete)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return nil, wire.Errorf(wire.CodeBadInput, "read takes http and https URLs").WithHint("abrowser open URL, then abrowser read")
	}
	switch in.LLMs {
	case "index":
		to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/llms.txt"}
	case "full":
		to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/llms-full.txt"}
	}
	return to, nil
}

// OfURL reads a URL without the browser: it sends none of its cookies, and no script runs. If in has
// no URL, OfURL reads a file of the site of the page at the given URL. The function allowed returns an
// error for a URL that the session may not open, and OfURL does not request such a URL.
func OfURL(ctx context.Context, in verbs.ReadIn, page string, allowed func(string) error) (verbs.ReadOut, error) {
	given := in.URL
	if given == "" {
		given = page
	}
	to, err := target(in, given)
	if err != nil {
		return verbs.ReadOut{}, err
	}
	resp, err := request(ctx, to, allowed)
	if err != nil {
		return verbs.ReadOut{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return verbs.ReadOut{}, wire.Errorf(wire.CodeNavigation, "the server answered with status %d", resp.StatusCode).WithHint("abrowser open URL shows what it says")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return verbs.ReadOut{}, requestError(ctx, err)
	}
	d := document{final: resp.Request.URL.String(), status: resp.StatusCode}
	d.base, d.kind = d.final, mediaType(resp.Header.Get("Content-Type"), body)
	if d.cut = len(body) > maxBody; d.cut {
		body = body[:maxBody]
	}
	if !isText(d.kind) {
		return verbs.ReadOut{}, wire.Errorf(wire.CodeBadInput, "the response is not text: %s", d.kind).WithHint("abrowser open URL downloads it")
	}
	if d.body, err = decoded(body, resp.Header.Get("Content-Type")); err != nil {
		return verbs.ReadOut{}, err
	}
	source := verbs.ReadFromText
	switch isHTML := d.kind == "text/html" || d.kind == "application/xhtml+xml"; {
	case d.kind == "text/markdown", strings.HasSuffix(resp.Request.URL.Path, ".md"), in.LLMs != "" && !isHTML:
		source = verbs.ReadFromMarkdown
	case in.RequireMD:
		return verbs.ReadOut{}, wire.Errorf(wire.CodeNotFound, "the server has no Markdown for this URL; it has %s", d.kind).WithHint("leave --require-md out")
	case isHTML:
		source = verbs.ReadFromHTML
	}
	return d.output(in, source)
}

// request requests a URL, and those to which it redirects.
func request(ctx context.Context, to *url.URL, allowed func(string) error) (*http.Response, error) {
	if err := allowed(to.String()); err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport: &http.Transport{Proxy: proxyFor, DisableKeepAlives: true, DialContext: dial},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			req.Header.Del("Referer") // the URL before may contain a secret
			if len(via) >= maxRedirects {
				return errTooMany
			}
			return allowed(req.URL.String())
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "invalid URL")
	}
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1")
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; abrowser)")
	resp, err := client.Do(req)
	if err != nil {
		return nil, requestError(ctx, err)
	}
	return resp, nil
}

var errTooMany = errors.New("too many redirects")

// proxyFor returns the proxy that the environment names. As in browsers, names below localhost have
// none.
func proxyFor(req *http.Request) (*url.URL, error) {
	if isLocalhost(req.URL.Hostname()) {
		return nil, nil //nolint:nilnil // which means no proxy
	}
	return http.ProxyFromEnvironment(req)
}

func isLocalhost(host string) bool {
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// dial connects to a host. As in browsers, each name below localhost is this machine.
func dial(ctx context.Context, network, to string) (net.Conn, error) {
	var d net.Dialer
	if host, port, err := net.SplitHostPort(to); err == nil && isLocalhost(host) {
		to = net.JoinHostPort("localhost", port)
	}
	return d.DialContext(ctx, network, to)
}

// requestError returns the error of a request. It contains no text of err, which may contain the URL
// and the password of a proxy.
func requestError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return daemon.ContextError(ctx)
	}
	var denied *wire.Error
	if errors.As(err, &denied) { // of the function that checks redirects
		return denied
	}
	why := "the server or the connection failed"
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errTooMany):
		why = "too many redirects"
	case errors.As(err, &name):
		why = "the host has no address"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "the connection was refused"
	case errors.As(err, &certificate):
		why = "the server's certificate is not valid"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF):
		why = "the server closed the connection"
	}
	return wire.Errorf(wire.CodeNavigation, "the request failed: %s", why).WithHint("abrowser open URL")
}
