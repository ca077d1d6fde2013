package cli

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// boundary marks a text of the page in an answer, with --content-boundaries. The page cannot know
// the nonce, so no text of the page can pretend that it ends.
type boundary struct {
	Nonce  string `json:"nonce"`
	Origin string `json:"origin"` // the page's URL; empty if the output does not contain it
}

// boundaryOf returns a new boundary for an output, given as JSON.
func boundaryOf(data json.RawMessage) *boundary {
	var from struct{ Origin, FinalURL, URL string }
	_ = json.Unmarshal(data, &from) // an output of another kind has no URL
	return &boundary{Nonce: rand.Text(), Origin: cmp.Or(from.Origin, from.FinalURL, from.URL)}
}

// around returns a text between two lines with the nonce.
func (b *boundary) around(text string) string {
	return fmt.Sprintf("--- PAGE_CONTENT nonce=%s origin=%s ---\n%s\n--- END_PAGE_CONTENT nonce=%s ---", b.Nonce, b.Origin, text, b.Nonce)
}
