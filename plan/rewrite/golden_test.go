package rewrite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	_ "github.com/troupe-go/troupe/ops/random"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
)

// TestGolden rewrites the graphs in testdata; -rewrite writes the answers again.
//
//	rewrite passes=(fold,common) feed=x:0 fetch=(y:0,z:0) target=t
//
// With onedevice all nodes run on one device. It answers the program that the passes
// make, one node a line, where it is fetched if that is elsewhere now, and how many nodes
// each pass has saved.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g := graph.New()
			if err := notation.Add(g, d.Input); err != nil {
				d.Fatalf(t, "%v", err)
			}
			p, passes := program(t, g, d)
			q := p
			stats, err := plan.Run(t.Context(), &q, rewrite.Options{Passes: passes, OneDevice: d.HasArg("onedevice")}.List(t.Context()), plan.Options{Verify: true})
			if err != nil {
				return err.Error() + "\n"
			}
			if q.Graph == p.Graph {
				return "nothing to be changed\n"
			}
			var b strings.Builder
			for _, n := range q.Nodes {
				fmt.Fprintln(&b, n)
			}
			for i, f := range q.Fetches {
				if f.String() != p.Fetches[i].String() {
					fmt.Fprintf(&b, "fetch %v from %v\n", p.Fetches[i], f)
				}
			}
			if len(q.Targets) != len(p.Targets) {
				fmt.Fprintf(&b, "targets: %d of %d\n", len(q.Targets), len(p.Targets))
			}
			for _, s := range stats {
				fmt.Fprintf(&b, "%s: %d → %d\n", s.Pass, s.Before, s.After)
			}
			return b.String()
		})
	})
}

// program returns what a command asks to be rewritten.
func program(t *testing.T, g *graph.Graph, d *datadriven.TestData) (p plan.Program, passes rewrite.Passes) {
	p.Graph = g
	var names []string
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			if arg.Key == "passes" {
				names = append(names, v)
				continue
			}
			id := graph.ParseTensorID(v)
			if arg.Key == "target" { // may have no outputs
				id.Index = graph.Control
			}
			o, err := g.FindID(id)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			switch arg.Key {
			case "feed":
				p.Feeds = append(p.Feeds, o)
			case "fetch":
				p.Fetches = append(p.Fetches, o)
			case "target":
				p.Targets = append(p.Targets, o.Op)
			}
		}
	}
	passes, err := rewrite.Parse(strings.Join(names, ","))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	if p.Nodes, err = g.Subgraph(p.Feeds, p.Fetches, p.Targets); err != nil {
		d.Fatalf(t, "%v", err)
	}
	return p, passes
}
