package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A set of edges away from a node against a plain list, as it grows long and
// shrinks again.
func TestUseSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := New()
	b := NewBuilder(g)
	var takers []*Node
	for range 8 {
		takers = append(takers, b.Add(OpSpec{Type: "NoOp", Name: g.UniqueName("n")}))
	}
	var set useSet
	var list []use
	for round := range 20_000 {
		growing := round/2000%2 == 0
		if len(list) == 0 || (rng.IntN(3) > 0) == growing {
			u := use{rng.IntN(3) - 1, Consumer{takers[rng.IntN(len(takers))], round}}
			set.add(u)
			list = append(list, u)
		} else {
			i := rng.IntN(len(list))
			set.remove(list[i])
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
		}
		if !slices.Equal(set.list, list) {
			t.Fatalf("round %d: %v, want %v", round, set.list, list)
		}
	}
}

// BenchmarkMoveEdges moves the consumers of one constant to another one, one at a
// time from the last to the first: a figure that grows with n would be a search.
func BenchmarkMoveEdges(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			g := New()
			build := NewBuilder(g)
			from := build.Const(float32(1))
			for range n {
				build.Op("Neg", nil, from)
			}
			to := build.Const(float32(2))
			if err := build.Err(); err != nil {
				b.Fatal(err)
			}
			e := g.Edit()
			from, to = e.Copy(from.Op).Output(0), e.Copy(to.Op).Output(0)
			for b.Loop() {
				for _, c := range slices.Backward(from.Consumers()) {
					if err := e.SetInput(c.Op, c.Index, to); err != nil {
						b.Fatal(err)
					}
				}
				from, to = to, from
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/edge")
		})
	}
}
