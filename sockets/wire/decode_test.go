package wire

import (
	"errors"
	"strings"
	"testing"
)

type innerIn struct {
	Label string `json:"label"`
}

type embeddedIn struct {
	Target string `json:"target" arg:"0" required:"true"`
}

type sampleIn struct {
	embeddedIn
	Count   int       `json:"count,omitzero" default:"3" min:"1"`
	Way     string    `json:"way,omitzero" default:"down" enum:"up|down"`
	Ways    []string  `json:"ways,omitzero" enum:"up|down"`
	On      bool      `json:"on,omitzero" default:"true"`
	Ratio   float64   `json:"ratio,omitzero"`
	Name    *string   `json:"name,omitzero"`
	Inner   innerIn   `json:"inner,omitzero"`
	Many    []innerIn `json:"many,omitzero"`
	Private string    `json:"-"`
}

func TestDecodeIn(t *testing.T) {
	tests := []struct {
		name, body string
		want       string // a part of the message; empty for success
	}{
		{"all", `{"target":"a","count":2,"way":"up","ways":["up"],"on":false,"ratio":1.5,"name":"n","inner":{"label":"l"},"many":[{"label":"l"}]}`, ""},
		{"the least", ` {"target":"a"} `, ""},
		{"null is absent", `{"target":"a","count":null,"name":null}`, ""},
		{"required and null", `{"target":null}`, "target is missing"},
		{"required and absent", `{}`, "target is missing"},
		{"empty body", "", "target is missing"},
		{"white body", " \n", "target is missing"},
		{"unknown", `{"target":"a","cuont":2}`, `unknown field "cuont"`},
		{"unknown inside", `{"target":"a","inner":{"lable":"l"}}`, `"lable"`},
		{"unknown in a list", `{"target":"a","many":[{"lable":"l"}]}`, `"lable"`},
		{"other case", `{"Target":"a"}`, `unknown field "Target"`},
		{"other case beside a default", `{"target":"a","COUNT":2}`, `unknown field "COUNT"`},
		{"Go's own name", `{"target":"a","Private":"x"}`, `unknown field "Private"`},
		{"text for a number", `{"target":"a","count":"2"}`, "count takes a whole number, not string"},
		{"fraction for a whole number", `{"target":"a","count":1.5}`, "count takes a whole number, not number 1.5"},
		{"out of range", `{"target":"a","count":99999999999999999999}`, "count takes a whole number"},
		{"number for text", `{"target":1}`, "target takes a string, not number"},
		{"number for a switch", `{"target":"a","on":1}`, "on takes true or false, not number"},
		{"text for a list", `{"target":"a","ways":"up"}`, "ways takes a list, not string"},
		{"text for an object", `{"target":"a","inner":"up"}`, "inner takes an object, not string"},
		{"too small", `{"target":"a","count":-1}`, "count is -1; it takes 1 or more"},
		{"not a choice", `{"target":"a","way":"left"}`, `way is "left"; it takes up, down`},
		{"one is not a choice", `{"target":"a","ways":["up","left"]}`, `ways is "left"; it takes up, down`},
		{"null", `null`, "not a JSON object"},
		{"list", `[]`, "not a JSON object"},
		{"text", `"a"`, "not a JSON object"},
		{"cut off", `{"target":`, "not a JSON object"},
		{"trailing", `{"target":"a"} x`, "not a JSON object"},
		{"two", `{"target":"a"}{}`, "not a JSON object"},
		{"not UTF-8", "{\"target\":\"\xff\"}", "not UTF-8"},
		{"deep", `{"target":` + strings.Repeat("[", 1<<20), "not a JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeIn[sampleIn](strings.NewReader(tt.body))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("DecodeIn(%.80s) = %v, want none", tt.body, err)
			case tt.want != "" && (!errors.Is(err, CodeBadInput) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("DecodeIn(%.80s) = %v, want %q", tt.body, err, tt.want)
			case err != nil && strings.Contains(err.Error(), "sampleIn"):
				t.Errorf("DecodeIn(%.80s) names a Go type: %v", tt.body, err)
			}
		})
	}
}

func TestDecodeInDefaults(t *testing.T) {
	got, err := DecodeIn[sampleIn](strings.NewReader(`{"target":"a"}`))
	if err != nil || got.Target != "a" || got.Count != 3 || got.Way != "down" || !got.On || got.Ratio != 0 || got.Name != nil {
		t.Errorf("DecodeIn() = %+v, %v, want the defaults", got, err)
	}
	got, err = DecodeIn[sampleIn](strings.NewReader(`{"target":"","count":0,"way":"","on":false}`))
	if err != nil || got.Count != 0 || got.Way != "" || got.On {
		t.Errorf("DecodeIn() = %+v, %v, want the given values", got, err)
	}
}

func TestDecodeInLimitsTheSize(t *testing.T) {
	fits := `{"target":"` + strings.Repeat("x", MaxRequest-len(`{"target":""}`)) + `"}`
	if _, err := DecodeIn[sampleIn](strings.NewReader(fits)); err != nil {
		t.Errorf("DecodeIn(%d bytes) = %v", len(fits), err)
	}
	if _, err := DecodeIn[sampleIn](strings.NewReader(fits + " ")); !errors.Is(err, CodeTooLarge) {
		t.Errorf("DecodeIn(%d bytes) = %v, want %s", len(fits)+1, err, CodeTooLarge)
	}
	broken := errors.New("broken pipe")
	if _, err := DecodeIn[sampleIn](readerOf{broken}); !errors.Is(err, CodeBadInput) {
		t.Errorf("DecodeIn(a broken reader) = %v, want %s", err, CodeBadInput)
	}
}

type readerOf struct{ err error }

func (r readerOf) Read([]byte) (int, error) { return 0, r.err }

func FuzzDecodeIn(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[]", `{"target":"a"}`, `{"target":null}`, `{"TARGET":"a"}`, `{"target":"a","ways":[null]}`,
		`{"target":"a","many":[null]}`, `{"target":"a","count":1e3}`, `{"steps":[{}]}`, "{\"target\":\"\xff\"}", `{"selector":"e1","timeout":-1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		in, err := DecodeIn[sampleIn](strings.NewReader(body))
		if err == nil && in.Way != "" && in.Way != "up" && in.Way != "down" {
			t.Fatalf("DecodeIn(%q) accepted way %q", body, in.Way)
		}
		if err != nil && !errors.Is(err, CodeBadInput) {
			t.Fatalf("DecodeIn(%q) = %v, want %s", body, err, CodeBadInput)
		}
	})
}

func BenchmarkDecodeIn(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeIn[sampleIn](strings.NewReader(`{"target":"#buy","count":2,"ways":["up"],"name":"n"}`)); err != nil {
			b.Fatal(err)
		}
	}
}
