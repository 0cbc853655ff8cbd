//go:build invariants

package rewrite

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
)

// verify panics if a program is not what it must be between passes: every edge leads
// from a node of the program to another and is known at both ends, feeds, fetches and
// targets are of the program, and names find their nodes.
func (w *work) verify(pass string) {
	fail := func(format string, args ...any) {
		panic(fmt.Sprintf("rewrite: after %s: %s", pass, fmt.Sprintf(format, args...)))
	}
	is := map[*graph.Node]bool{}
	for _, n := range w.Nodes() {
		is[n] = true
	}
	edges := map[graph.Edge]int{}
	for _, n := range w.Nodes() {
		if w.Node(n.Name()) != n {
			fail("%s is not found by its name", n.Name())
		}
		if n.NumInputs() != len(n.InputTypes()) {
			fail("%s has %d inputs, not %d", n.Name(), n.NumInputs(), len(n.InputTypes()))
		}
		for e := range n.In() {
			if !is[e.From.Op] {
				fail("%v comes from a node that is gone", e)
			}
			if !e.IsControl() && !e.From.Exists() {
				fail("%v comes from no output", e)
			}
			edges[e]++
		}
	}
	for _, n := range w.Nodes() {
		for e := range n.Out() {
			if edges[e]--; edges[e] < 0 {
				fail("%v is not known where it leads to", e)
			}
		}
	}
	for e, k := range edges {
		if k != 0 {
			fail("%v is not known where it comes from", e)
		}
	}
	for i, f := range w.fetches {
		if !is[f.Op] || !f.Exists() {
			fail("fetch %d is %v", i, f)
		}
	}
	for i, t := range w.targets {
		if t != nil && !is[t] {
			fail("target %d is %s", i, t.Name())
		}
	}
	for i, f := range w.Feeds {
		if !is[f.Op] || !w.fed[f.Op] {
			fail("feed %d is %v", i, f)
		}
	}
}
