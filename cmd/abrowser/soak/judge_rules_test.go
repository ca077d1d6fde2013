//go:build linux

package soak_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// TestJudge checks that judge finds each contradiction between answers and records, and finds none
// if all answers are true.
func TestJudge(t *testing.T) {
	zero := time.UnixMilli(1_800_000_000_000)
	at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
	answer := func(start, end int, code wire.Code, token string) command {
		return command{Step: step{Token: token}, Start: at(start), End: at(end), Timeout: time.Second, Answered: true, Success: code == "", Code: code}
	}
	still := func(start, end int, s step) command {
		cmd := answer(start, end, wire.CodeNotActionable, "")
		cmd.Step, cmd.Error = s, `"#c" is covered by <div></div>; the page has not changed for 3s`
		return cmd
	}
	withoutTimeout := step{IsLong: true}
	killed := func(start, end int) command { return command{Start: at(start), End: at(end), Killed: "KILL"} }
	event := func(ms int, kind, on, level, value string) record {
		return record{At: milliseconds(at(ms)), Type: kind, On: on, Level: level, Value: value, Trusted: true}
	}
	click := func(ms int) []record {
		return []record{
			event(ms, "pointerdown", "c", levelWindow, ""), event(ms, "mousedown", "c", levelWindow, ""),
			event(ms, "click", "c", levelWindow, ""), event(ms, "click", "c", levelElement, ""),
		}
	}
	typed := func(text string) []record {
		var all []record
		for i, key := range text {
			all = append(all, event(10+i, "keydown", "c", levelWindow, string(key)), event(10+i, "keydown", "c", levelElement, string(key)), event(10+i, "input", "c", levelElement, text[:i+1]))
		}
		return all
	}
	enter := func(ms int) []record {
		return []record{
			event(ms, "keydown", "c", levelWindow, "Enter"), event(ms, "keydown", "c", levelElement, "Enter"),
			event(ms, "submit", "c", levelElement, ""), event(ms, "request", "c", levelElement, ""),
		}
	}
	commands := func(all ...command) []command { return all }
	events := slices.Concat[[]record]
	for _, tt := range []struct {
		name, action string
		commands     []command
		records      []record
		want         string
	}{
		{"clicked once", "click", commands(answer(0, 50, "", "")), click(20), "[]"},
		{"clicked twice", "click", commands(answer(0, 50, "", "")), events(click(20), click(30)), "[double 0]"},
		{"clicked twice, late", "click", commands(answer(0, 50, "", "")), events(click(20), click(900)), "[double 0]"},
		{"not clicked", "click", commands(answer(0, 50, "", "")), nil, "[missing 0]"},
		{"failed, not clicked", "click", commands(answer(0, 50, wire.CodeTimeout, "")), nil, "[]"},
		{"failed, clicked", "click", commands(answer(0, 50, wire.CodeTimeout, "")), click(20), "[done 0]"},
		{"failed, clicked later", "click", commands(answer(0, 50, wire.CodeTimeout, "")), click(2000), "[late 0]"},
		{"failed, then clicked", "click", commands(answer(0, 50, wire.CodeTimeout, ""), answer(60, 90, "", "")), click(80), "[]"},
		{"failed, clicked before the next one began", "click", commands(answer(0, 50, wire.CodeTimeout, ""), answer(60, 90, "", "")), events(click(55), click(80)), "[late 0]"},
		{"failed, clicked with the next one", "click", commands(answer(0, 50, wire.CodeTimeout, ""), answer(60, 90, "", "")), events(click(70), click(80)), "[double 1]"},
		{"unknown, not clicked", "click", commands(answer(0, 50, wire.CodeResultUnknown, "")), nil, "[]"},
		{"unknown, clicked", "click", commands(answer(0, 50, wire.CodeResultUnknown, "")), click(40), "[]"},
		{"unknown, clicked twice", "click", commands(answer(0, 50, wire.CodeResultUnknown, "")), events(click(40), click(60)), "[double 0]"},
		{"unknown, clicked with the next one", "click", commands(answer(0, 50, wire.CodeResultUnknown, ""), answer(60, 90, wire.CodeTimeout, "")), click(70), "[]"},
		{"unknown, clicked twice with the next one", "click", commands(answer(0, 50, wire.CodeResultUnknown, ""), answer(60, 90, wire.CodeTimeout, "")), events(click(70), click(80)), "[done 1]"},
		{"killed, clicked", "click", commands(killed(0, 50)), click(70), "[]"},
		{"killed, clicked twice", "click", commands(killed(0, 50)), events(click(20), click(70)), "[double 0]"},
		{"failed, tried", "click", commands(answer(0, 50, wire.CodeTimeout, "")), click(20)[:3], "[stray 0]"},
		{"clicked once after a try", "click", commands(answer(0, 50, "", "")), events(click(20)[:3], click(30)), "[stray 0]"},
		{"one click of two", "dblclick", commands(answer(0, 50, "", "")), events(click(20), click(21), nil), "[partial 0]"},
		{"typed", "type", commands(answer(0, 50, "", "abc")), typed("abc"), "[]"},
		{"typed, and another case's text after it", "type", commands(answer(0, 50, "", "abc")), events(typed("abc"), []record{event(20_000, "keydown", "c", levelElement, "x"), event(20_000, "input", "c", levelElement, "abcx")}), "[]"},
		{"typed in part", "type", commands(answer(0, 50, "", "abc")), typed("ab"), "[partial 0]"},
		{"typed in another order", "type", commands(answer(0, 50, "", "abc")), typed("acb"), "[order 0]"},
		{"unknown, typed in part", "type", commands(answer(0, 50, wire.CodeResultUnknown, "abc")), typed("ab"), "[]"},
		{"unknown, typed with a gap", "type", commands(answer(0, 50, wire.CodeResultUnknown, "abc")), typed("ac"), "[]"},
		{"unknown, typed in another order", "type", commands(answer(0, 50, wire.CodeResultUnknown, "abc")), typed("ba"), "[order 0]"},
		{
			"filled by the failed one", "fill", commands(answer(0, 50, wire.CodeTimeout, "one"), answer(60, 90, "", "two")),
			[]record{event(70, "input", "c", levelElement, "one"), event(80, "input", "c", levelElement, "two")},
			"[late 0]",
		},
		{
			"checked by the one before", "check", commands(killed(0, 50), answer(60, 90, "", "")),
			events(click(20), []record{event(20, "change", "c", levelElement, "true")}), "[]",
		},
		{"pressed somewhere", "press", commands(answer(0, 50, "", "Q")), []record{event(20, "keydown", "body", levelWindow, "Q")}, "[]"},
		{"pressed twice", "press", commands(answer(0, 50, "", "Q")), []record{event(20, "keydown", "body", levelWindow, "Q"), event(21, "keydown", "body", levelWindow, "Q")}, "[double 0]"},
		{"Enter of the killed one, then the next one's", "enter", commands(killed(0, 50), answer(60, 90, "", "")), events(enter(65), enter(80)), "[]"},
		{"Enter twice", "enter", commands(answer(0, 50, wire.CodeTimeout, ""), answer(60, 90, "", "")), events(enter(65), enter(80)), "[double 1]"},
		{"Enter, and the page navigates by itself", "enter", commands(answer(0, 50, "", "")), append(enter(20)[:3], event(30, "leaves", "c", "", "")), "[]"},
		{"Enter without a request", "enter", commands(answer(0, 50, "", "")), append([]record{event(10, "leaves", "c", "", "")}, enter(20)[:3]...), "[partial 0]"},
		{"still", "click", commands(still(0, 3100, withoutTimeout)), nil, "[]"},
		{"still, and the page changed before", "click", commands(still(0, 4500, withoutTimeout)), []record{event(1400, "armed", "c", "", "")}, "[]"},
		{"still, and the element became ready just before the answer", "click", commands(still(0, 3100, withoutTimeout)), []record{event(3000, "ready", "c", "", "")}, "[]"},
		{"still, and the page changed", "click", commands(still(0, 4500, withoutTimeout)), []record{event(1600, "ready", "c", "", "")}, "[reason 0]"},
		{"still too early", "click", commands(still(0, 2900, withoutTimeout)), nil, "[reason 0]"},
		{"still, with a timeout", "click", commands(still(0, 3100, step{IsLong: true, Long: 6000})), nil, "[reason 0]"},
		{"stale, but used after", "click", commands(answer(0, 50, wire.CodeStaleRef, ""), answer(60, 90, "", "")), click(70), "[reason 0]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &plannedCase{Kind: "covered", Spec: spec{ID: "c", Action: tt.action, Hold: "covered"}}
			got := []string{}
			for _, f := range judge(c, tt.commands, at(10_000), tt.records).Findings {
				got = append(got, fmt.Sprintf("%s %d", f.Class, f.Command))
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("judge() finds %v, want %s", got, tt.want)
			}
		})
	}
}
