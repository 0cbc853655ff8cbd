package machine

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes/unit/tile"
	_ "github.com/troupe-go/troupe/ops/nn"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// little returns a segment that is planned in one section.
func little(t *testing.T) *tile.Segment {
	attrs, err := registry.ParseAttrs(`strides=[1, 1, 1, 1], padding="SAME"`)
	if err != nil {
		t.Fatal(err)
	}
	g := &tile.Group{}
	for i := range 2 {
		k, _, err := kerneltest.New("n", "Conv2D", attrs, tensor.Float, tensor.Float)
		if err != nil {
			t.Fatal(err)
		}
		g.Members = append(g.Members, tile.Member{Kernel: k.(kernel.Tiler), In: []int{i - 1, ^1}})
	}
	plan := tile.NewPlan(g, []kernel.TileInput{
		{DType: tensor.Float, Dims: []int64{1, 64, 1, 8}},
		{DType: tensor.Float, Dims: []int64{1, 1, 8, 8}},
	}, 2)
	return plan.Segments[0]
}

// TestDecide has plays in tiles and by calls take so long, in turn: what took much longer than
// was planned is tried in more sections, and what was shortest is played from then on.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name               string
		tiles, calls, more time.Duration // more: of tiles in more sections
		sections           int
		apart              bool
	}{
		{"little work", 3e3, 4e3, 0, 1, false},
		{"little work, calls are faster", 4e3, 3e3, 0, 1, true},
		{"long", 9e5, 8e5, 5e5, 4, false},
		{"long, calls are faster", 9e5, 4e5, 5e5, 4, true},
		{"more sections take longer", 7e5, 8e5, 9e5, 1, false},
		{"more sections and tiles take longer", 7e5, 6e5, 9e5, 1, true},
	} {
		r := &tileRun{Runner: tile.NewRunner(little(t)), tried: trials}
		r.took = [2]int64{int64(c.tiles), int64(c.calls)}
		r.decide(2)
		if again := r.tried == 0; again != (c.more != 0) {
			t.Errorf("%s: tried again: %v", c.name, again)
		}
		if c.more != 0 {
			r.tried, r.took = trials, [2]int64{int64(c.more), int64(c.calls)}
			r.decide(2)
		}
		if got := len(r.Segment().Sections) - 1; got != c.sections || r.apart != c.apart || r.tried != trials {
			t.Errorf("%s: %d sections, by calls %v, after %d plays", c.name, got, r.apart, r.tried)
		}
	}
}
