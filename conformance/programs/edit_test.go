package programs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
)

// Programs answer the same after edits that mean nothing: Identities put on
// edges, also those of loops; Identities taken out; everything renamed.
func TestEditedPrograms(t *testing.T) {
	all := engines(1)
	defer closeAll(all)
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		p := programs.Random(seeded{rng}, 3, []int{1, 2, 32}[seed%3])
		feeds := feedsFor(p.Inputs, rng)
		want := fmt.Sprint(p.Eval(feeds))
		g, in, out := p.Lower()

		e := g.Edit()
		if err := scramble(e, rng, out); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		ends := slices.Concat(moved(e, in), moved(e, out))
		edited, err := e.Done()
		if err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
		for _, engine := range all {
			got, err := run(engine.Engine, edited, ends[:len(in)], ends[len(in):], feeds)
			if err != nil || fmt.Sprint(got) != want {
				t.Fatalf("program %d%v on %s: got %v, %v; want %v\n\n%v", seed, feeds, engine.label, got, err, want, edited.Text(graph.TextOptions{}))
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

// moved is the outputs as the edited graph has them.
func moved(e *graph.Editor, outputs []graph.Output) []graph.Output {
	list := make([]graph.Output, len(outputs))
	for i, p := range outputs {
		list[i] = e.Copy(p.Op).Output(p.Index)
	}
	return list
}
