package tile

import (
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// TestBalance plans chains whose sections have rows to themselves, which are cut into four for
// each worker, and chains whose sections compute many rows of others, which are not.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name     string
		size     int64 // of the windows
		high     int64
		channels int64
		workers  int
		sections int
	}{
		{"pixels", 1, 48, 56, 2, 8},
		{"pixels, 4 workers", 1, 48, 56, 4, 16},
		{"pixels, alone", 1, 48, 56, 1, 2},
		{"few lines", 1, 6, 56, 2, 4},
		{"wide windows", 5, 48, 56, 2, 4},
		{"large filters", 1, 8, 340, 2, 4},
	} {
		n := &network{rng: rand.New(rand.NewPCG(1, 1)), images: true}
		x := n.outsider(1, c.high, 48, c.channels)
		for from := x; len(n.results) < 3; from = len(n.results) - 1 {
			n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, from, n.outsider(c.size, c.size, c.channels, c.channels))
		}
		inputs := make([]kernel.TileInput, len(n.outside))
		for i := range inputs {
			inputs[i] = kernel.TileInput{DType: tensor.Float, Dims: n.outside[i].Dims()}
		}
		p := planner{group: &n.group, outside: inputs, workers: c.workers, budget: bufferElements}
		p.look()
		s := p.segment(0, len(n.results)-1, 1)
		p.balance(s)
		s.settle()
		if got := len(s.Sections) - 1; got != c.sections {
			t.Errorf("%s: %d sections, not %d", c.name, got, c.sections)
		}
		n.check(t, 0, s)
	}
}
