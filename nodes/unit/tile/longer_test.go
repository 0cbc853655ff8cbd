package tile

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/troupe-go/troupe/kernel"
)

// TestLonger has a segment of little work take longer than was planned: it is cut into as many
// sections as are worth it, up to two for each worker, and the segment itself stays as it is.
func TestLonger(t *testing.T) {
	n, inputs := convolutions(2)
	for _, c := range []struct {
		took              time.Duration
		workers, sections int
	}{
		{2*perSection - 1, 2, 0},
		{2 * perSection, 2, 2},
		{3 * perSection, 2, 3},
		{time.Second, 2, 4},
		{time.Second, 3, 6},
		{time.Second, 100, 64}, // rows
		{2 * perSection, 1, 2},
	} {
		s := NewPlan(&n.group, inputs, c.workers).Segments[0]
		if got := len(s.Sections) - 1; got != 1 {
			t.Fatalf("planned in %d sections", got)
		}
		before := s.String()
		longer := s.Longer(c.took, c.workers)
		if s.String() != before || s.steps[1].owned[1] != 64 {
			t.Errorf("%v, %d workers: the segment is %v now", c.took, c.workers, s)
		}
		if longer == nil {
			if c.sections != 0 {
				t.Errorf("%v, %d workers: not cut", c.took, c.workers)
			}
			continue
		}
		if got := len(longer.Sections) - 1; got != c.sections || longer.Work != c.took {
			t.Errorf("%v, %d workers: %d sections of %v", c.took, c.workers, got, longer.Work)
		}
		if again := longer.Longer(c.took/time.Duration(min(c.workers, c.sections)), c.workers); again != nil {
			t.Errorf("%v, %d workers: cut again, into %v", c.took, c.workers, again)
		}
		n.check(t, 0, longer)
	}
}

// TestLongerImages has several images, each of which has its sections.
func TestLongerImages(t *testing.T) {
	n := &network{rng: rand.New(rand.NewPCG(1, 1)), images: true}
	x := n.outsider(3, 64, 1, 8)
	n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, x, n.outsider(1, 1, 8, 8))
	n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, 0, n.outsider(1, 1, 8, 8))
	inputs := make([]kernel.TileInput, len(n.outside))
	for i := range inputs {
		inputs[i] = kernel.TileInput{DType: n.outside[i].DType(), Dims: n.outside[i].Dims()}
	}
	s := NewPlan(&n.group, inputs, 4).Segments[0]
	longer := s.Longer(time.Second, 4)
	if longer == nil || len(longer.Sections)-1 != 3 { // 9 for 4 workers
		t.Fatalf("cut into %v", longer)
	}
	if longer.Work != 3*time.Second {
		t.Errorf("work of %v", longer.Work)
	}
	n.check(t, 0, longer)
}
