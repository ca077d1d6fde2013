package wire

import (
	"strconv"
	"strings"
	"time"
)

// ParseDuration parses a duration such as 90s, 30m, 12h or 7d. A number without a unit is in
// milliseconds. The parameter name is used in error messages: it is the name of the flag, field or
// variable that contains the text. For a timeout, callers treat 0 as no timeout.
func ParseDuration(name, text string) (time.Duration, error) {
	bad := Errorf(CodeBadInput, "%s is %q; it takes a duration such as 90s, 30m, 12h or 7d, or milliseconds", name, text).WithHint("%s 30m", name)
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms < 0 || ms > int64(maxDuration/time.Millisecond) {
			return 0, bad
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > int(maxDuration/(24*time.Hour)) {
			return 0, bad
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxDuration {
		return 0, bad
	}
	return d, nil
}

const maxDuration = 10 * 365 * 24 * time.Hour
