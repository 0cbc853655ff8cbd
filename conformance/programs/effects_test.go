package programs_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

var effects = flag.Int("effects", 0, "run `N` graphs in TestEffects; 0: a number that suits a test")

// TestEffects asks for parts of random conditionals, loops and calls, marked to be laid
// out and unmarked, in one another, and counts which side effects run.
func TestEffects(t *testing.T) {
	n := *effects
	if n == 0 {
		n = 150
		if testing.Short() {
			n = 30
		}
	}
	all, end := engines(t, "actors,tokens,sequential,seeded:1,messages", memoryLimit)
	defer end()
	for seed := *first; seed < *first+n; seed++ {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 22))}
		e := programs.NewEffects(src, 1+seed%3)
		for range 3 {
			a := e.Ask()
			if err := askedFor(all, e, a, seed%2 == 0); err != nil {
				t.Fatalf("seed %d: fetched %v, run %v: %v\n%.20000s", seed, a.Fetches, names(a.Targets), err, notation.Format(e.Graph, notation.Options{}))
			}
		}
	}
}

func names(nodes []*graph.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, n.Name())
	}
	return list
}

// askedFor runs a step on each engine, and says where counters differ from what is wanted.
func askedFor(all []*engine, e *programs.Effects, a programs.Ask, rewritten bool) error {
	o := rewrite.Options{}
	if rewritten {
		o.Passes = rewrite.Default()
	}
	specs := []compile.Spec{{Targets: e.Init}, {Fetches: a.Fetches, Targets: a.Targets, Rewrite: o}, {Fetches: e.Counters}}
	var steps []*nodes.Program
	for _, spec := range specs {
		p, err := compile.Graph(context.Background(), e.Graph, spec)
		if err != nil {
			return err
		}
		steps = append(steps, p)
	}
	for _, engine := range all {
		resources := &resource.Manager{Budget: engine.budget}
		var fetched []tensor.Value
		for i, p := range steps {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			fetched = make([]tensor.Value, len(specs[i].Fetches))
			s := &kernel.Step{Context: ctx, Resources: resources, PerStep: &resource.Manager{Budget: engine.budget}, Pool: engine.pool}
			err := engine.Run(s, p, nil, fetched)
			s.PerStep.Clear()
			cancel()
			if err != nil {
				return fmt.Errorf("on %s: %w", engine.label, err)
			}
		}
		var got []int32
		for i := range fetched {
			got = append(got, tensor.At0[int32](&fetched[i]))
		}
		resources.Clear()
		if !slices.Equal(got, a.Want) {
			return fmt.Errorf("on %s: counters are %v, want %v", engine.label, got, a.Want)
		}
	}
	return nil
}
