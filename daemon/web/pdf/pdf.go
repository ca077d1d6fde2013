// Package pdf prints a page into a PDF. It sends CDP commands to the page. It does not use
// Playwright, whose own method refuses a browser that has a window. Package web calls this package.
package pdf

import (
	"context"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Print prints the page.
func Print(_ context.Context, at *direct.Page, in verbs.PDFIn) (verbs.PDFOut, error) {
	width, height := in.Inches()
	var answer struct {
		Data []byte `json:"data"` // base64 in JSON
	}
	err := at.Send("Page.printToPDF", map[string]any{
		"landscape": in.Landscape, "printBackground": true, "preferCSSPageSize": in.Format == "",
		"paperWidth": width, "paperHeight": height, "generateTaggedPDF": true,
	}, &answer)
	if err == nil && len(answer.Data) == 0 {
		err = wire.Errorf(wire.CodeInternal, "the browser printed an empty file").WithHint("abrowser screenshot --full page.png")
	}
	return verbs.PDFOut{Path: in.Path, PDF: answer.Data}, err
}
