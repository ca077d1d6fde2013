package install

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	npmRegistry = "https://registry.npmjs.org"
	// A download that delivers nothing for so long is given up; how long it may
	// take altogether is the line's business.
	stallTimeout = 60 * time.Second
)

// registry is the npm registry to fetch from, without a slash at its end.
func (i *Installer) registry() string {
	for _, name := range []string{"ABROWSER_NPM_REGISTRY", "npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v, ok := i.lookup(name); ok && v != "" {
			return strings.TrimRight(v, "/")
		}
	}
	return npmRegistry
}

// download writes the package's archive to a file and refuses any but the pinned
// one.
func (i *Installer) download(ctx context.Context, p pack, to *os.File) error {
	registry := i.registry()
	from, err := url.Parse(p.url(registry))
	if err != nil || (from.Scheme != "https" && from.Scheme != "http") || from.Host == "" {
		return wire.Errorf(wire.CodeBadInput, "the npm registry %q is no http or https URL", registry).
			WithHint("ABROWSER_NPM_REGISTRY=%s abrowser install", npmRegistry)
	}
	retry := "abrowser install"
	if registry != npmRegistry {
		retry = "ABROWSER_NPM_REGISTRY=" + npmRegistry + " abrowser install"
	}
	sum, err := i.transfer(ctx, p, from, to)
	if ctx.Err() != nil {
		return wire.Errorf(wire.CodeInterrupted, "fetching %s %s was interrupted", p.what, p.version).WithHint("abrowser install")
	}
	if err != nil {
		return wire.Errorf(wire.CodeInstall, "fetching %s %s from %s: %v", p.what, p.version, from.Redacted(), err).WithHint("%s", retry)
	}
	if sum != p.integrity {
		return wire.Errorf(wire.CodeIntegrity, "%s is not the pinned %s %s: its hash is %s and not %s",
			from.Redacted(), p.name, p.version, sum, p.integrity).WithHint("%s", retry)
	}
	return nil
}

func (i *Installer) transfer(ctx context.Context, p pack, from *url.URL, to io.Writer) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("nothing came for %s", i.on().stall)
	watch := time.AfterFunc(i.on().stall, func() { cancel(stalled) })
	defer watch.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), nil)
	if err != nil {
		return "", err
	}
	// A transport of its own, so that no connection outlives the installation.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: 30 * time.Second}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", plainCause(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server answered %s", resp.Status)
	}
	if resp.ContentLength > p.packed {
		return "", fmt.Errorf("the archive has %s, more than expected", megabytes(resp.ContentLength))
	}
	show := i.meter(fmt.Sprintf("fetching %s %s", p.what, p.version), resp.ContentLength)
	defer show.end()
	hash := sha512.New()
	alive := writerFunc(func(b []byte) (int, error) { watch.Reset(i.on().stall); return len(b), nil })
	n, err := io.Copy(io.MultiWriter(to, hash, show, alive), io.LimitReader(resp.Body, p.packed+1))
	if err != nil {
		return "", plainCause(ctx, err)
	}
	if n > p.packed {
		return "", fmt.Errorf("the archive has more than %s", megabytes(p.packed))
	}
	return "sha512-" + base64.StdEncoding.EncodeToString(hash.Sum(nil)), nil
}

// plainCause says why a transfer ended, without the URL, which the caller names.
func plainCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // the client returns exactly this type
		return u.Err
	}
	return err
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
