// Package handover defines what the keeper of a browser and its broker hand to each other:
// the browser's description, its descriptors, and the messages on the connection between
// them.
//
// The keeper starts the broker with these. If the keeper dies, the broker starts another
// one with the same, so that the browser and its pipe survive.
package handover

// The size of the inside of a window that the keeper starts the browser with, in CSS pixels.
const (
	InsideWidth  = 1280
	InsideHeight = 720
)
