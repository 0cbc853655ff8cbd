package programs_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/tensor"
)

// races calls f with what each step of the trial runs.
func (t *trial) races(f func(p race.Program)) {
	for _, s := range t.steps {
		p := race.Program{Graph: t.low.Graph, Feeds: slices.Clone(t.low.Inputs), Targets: slices.Clone(t.also)}
		for _, v := range s.results {
			p.Fetches = append(p.Fetches, t.fetch(v))
		}
		for _, v := range s.targets {
			p.Targets = append(p.Targets, t.low.Outputs[v].Op)
		}
		for _, v := range slices.Sorted(maps.Keys(s.fed)) {
			p.Feeds = append(p.Feeds, t.low.Outputs[v])
		}
		f(p)
	}
}

// TestNoRaces looks for races in programs that have one answer.
func TestNoRaces(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 1000
		if testing.Short() {
			n = 100
		}
	}
	for seed := *first; seed < *first+n; seed++ {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 0))}
		tr, err := newTrial(src, programs.Options{Depth: 1 + seed%4})
		if errors.Is(err, errUnclear) {
			continue
		}
		if err == nil {
			err = tr.lower()
		}
		if err != nil {
			t.Fatal(err)
		}
		tr.races(func(p race.Program) {
			races, err := race.Find(context.Background(), p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if len(races) > 0 {
				t.Errorf("seed %d, of %d: %v\n%v%v", seed, len(races), races[0], tr, "")
			}
		})
		if t.Failed() {
			return
		}
	}
}

// TestRacesAreTold takes a control edge from an operation that touches a variable.
// If a schedule then has another answer than the program, a race must have been told.
func TestRacesAreTold(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 400
	}
	all, end := engines(t, "sequential,seeded:1,seeded:2,seeded:3,seeded:4,seeded:5,seeded:6,seeded:7", memoryLimit)
	defer end()
	differ, told := 0, 0
	for seed := *first; seed < *first+n; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		tr, err := newTrial(&script{rng: rng}, programs.Options{Depth: 1 + seed%3})
		if err != nil || len(tr.program.Variables) == 0 || slices.ContainsFunc(tr.steps, func(s *step) bool { return s.want.Fails() }) {
			continue
		}
		tr.form, tr.callers, tr.stopAt, tr.steps = programs.Frames, 1, 0, tr.steps[:1]
		if err := tr.lower(); err != nil {
			t.Fatal(err)
		}
		if !tr.loosen(rng) {
			continue
		}
		races := 0
		tr.races(func(p race.Program) {
			found, err := race.Find(context.Background(), p)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			races += len(found)
		})
		if races > 0 {
			told++
		}
		if err := tr.compile(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, e := range all {
			if err := tr.judge(e); err != nil {
				if differ++; races == 0 {
					t.Fatalf("seed %d on %s, and no race is told: %s\n%v\n%v", seed, e.label, brief(err), tr, "")
				}
				break
			}
		}
	}
	if differ < n/50 {
		t.Errorf("only %d programs of %d came to differ", differ, n)
	}
	t.Logf("%d programs: races told in %d, %d differ", n, told, differ)
}

// loosen takes a control edge that orders an access, if there is any. What only that
// edge asked for is run all the same.
func (t *trial) loosen(rng *rand.Rand) bool {
	low := t.low
	vars := slices.Sorted(maps.Keys(low.Outputs))
	keep := slices.Clone(low.Results)
	for _, v := range vars {
		keep = append(keep, low.Outputs[v])
	}
	e := low.Graph.Edit()
	var ordered []*graph.Node
	needed := map[*graph.Node]bool{}
	t.races(func(p race.Program) {
		nodes, err := p.Graph.Subgraph(p.Feeds, p.Fetches, p.Targets)
		if err != nil {
			panic(err)
		}
		for _, n := range nodes {
			needed[e.Copy(n)] = true
		}
	})
	for _, n := range e.Nodes() {
		if !needed[n] {
			continue
		}
		if len(n.Controls()) > 0 && n.NumInputs() > 0 && (n.InputTypes()[0] == tensor.Resource || n.InputTypes()[0].IsRef() || n.Inputs()[0].DataType().IsRef()) {
			ordered = append(ordered, n)
			t.also = append(t.also, n)
		}
	}
	if len(ordered) == 0 {
		return false
	}
	n := ordered[rng.IntN(len(ordered))]
	before := n.Controls()[rng.IntN(len(n.Controls()))]
	t.also = append(t.also, before)
	if err := e.RemoveControl(n, before); err != nil {
		panic(err)
	}
	ends := slices.Concat(moved(e, low.Inputs), moved(e, keep))
	var init []*graph.Node
	for _, n := range low.Init {
		init = append(init, e.Copy(n))
	}
	edited, err := e.Done()
	if err != nil {
		panic(err)
	}
	in, results := len(low.Inputs), len(low.Results)
	t.low = &programs.Lowered{Graph: edited, Form: low.Form, Inputs: ends[:in], Results: ends[in : in+results], Init: init, Outputs: map[programs.Var]graph.Output{}}
	for i, v := range vars {
		t.low.Outputs[v] = ends[in+results+i]
	}
	return true
}
