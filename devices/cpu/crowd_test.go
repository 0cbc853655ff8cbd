package cpu

import (
	"testing"
	"time"
)

func TestCrowd(t *testing.T) {
	const ms = time.Millisecond
	var c crowd
	if c.lasts(0) {
		t.Error("a processor of which nothing is known is crowded")
	}
	for _, step := range []struct{ at, until time.Duration }{
		{1000 * ms, 1050 * ms},
		{1060 * ms, 1160 * ms}, // soon again: twice as long
		{1250 * ms, 1450 * ms},
		{1451 * ms, 1851 * ms},
		{1852 * ms, 2652 * ms},
		{2653 * ms, 3653 * ms}, // a second at most
		{3654 * ms, 4654 * ms},
		{5654 * ms, 5704 * ms}, // not soon
	} {
		if c.found(step.at); c.lasts(step.until) || !c.lasts(step.until-1) {
			t.Errorf("found at %v, it lasts until %v, want %v", step.at, c.until, step.until)
		}
	}
}
