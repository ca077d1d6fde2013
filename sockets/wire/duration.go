package wire

import (
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a time as a person writes it: 90s, 30m, 12h, 7d; a number
// alone is milliseconds. 0 is for ever, wherever something ends after a time. name
// is what the text was given as, for the error.
func ParseDuration(name, text string) (time.Duration, error) {
	bad := Errorf(CodeBadInput, "%s is %q; it takes a time such as 90s, 30m, 12h or 7d, or milliseconds", name, text)
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms < 0 || ms > int64(longestTime/time.Millisecond) {
			return 0, bad
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > int(longestTime/(24*time.Hour)) {
			return 0, bad
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestTime {
		return 0, bad
	}
	return d, nil
}

const longestTime = 10 * 365 * 24 * time.Hour
