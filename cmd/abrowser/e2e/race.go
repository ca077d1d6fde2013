//go:build race

package e2e

// RaceDetector says whether the tests run with it.
const RaceDetector = true
