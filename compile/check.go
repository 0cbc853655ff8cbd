package compile

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/plan/lower"
)

// Plays reports whether an operation is lowered, or played by the step machine itself, so that it
// needs no kernel.
func Plays(op string) bool { return !kind.Of(op).Runs() || lower.Plays(op) }

// Check reports why no program can hold the node: it has no kernel, or a kernel
// that refuses its attributes. It is the error that [Graph] fails with.
func Check(n *graph.Node) error {
	if lower.Lowers(n) {
		return nil
	}
	return nodes.Check(n)
}
