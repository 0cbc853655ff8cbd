package programs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
)

// Programs answer the same after edits that mean nothing: Identities put on
// edges, also those of loops; Identities taken out; everything renamed.
func TestEditedPrograms(t *testing.T) {
	all, end := engines(t, "actors,tokens,sequential,seeded:1", memoryLimit)
	defer end()
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		tr, err := newTrial(&script{rng: rng}, programs.Options{Depth: 3})
		fails := func(s *step) bool { return len(s.want.Faults) > 0 }
		if err != nil || len(tr.program.Variables) > 0 || slices.ContainsFunc(tr.steps, fails) {
			continue // errors name nodes, and variables are named after them
		}
		if err := tr.lower(); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		low := tr.low
		vars := slices.Sorted(maps.Keys(low.Outputs))
		keep := slices.Clone(low.Results)
		for _, v := range vars {
			keep = append(keep, low.Outputs[v])
		}
		e := low.Graph.Edit()
		if err := scramble(e, rng, keep); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		ends := slices.Concat(moved(e, low.Inputs), moved(e, keep))
		edited, err := e.Done()
		if err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		in, results := len(low.Inputs), len(low.Results)
		tr.low = &programs.Lowered{Graph: edited, Form: low.Form, Inputs: ends[:in], Results: ends[in : in+results], Outputs: map[programs.Var]graph.Output{}}
		for i, v := range vars {
			tr.low.Outputs[v] = ends[in+results+i]
		}
		if err := tr.compile(); err != nil {
			t.Fatalf("program %d: %v\n%v", seed, err, tr)
		}
		for _, engine := range all {
			if err := tr.judge(engine); err != nil {
				t.Fatalf("program %d on %s: %v\n%v", seed, engine.label, err, tr)
			}
		}
	}
}

// scramble edits a graph without changing what it means.
func scramble(e *graph.Editor, rng *rand.Rand, keep []graph.Output) error {
	for i, n := range e.Nodes() {
		switch {
		case n.Type() == "Identity" && len(n.Controls()) == 0 && rng.IntN(2) == 0:
			// Who waits for the Identity now waits for its input, which is dead
			// at the same times unless a Switch puts it out.
			if n.Inputs()[0].Op.Class() != graph.ClassSwitch && !fetched(e, keep, n) {
				if err := e.Replace(n, n.Inputs()[0]); err != nil {
					return err
				}
				continue
			}
		case n.NumInputs() > 0 && rng.IntN(3) == 0 && n.Class() != graph.ClassMerge:
			k := rng.IntN(n.NumInputs())
			id, err := e.Add(graph.OpSpec{Type: "Identity", Name: e.UniqueName("between"), Input: []graph.Input{n.Inputs()[k]}})
			if err != nil {
				return err
			}
			if n.Class() == graph.ClassSwitch && k == 1 && n.Inputs()[1].Op.Class() == graph.ClassLoopCond {
				if err := e.Remove(id); err != nil { // keeps the form of a loop
					return err
				}
			} else if err := e.SetInput(n, k, id.Output(0)); err != nil {
				return err
			}
		}
		if err := e.Rename(n, fmt.Sprintf("renamed/%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func fetched(e *graph.Editor, keep []graph.Output, n *graph.Node) bool {
	return slices.ContainsFunc(keep, func(p graph.Output) bool { return e.Copy(p.Op) == n })
}

// moved returns the outputs as the edited graph has them.
func moved(e *graph.Editor, outputs []graph.Output) []graph.Output {
	list := make([]graph.Output, len(outputs))
	for i, p := range outputs {
		list[i] = e.Copy(p.Op).Output(p.Index)
	}
	return list
}
