package roles

import "testing"

// A client must not be configured with a program that is removed before the client starts it.
func TestProgramOfGoRun(t *testing.T) {
	for program, want := range map[string]bool{
		"/tmp/go-build3165038528/b001/exe/abrowser":                                                                true,
		"/home/ada/.cache/go-build/a5/a59dcbe4e679565fee4da8c43b772bc52803dedef4da560e1ada2575c5edfd5d-d/abrowser": true,
		"/home/ada/go/bin/abrowser":   false,
		"/opt/exe/abrowser":           false,
		"/home/ada/go-build/abrowser": false,
		"/abrowser":                   false,
	} {
		if got := ofGoRun(program); got != want {
			t.Errorf("ofGoRun(%q) = %v", program, got)
		}
	}
}
