package wire

import (
	"reflect"
	"testing"
)

func TestFields(t *testing.T) {
	type in struct {
		embeddedIn
		Words   string   `json:"words" arg:"1..." help:"the words"`
		NewTab  bool     `json:"newTab,omitzero"`
		Full    bool     `json:"full,omitzero" flag:"full,f"`
		Secret  string   `json:"secret" flag:"-"`
		Headed  bool     `json:"headed" env:"HEADED"`
		Way     string   `json:"way" enum:"up|down" default:"up"`
		Path    string   `json:"path" arg:"2" flag:"output,o" file:"out"`
		Least   int      `json:"least" min:"0"`
		List    []string `json:"list"`
		Hidden  string   `json:"-"`
		Unnamed string
	}
	text, yes, number := reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int]()
	want := []Field{
		{Name: "target", Arg: 0, Required: true, Type: text},
		{Name: "words", Arg: 1, Rest: true, Help: "the words", Type: text},
		{Name: "newTab", Flag: "new-tab", Arg: -1, Type: yes},
		{Name: "full", Flag: "full", Short: "f", Arg: -1, Type: yes},
		{Name: "secret", Arg: -1, Type: text},
		{Name: "headed", Flag: "headed", Arg: -1, Env: "HEADED", Type: yes},
		{Name: "way", Flag: "way", Arg: -1, Enum: []string{"up", "down"}, Default: "up", Type: text},
		{Name: "path", Flag: "output", Short: "o", Arg: 2, File: "out", Type: text},
		{Name: "least", Flag: "least", Arg: -1, Min: "0", Type: number},
		{Name: "list", Flag: "list", Arg: -1, Type: reflect.TypeFor[[]string]()},
	}
	got := Verb[in, struct{}]{}.Fields()
	for i := range max(len(got), len(want)) {
		if i < len(got) {
			got[i].index = nil // TestDecodeIn tests the index
		}
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("field %d: got %+v, want %+v", i, got, want)
		}
	}
	for i, text := range []bool{true, true, false, false, true, false, false, true, false, false} {
		if got[i].IsText() != text {
			t.Errorf("%s.IsText() = %t, want %t", got[i].Name, got[i].IsText(), text)
		}
	}
}

func TestABrokenDeclarationPanics(t *testing.T) {
	type in struct {
		A string `json:"a" arg:"first"`
	}
	defer func() {
		if recover() == nil {
			t.Error(`arg:"first" does not panic`)
		}
	}()
	Verb[in, struct{}]{}.Fields()
}
