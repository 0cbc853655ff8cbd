package graph

import (
	"fmt"
	"testing"
)

// Importing is linear: the allocations for a node, which unlike times do not
// vary, stay the same from 1,000 to 100,000 nodes, and few.
func TestImportScales(t *testing.T) {
	for _, n := range []int{10, 1000, 100_000} {
		def := chainDef(n)
		allocs := testing.AllocsPerRun(1, func() {
			if err := New().Import(def, "p"); err != nil {
				t.Fatal(err)
			}
		})
		if limit := 200 + 0.1*float64(n); allocs > limit {
			t.Errorf("%d nodes take %.0f allocations, more than %.0f", n, allocs, limit)
		}
	}
}

// A chain in the reverse order is imported without recursion, and frames, text
// and subgraphs of it take no time to speak of.
func TestLongChain(t *testing.T) {
	const n = 100_000
	g := New()
	var def []byte
	for i := n; i > 0; i-- {
		input := ""
		if i > 1 {
			input = fmt.Sprintf("^n%d", i-1)
		}
		def = fmt.Appendf(def, "n%d = NoOp(%s)\n", i, input)
	}
	if err := addText(g, string(def)); err != nil {
		t.Fatal(err)
	}
	last := g.Operation(fmt.Sprint("n", n))
	if last.ID() != n-1 {
		t.Errorf("the last node has id %d", last.ID())
	}
	if _, err := g.Frames(); err != nil {
		t.Error(err)
	}
	if nodes, err := g.Subgraph(nil, nil, []*Node{last}); err != nil || len(nodes) != n {
		t.Errorf("%d nodes, %v", len(nodes), err)
	}
	if order := ReversePostOrder(g.Nodes()); len(order) != n || order[n-1] != last {
		t.Errorf("%d nodes in order", len(order))
	}
}

// Unique names stay cheap when a thousand nodes ask for the same one.
func TestUniqueNamesScale(t *testing.T) {
	g := New()
	b := NewBuilder(g)
	for range 20_000 {
		b.Add(OpSpec{Type: "NoOp"})
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	if g.Operation("NoOp_19999") == nil {
		t.Error("the last name is another")
	}
}
