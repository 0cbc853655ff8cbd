package race_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/lookup"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan/race"
)

// TestGolden finds the races of the graphs in testdata; -rewrite writes the answers
// again.
//
//	races fetch=(y:0) target=(a b)
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			p, err := program(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			races, err := race.Find(context.Background(), p)
			if err != nil {
				return err.Error()
			}
			if len(races) == 0 {
				return "none"
			}
			var b strings.Builder
			for _, r := range races {
				fmt.Fprintln(&b, r)
			}
			return b.String()
		})
	})
}

// program reads a test's graph and what is run of it.
func program(d *datadriven.TestData) (p race.Program, err error) {
	p.Graph = graph.New()
	if err := notation.Add(p.Graph, d.Input); err != nil {
		return p, err
	}
	for _, arg := range d.CmdArgs {
		for _, name := range arg.Vals {
			id := graph.ParseTensorID(name)
			if arg.Key == "target" {
				id.Index = graph.Control
			}
			o, err := p.Graph.FindID(id)
			switch {
			case err != nil:
				return p, err
			case arg.Key == "target":
				p.Targets = append(p.Targets, o.Op)
			case arg.Key == "fetch":
				p.Fetches = append(p.Fetches, o)
			default:
				p.Feeds = append(p.Feeds, o)
			}
		}
	}
	return p, nil
}
