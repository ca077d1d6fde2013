package patches

import (
	"strings"
	"testing"
)

// TestFromClientRefusesBadMessages checks that FromClient refuses a message that is not UTF-8,
// because Chromium does not answer such a message. FromClient also refuses a large message whose
// method has a rule, because decoding it would delay all clients.
func TestFromClientRefusesBadMessages(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"not UTF-8", "{\"id\":1,\"method\":\"Schema.getDomains\",\"params\":{\"x\":\"\xff\"}}", "UTF-8"},
		{"half a UTF-8 character", "{\"id\":1,\"method\":\"Schema.getDomains\",\"params\":{\"x\":\"\xc3\"}}", "UTF-8"},
		{"large, method with a rule", `{"id":1,"method":"Target.createTarget","params":{"url":"data:` + strings.Repeat("x", maxRuleRequest) + `"}}`, "larger"},
		{"large, method without a rule", `{"id":1,"method":"Schema.getDomains","params":{"x":"` + strings.Repeat("x", maxRuleRequest) + `"}}`, ""},
	} {
		m, rec := twoTenants()
		rec.out, rec.sent = nil, nil
		fromClient(m, 2, tt.message)
		switch {
		case tt.want == "" && len(rec.sent) != 1:
			t.Errorf("%s: %d messages sent to the browser, want 1", tt.name, len(rec.sent))
		case tt.want != "" && (len(rec.sent) != 0 || len(rec.out) != 1 || !strings.Contains(string(rec.out[0].Data), tt.want)):
			t.Errorf("%s: %d messages sent to the browser, the client got %.200s", tt.name, len(rec.sent), rec.out)
		}
	}
}
