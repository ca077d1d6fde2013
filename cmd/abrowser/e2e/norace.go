//go:build !race

package e2e

// RaceDetector reports whether the tests run with the race detector.
const RaceDetector = false
