package aria

import (
	"fmt"
	"image"
	"slices"
	"testing"
)

func TestWalkBoxes(t *testing.T) {
	root, err := Parse(`- button "A" [ref=e1] [box=10,20,30,40]
- generic [ref=e2]:
  - iframe [ref=e3] [box=100,200,300,100]:
    - button "B" [ref=f1e1] [box=5,6,20,10]
    - button "below the frame" [ref=f1e2] [box=5,600,20,10]
    - iframe [ref=f1e3] [box=50,50,100,100]:
      - button "C" [ref=f2e1] [box=1,2,20,10]
      - button "below both" [ref=f2e2] [box=1,60,20,10]
- button "no box" [ref=e4]`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	root.WalkBoxes(func(n *Node, box image.Rectangle) { got = append(got, fmt.Sprint(n.PlaywrightRef, " ", box)) })
	want := []string{
		"e1 (10,20)-(40,60)", "e3 (100,200)-(400,300)", "f1e1 (105,206)-(125,216)", "f1e3 (150,250)-(250,300)", "f2e1 (151,252)-(171,262)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("WalkBoxes() = %q, want %q", got, want)
	}
}
