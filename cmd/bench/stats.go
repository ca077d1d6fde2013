package main

import (
	"slices"
	"time"
)

// series holds the times that one contender took in the rounds of one scenario.
type series []time.Duration

func (s series) at(share float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (s series) median() time.Duration { return s.at(0.5) }
func (s series) p95() time.Duration    { return s.at(0.95) }

// figure is one contender's result in one scenario: a time, or a quantity with its unit.
type figure struct {
	Scenario  string  `json:"scenario"`
	Contender string  `json:"contender"`
	Unit      string  `json:"unit"` // ms, ms/s, µs, MB or tasks/min
	Median    float64 `json:"median"`
	P95       float64 `json:"p95,omitzero"`
	Runs      int     `json:"runs"`
	Ratio     float64 `json:"ratio,omitzero"` // Median divided by abrowser's median
	Error     string  `json:"error,omitzero"` // why the figure is missing
}
