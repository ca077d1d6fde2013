package verbs

import (
	"github.com/abrowser/abrowser/sockets/wire"
)

// MouseMoveIn is the input of [MouseMove].
type MouseMoveIn struct {
	X     float64 `json:"x" arg:"0" required:"true" help:"the distance from the left edge of the visible part of the page, in CSS pixels"`
	Y     float64 `json:"y" arg:"1" required:"true" help:"the distance from its top edge"`
	Steps int     `json:"steps,omitzero" default:"1" min:"1" help:"the number of moves on the way"`
	TimeoutIn
}

// maxSteps is the largest number of mouse moves in one command.
const maxSteps = 1000

// Check returns an error for too many steps.
func (in MouseMoveIn) Check() error {
	if in.Steps > maxSteps {
		return wire.Errorf(wire.CodeBadInput, "steps is %d; it takes 1 to %d", in.Steps, maxSteps).WithHint("abrowser mouse move --steps 10 100 200")
	}
	return nil
}

// MouseMoveOut is the output of [MouseMove].
type MouseMoveOut struct {
	Moved bool    `json:"moved"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Effects
}

// MouseMove moves the mouse to a point of the page's visible part.
var MouseMove = wire.Verb[MouseMoveIn, MouseMoveOut]{Spec: wire.Spec{
	Name: "mouse move", Group: groupRaw, Short: "Move the mouse to a point", Example: "abrowser mouse move 100 200",
}}

// MouseButtonIn is the input of [MouseDown] and [MouseUp].
type MouseButtonIn struct {
	Button string `json:"button,omitzero" arg:"0" default:"left" enum:"left|right|middle" help:"the mouse button"`
	TimeoutIn
}

// MouseDownOut is the output of [MouseDown].
type MouseDownOut struct {
	Pressed bool `json:"pressed"`
	Effects
}

// MouseDown presses a mouse button and holds it.
var MouseDown = wire.Verb[MouseButtonIn, MouseDownOut]{Spec: wire.Spec{
	Name: "mouse down", Group: groupRaw, Short: "Press a mouse button and hold it", Example: "abrowser mouse down",
}}

// MouseUpOut is the output of [MouseUp].
type MouseUpOut struct {
	Released bool `json:"released"`
	Effects
}

// MouseUp releases a mouse button.
var MouseUp = wire.Verb[MouseButtonIn, MouseUpOut]{Spec: wire.Spec{
	Name: "mouse up", Group: groupRaw, Short: "Release a mouse button", Example: "abrowser mouse up",
}}

// MouseWheelIn is the input of [MouseWheel].
type MouseWheelIn struct {
	Down  float64 `json:"deltaY,omitzero" arg:"0" default:"100" help:"how far down, in CSS pixels; up if negative"`
	Right float64 `json:"deltaX,omitzero" arg:"1" help:"how far to the right; to the left if negative"`
	TimeoutIn
}

// MouseWheelOut is the output of [MouseWheel].
type MouseWheelOut struct {
	Scrolled bool    `json:"scrolled"`
	Right    float64 `json:"deltaX"`
	Down     float64 `json:"deltaY"`
	Effects
}

// MouseWheel turns the mouse wheel at the present position of the mouse.
var MouseWheel = wire.Verb[MouseWheelIn, MouseWheelOut]{Spec: wire.Spec{
	Name: "mouse wheel", Group: groupRaw, Short: "Turn the mouse wheel", Example: "abrowser mouse wheel 300",
	Long: "What is under the mouse scrolls. The command scroll needs no position and scrolls exactly; mouse wheel is for pages that listen to the wheel.",
}}

// DragIn is the input of [Drag].
type DragIn struct {
	Source string `json:"source" arg:"0" required:"true" help:"the element to drag: a selector or a ref"`
	Target string `json:"target" arg:"1" required:"true" help:"the element to drop it on"`
	TimeoutIn
}

// ElementName returns the element to drag.
func (in DragIn) ElementName() string { return in.Source }

// DragOut is the output of [Drag].
type DragOut struct {
	Dragged bool   `json:"dragged"`
	Source  string `json:"source"`
	Target  string `json:"target"`
	Effects
}

// Drag presses the mouse button on an element, moves the mouse to another element and releases the
// button there.
var Drag = wire.Verb[DragIn, DragOut]{Spec: wire.Spec{
	Name: "drag", Group: groupInput, Short: "Drag an element to another one", Example: "abrowser drag '#card' '#done'",
	Long: "Waits until both elements are visible and not moving. Works with elements that the browser drags and with libraries that follow the mouse.",
}}

// TapOut is the output of [Tap].
type TapOut struct {
	Tapped string `json:"tapped"` // the selector
	Effects
}

// Tap touches an element.
var Tap = wire.Verb[ElementIn, TapOut]{Spec: wire.Spec{
	Name: "tap", Group: groupInput, Short: "Touch an element with a finger", Example: "abrowser tap '#buy'",
	Long: "The page gets touch events, and then the click that the browser makes of them. set device makes a page believe that it is on a phone.",
}}

// SwipeIn is the input of [Swipe].
type SwipeIn struct {
	Direction string `json:"direction" arg:"0" required:"true" enum:"up|down|left|right" help:"where the finger moves; the page scrolls the other way"`
	Distance  int    `json:"distance,omitzero" arg:"1" default:"300" min:"1" help:"how far, in CSS pixels"`
	TimeoutIn
}

// maxSwipe is the longest swipe in CSS pixels.
const maxSwipe = 100_000

// Check returns an error for a distance that is too long.
func (in SwipeIn) Check() error {
	if in.Distance > maxSwipe {
		return wire.Errorf(wire.CodeBadInput, "distance is %d; it takes 1 to %d", in.Distance, maxSwipe).WithHint("abrowser swipe up 300")
	}
	return nil
}

// SwipeOut is the output of [Swipe].
type SwipeOut struct {
	Swiped string `json:"swiped"` // the direction
}

// Swipe moves a finger over the page.
var Swipe = wire.Verb[SwipeIn, SwipeOut]{Spec: wire.Spec{
	Name: "swipe", Group: groupInput, Short: "Move a finger over the middle of the page", Example: "abrowser swipe up",
	Long: "The page scrolls about as far as the finger moves, because the finger stops before it leaves the page.",
}}

// HighlightOut is the output of [Highlight].
type HighlightOut struct {
	Highlighted string `json:"highlighted"` // the selector
}

// Highlight marks elements for a person who looks at the page, and for screenshots.
var Highlight = wire.Verb[ElementIn, HighlightOut]{Spec: wire.Spec{
	Name: "highlight", Group: groupInput, Short: "Mark an element until the page goes to another document", Example: "abrowser highlight '#buy'",
	Long: "The mark is visible to a person and in screenshots, and takes no clicks.",
}}
