package code_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/form"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/logging"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
)

// A seeded source draws programs.
type seeded struct{ *rand.Rand }

func (s seeded) Int(_ string, lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// eachForm calls do with the forms of random programs.
func eachForm(t *testing.T, seeds int, do func(seed uint64, f *form.Form, emit func() *code.Unit)) {
	forms := 0
	filter := filter(t)
	for seed := range uint64(seeds / 25) {
		c := form.NewCompiler(filter, nil)
		f, why, err := c.Form(1)
		if f == nil {
			t.Fatal(why, err)
		}
		do(seed, f, func() *code.Unit { return code.Emit(f, c.Credit) })
	}
	for seed := range uint64(seeds) {
		src := seeded{rand.New(rand.NewPCG(seed, 7))}
		low := programs.Random(src, programs.Options{Depth: 1 + int(seed%4)}).Lower(programs.Form(seed % 3))
		p, err := compile.Graph(context.Background(), low.Graph, compile.Spec{Feeds: low.Inputs, Fetches: low.Results})
		if err != nil {
			continue
		}
		flow := p.Flow()
		c := form.NewCompiler(flow, nil)
		for frame := range flow.Frames {
			f, _, err := c.Form(int32(frame))
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				continue
			}
			forms++
			do(seed, f, func() *code.Unit { return code.Emit(f, c.Credit) })
			if frame == 0 {
				break
			}
		}
	}
	if forms < seeds/2 {
		t.Errorf("only %d forms", forms)
	}
}

// filter is a loop that takes numbers from one queue, and puts some into another.
func filter(t *testing.T) *form.Flow {
	text, err := os.ReadFile("testdata/filter")
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := notation.Add(g, string(text)); err != nil {
		t.Fatal(err)
	}
	fetch, err := g.FindID(graph.ParseTensorID("prime_out"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := nodes.Compile(context.Background(), g, nodes.Spec{Fetches: []graph.Output{fetch}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Flow()
}

// TestVerify verifies the code of random programs.
func TestVerify(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	eachForm(t, seeds, func(seed uint64, f *form.Form, emit func() *code.Unit) {
		if err := code.Verify(emit(), f); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	})
}

// TestVerifyHasTeeth damages good code in every way that there is. Verify must object to
// each kind, and not panic; some damage does no harm, or shows on no path that was drawn.
func TestVerifyHasTeeth(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 100
	}
	type tally struct{ done, objected int }
	tallies := make([]tally, len(code.Damages))
	eachForm(t, seeds, func(seed uint64, f *form.Form, emit func() *code.Unit) {
		for i, d := range code.Damages {
			u := emit()
			if !d.Do(u, rand.New(rand.NewPCG(seed, uint64(i)))) {
				continue
			}
			tallies[i].done++
			if code.Verify(u, f) != nil {
				tallies[i].objected++
			}
		}
	})
	for i, d := range code.Damages {
		if x := tallies[i]; x.objected == 0 {
			t.Errorf("%s: done %d times, and never objected to", d.Name, x.done)
		} else {
			t.Logf("%s: %d of %d", d.Name, x.objected, x.done)
		}
	}
}
