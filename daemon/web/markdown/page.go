package markdown

import (
	"context"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// OfPage reads the page as it is now.
func OfPage(_ context.Context, at *direct.Page, in verbs.ReadIn) (verbs.ReadOut, error) {
	var got struct {
		Root struct {
			NodeID               int
			DocumentURL, BaseURL string
		}
	}
	if err := at.Send("DOM.getDocument", map[string]any{"depth": 0}, &got); err != nil {
		return verbs.ReadOut{}, err
	}
	defer func() { _ = at.Send("DOM.disable", nil, nil) }() // a page that is gone needs none
	var html struct{ OuterHTML string }
	if err := at.Send("DOM.getOuterHTML", map[string]any{"nodeId": got.Root.NodeID, "includeShadowDOM": true}, &html); err != nil {
		return verbs.ReadOut{}, wire.Errorf(wire.CodeTimeout, "the page navigated while it was read").WithHint("abrowser wait --load load")
	}
	d := document{body: html.OuterHTML, kind: "text/html", final: got.Root.DocumentURL, base: got.Root.BaseURL}
	if d.cut = len(d.body) > maxBody; d.cut {
		d.body = cutAt(d.body, maxBody)
	}
	in.URL = d.final
	return d.output(in, verbs.ReadFromPage)
}
