package programs_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
)

// A lean program holds nothing of the graph that it was laid out from, and has the same nodes
// and units when it is compiled again as one that kept them.
func TestLean(t *testing.T) {
	compiled := 0
	for seed := range uint64(40) {
		p := programs.Random(&script{rng: rand.New(rand.NewPCG(seed, 11))}, programs.Options{Depth: 1 + int(seed%4)})
		low := p.Lower(programs.Form(seed % 3))
		var from weak.Pointer[graph.Graph]
		spec := compile.Spec{
			Feeds: low.Inputs, Fetches: low.Results, Rewrite: rewrite.Options{Passes: rewrite.Default()},
			After: func(_ string, p *plan.Program) { from = weak.Make(p.Graph) },
		}
		kept, err := compile.Graph(context.Background(), low.Graph, spec)
		if err != nil {
			continue
		}
		compiled++
		own := from.Value() == low.Graph // no pass has changed the graph
		spec.Lean = true
		lean, err := compile.Graph(context.Background(), low.Graph, spec)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		full, err := lean.Full(context.Background())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		runtime.GC()
		if from.Value() != nil && !own {
			t.Errorf("seed %d: the program holds the graph that it was laid out from", seed)
		}
		again := full.Nodes()
		for i, n := range kept.Nodes() {
			switch {
			case lean.Name(i) != kept.Name(i) || lean.Def(i) != kept.Def(i):
				t.Fatalf("seed %d: node %d is %s where the other program has %s", seed, i, lean.Name(i), kept.Name(i))
			case (n == nil) != (again[i] == nil) || n != nil && n.String() != again[i].String():
				t.Fatalf("seed %d: node %d is %v, compiled again %v", seed, i, n, again[i])
			}
		}
		if got, want := full.Plan().String(), kept.Plan().String(); got != want {
			t.Fatalf("seed %d: compiled again\n%s\nand before\n%s", seed, got, want)
		}
		runtime.KeepAlive(lean)
	}
	if compiled < 20 {
		t.Errorf("only %d programs compiled", compiled)
	}
}
