package patches

import (
	"strings"
	"testing"
)

// To a message that is not UTF-8 Chromium gives no answer, and one that is large
// would be taken apart while all wait: neither leaves.
func TestReadLetsNothingThrough(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"no text", "{\"id\":1,\"method\":\"Schema.getDomains\",\"params\":{\"x\":\"\xff\"}}", "UTF-8"},
		{"half a character", "{\"id\":1,\"method\":\"Schema.getDomains\",\"params\":{\"x\":\"\xc3\"}}", "UTF-8"},
		{"large, with a rule", `{"id":1,"method":"Target.createTarget","params":{"url":"data:` + strings.Repeat("x", maxRuleRequest) + `"}}`, "larger"},
		{"large, without", `{"id":1,"method":"Schema.getDomains","params":{"x":"` + strings.Repeat("x", maxRuleRequest) + `"}}`, ""},
	} {
		m, rec := twoSessions()
		rec.out, rec.sent = nil, nil
		fromClient(m, 2, tt.message)
		switch {
		case tt.want == "" && len(rec.sent) != 1:
			t.Errorf("%s: %d messages left for the browser, want it", tt.name, len(rec.sent))
		case tt.want != "" && (len(rec.sent) != 0 || len(rec.out) != 1 || !strings.Contains(string(rec.out[0].Data), tt.want)):
			t.Errorf("%s: %d messages left for the browser, and the client was told %.200s", tt.name, len(rec.sent), rec.out)
		}
	}
}
