package npm

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// PublicRegistry is the URL of the npm registry.
const PublicRegistry = "https://registry.npmjs.org"

// stallTimeout is how long a download may deliver nothing. The total time has no limit, since
// it depends on the network.
const stallTimeout = time.Minute

// download downloads the package's archive and writes it to w. It returns an error unless the
// archive has the pinned hash.
func (i *Installer) download(ctx context.Context, p Package, w io.Writer) error {
	from, err := url.Parse(p.url(i.Registry))
	if err != nil || (from.Scheme != "https" && from.Scheme != "http") || from.Host == "" {
		return wire.Errorf(wire.CodeBadInput, "the npm registry %q is not an http or https URL", i.Registry).
			WithHint("ABROWSER_NPM_REGISTRY=%s abrowser install", PublicRegistry)
	}
	retry := "abrowser install"
	if i.Registry != PublicRegistry {
		retry = "ABROWSER_NPM_REGISTRY=" + PublicRegistry + " abrowser install"
	}
	sum, err := i.transfer(ctx, p, from, w)
	switch {
	case ctx.Err() != nil:
		return wire.Errorf(wire.CodeInterrupted, "downloading %s %s was interrupted", p.What, p.Version).WithHint("abrowser install")
	case err != nil:
		return wire.Errorf(wire.CodeInstall, "downloading %s %s from %s: %v", p.What, p.Version, from.Redacted(), err).WithHint("%s", retry)
	case sum != p.Integrity:
		return wire.Errorf(wire.CodeIntegrity, "%s is not the pinned %s %s: its hash is %s, want %s",
			from.Redacted(), p.Name, p.Version, sum, p.Integrity).WithHint("%s", retry)
	}
	return nil
}

// transfer downloads the archive, writes it to w, and returns its hash.
func (i *Installer) transfer(ctx context.Context, p Package, from *url.URL, w io.Writer) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(i.Stall, stallTimeout)
	watchdog := time.AfterFunc(stall, func() { cancel(fmt.Errorf("received nothing for %s", stall)) })
	defer watchdog.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return "", err
	}
	// The download has its own transport, so that no connection outlives the download.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: 30 * time.Second}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", causeOf(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server answered %s", resp.Status)
	}
	if resp.ContentLength > p.MaxPacked {
		return "", fmt.Errorf("the archive has %s, more than expected", megabytes(resp.ContentLength))
	}
	show := i.newMeter(fmt.Sprintf("downloading %s %s", p.What, p.Version), resp.ContentLength, func() { watchdog.Reset(stall) })
	defer show.end()
	hash := sha512.New()
	n, err := io.Copy(io.MultiWriter(w, hash, show), io.LimitReader(resp.Body, p.MaxPacked+1))
	if err != nil {
		return "", causeOf(ctx, err)
	}
	if n > p.MaxPacked {
		return "", fmt.Errorf("the archive has more than %s", megabytes(p.MaxPacked))
	}
	return "sha512-" + base64.StdEncoding.EncodeToString(hash.Sum(nil)), nil
}

// causeOf returns the reason for which a transfer failed. It removes the URL from the error, since
// the caller's message contains the URL already.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return u.Err
	}
	return err
}
