package web_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A page is printed on paper of the requested size, even while its tab is in the background.
func TestPDF(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/tall"))
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/page/one")})
	do(t, s, verbs.TabSwitch, verbs.TabRefIn{Tab: "t1"})
	for _, tt := range []struct {
		in            verbs.PDFIn
		width, height float64 // in points, 72 an inch
	}{
		{verbs.PDFIn{Path: "/x/a.pdf"}, 612, 792},
		{verbs.PDFIn{Path: "/x/a.pdf", Landscape: true}, 792, 612},
		{verbs.PDFIn{Path: "/x/a.pdf", Format: "a4"}, 595, 842},
	} {
		got := do(t, s, verbs.PDF, tt.in)
		if !bytes.HasPrefix(got.PDF, []byte("%PDF-")) || got.Path != "/x/a.pdf" {
			t.Fatalf("%+v answers %d bytes for %s", tt.in, len(got.PDF), got.Path)
		}
		_, box, _ := bytes.Cut(got.PDF, []byte("/MediaBox [0 0 "))
		var width, height float64
		if _, err := fmt.Fscan(bytes.NewReader(bytes.Replace(box[:40], []byte("]"), []byte(" "), 1)), &width, &height); err != nil || width < tt.width-2 || width > tt.width+2 || height < tt.height-2 || height > tt.height+2 {
			t.Errorf("%+v prints on %v x %v points, %v, want %v x %v", tt.in, width, height, err, tt.width, tt.height)
		}
	}
	fails(t, s, verbs.PDF, verbs.PDFIn{Path: "/x/a.pdf", Format: "a9"}, wire.CodeBadInput)
}
