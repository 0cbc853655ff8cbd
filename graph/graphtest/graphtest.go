// Package graphtest builds graphs and devices for tests.
package graphtest

import (
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
)

// Parse returns the graph of a text, or the end of the test.
func Parse(t testing.TB, text string) *graph.Graph {
	t.Helper()
	def, err := notation.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	return g
}

// CPUs describes n CPU devices of this process.
func CPUs(n int) []devices.Attributes {
	all := make([]devices.Attributes, n)
	for i := range all {
		all[i] = devices.Options{}.Describe("CPU", i, "")
	}
	return all
}
