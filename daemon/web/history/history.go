// Package history serves the verb that changes a page's URL without loading a document.
//
// The package sends CDP commands to a page and does not use Playwright. Package web calls it.
package history

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// script changes the URL of the page. In a page of Next.js it uses the router, which ignores
// popstate events that are not its own.
const script = `(async (url) => {
  const router = globalThis.next?.router
  if (router?.push) {
    await router.push(url)
  } else {
    history.pushState(history.state, "", url)
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }))
  }
  return location.href
})(%s)`

// PushState changes the page's URL.
func PushState(_ context.Context, p *direct.Page, in verbs.PushStateIn) (verbs.PushStateOut, error) {
	to, err := resolve(p.URL, in.URL)
	if err != nil {
		return verbs.PushStateOut{}, err
	}
	raw, err := json.Marshal(to)
	if err != nil {
		return verbs.PushStateOut{}, err
	}
	p.Begun = true
	var answer cdp.Evaluation
	err = p.Send("Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf(script, raw), "returnByValue": true, "awaitPromise": true, "userGesture": true,
	}, &answer)
	if err == nil {
		err = answer.Thrown()
	}
	if err != nil {
		return verbs.PushStateOut{}, err
	}
	var out verbs.PushStateOut
	return out, json.Unmarshal(answer.Result.Value, &out.URL)
}

// resolve returns the absolute form of a URL. It returns an error if the page may not have that URL
// in its history, for example because the URL is of another origin.
func resolve(pageURL, given string) (string, error) {
	base, err := url.Parse(pageURL)
	if err != nil || base.Host == "" {
		return "", wire.Errorf(wire.CodeBadInput, "the page %.200s has no history of its own", pageURL).WithHint("abrowser open https://example.com")
	}
	to, err := base.Parse(given)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "%.200q is not a URL", given).WithHint("abrowser pushstate /settings")
	}
	if to.Scheme != base.Scheme || to.Host != base.Host {
		return "", wire.Errorf(wire.CodeBadInput, "%.200s is of another origin than the page", to).WithHint("abrowser open %.200s", to)
	}
	return to.String(), nil
}
