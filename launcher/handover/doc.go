// Package handover defines what keeper and broker hand to each other: the browser's
// description, its descriptors, and the messages on the connection between the two processes.
// The keeper is the process that starts a browser. The broker is the process that speaks CDP
// with the browser.
//
// The keeper starts the broker with the description and the descriptors. If the keeper dies,
// the broker starts another keeper with them, so that the browser and its pipe survive.
package handover

// InsideWidth and InsideHeight are the size, in CSS pixels, of a page in the browser's first
// window.
const (
	InsideWidth  = 1280
	InsideHeight = 720
)
