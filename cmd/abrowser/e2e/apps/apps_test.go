package apps

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// The server has every file that the pages request, and no page requests a file from another
// server. Exempt are the files that the server blocks.
func TestFilesAreServed(t *testing.T) {
	t.Parallel()
	apps := Start(t)
	if len(apps) < 15 {
		t.Errorf("there are %d apps", len(apps))
	}
	loads := regexp.MustCompile(`<(?:script[^>]* src|link rel="stylesheet" href)="([^"]+)"`)
	for _, app := range apps {
		status, page := get(t, app.URL)
		if status != http.StatusOK {
			t.Errorf("%s: the page has the status %d", app.Name, status)
		}
		base, err := url.Parse(app.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, load := range loads.FindAllStringSubmatch(page, -1) {
			file, err := base.Parse(load[1])
			if err != nil {
				t.Fatal(err)
			}
			if file.Host == "fonts.googleapis.com" || strings.HasSuffix(file.Path, "/demo.js") { // the apps server blocks both
				continue
			}
			if status, content := get(t, file.String()); status != http.StatusOK || content == "" || file.Host != base.Host {
				t.Errorf("%s: %s has the status %d", app.Name, file, status)
			}
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	apps, err := Serve(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	address := strings.SplitN(apps[0].URL, "/npm/", 2)[0]
	// Nothing reports that the server has ended, so the test connects until the connection is refused.
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(address) //nolint:noctx // the server's context has ended, and not the request's
		if err != nil {
			return
		}
		response.Body.Close()
		if time.Now().After(until) {
			t.Fatal("the server answers after its context has ended")
		}
	}
}
