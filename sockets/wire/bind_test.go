package wire

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
)

type sampleOut struct {
	Count int `json:"count"`
}

func TestBind(t *testing.T) {
	called := 0
	h := Bind(Verb[sampleIn, sampleOut]{Spec: Spec{Name: "sample it"}}, func(_ context.Context, call *Call, in sampleIn) (sampleOut, error) {
		called++
		call.Warn("%s", in.Target)
		return sampleOut{in.Count}, nil
	})
	if h.Verb.Describe().Path() != "/v1/sample/it" {
		t.Errorf("Path() = %q", h.Verb.Describe().Path())
	}
	call := &Call{}
	out, err := h.Serve(t.Context(), call, []byte(`{"target":"a"}`))
	if err != nil || out != (sampleOut{3}) || called != 1 {
		t.Errorf("Serve() = %v, %v", out, err)
	}
	raw, err := json.Marshal(NewReply(call, out, err))
	if err != nil || string(raw) != `{"data":{"count":3},"warnings":["a"]}` {
		t.Errorf("the reply is %s, %v", raw, err)
	}
	for _, bad := range []string{`{"target":1}`, `{}`, `null`, `{"target":"a","x":1}`} {
		if _, err := h.Serve(t.Context(), call, []byte(bad)); !errors.Is(err, CodeBadInput) {
			t.Errorf("Serve(%s) = %v, want %s", bad, err, CodeBadInput)
		}
		if err := h.Check([]byte(bad)); !errors.Is(err, CodeBadInput) {
			t.Errorf("Check(%s) = %v, want %s", bad, err, CodeBadInput)
		}
	}
	if err := h.Check([]byte(`{"target":"a"}`)); err != nil {
		t.Errorf("Check() = %v", err)
	}
	if called != 1 {
		t.Errorf("bad input and checks called the function %d times", called-1)
	}
}

func TestNewReply(t *testing.T) {
	tests := []struct {
		name string
		out  any
		err  error
		want string
	}{
		{"answer", sampleOut{1}, nil, `{"data":{"count":1}}`},
		{"error", sampleOut{1}, Errorf(CodeBusy, "busy"), `{"error":{"code":"busy","message":"busy"}}`},
		{"not JSON", make(chan int), nil, `{"error":{"code":"internal","message":"json: unsupported type: chan int"}}`},
		{"nothing", struct{}{}, nil, `{"data":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := json.Marshal(NewReply(&Call{}, tt.out, tt.err))
			if err != nil || string(raw) != tt.want {
				t.Errorf("NewReply() = %s, %v, want %s", raw, err, tt.want)
			}
		})
	}
}

func TestWarningsFromSeveralGoroutines(t *testing.T) {
	call := &Call{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { call.Warn("%d", i); call.Warnings() })
	}
	wg.Wait()
	if n := len(call.Warnings()); n != 20 {
		t.Errorf("%d warnings, want 20", n)
	}
}
