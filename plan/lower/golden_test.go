package lower_test

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
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan/lower"
)

// TestGolden lowers the graphs in testdata; -rewrite writes the answers again.
//
//	lower [feed=x:0] fetch=y:0   what the input becomes, without what the fetch does not need
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g := graph.New()
			if err := notation.Add(g, d.Input); err != nil {
				t.Fatal(err)
			}
			output := func(key string) []graph.Output {
				var name string
				d.MaybeScanArgs(t, key, &name)
				if name == "" {
					return nil
				}
				o, err := g.Find(name)
				if err != nil {
					t.Fatal(err)
				}
				return []graph.Output{o}
			}
			feeds, fetches := output("feed"), output("fetch")
			need, err := g.Subgraph(feeds, fetches, nil)
			if err != nil {
				t.Fatal(err)
			}
			l, err := lower.Functions(context.Background(), g, need, feeds)
			if err != nil {
				return err.Error()
			}
			to := l.Output(fetches[0])
			targets, err := l.Targets(fetches, nil)
			if err != nil {
				t.Fatal(err)
			}
			roots := append([]*graph.Node{to.Op}, targets...)
			nodes, err := l.Subgraph(nil, nil, roots)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, line := range strings.Split(notation.Format(l.Graph, notation.Options{Nodes: nodes}), "\n") {
				if strings.HasPrefix(line, "func") || strings.HasPrefix(line, "stateful") {
					break
				}
				if line != "" {
					fmt.Fprintln(&b, line)
				}
			}
			fmt.Fprintf(&b, "=> %v\n", to)
			for _, n := range targets {
				fmt.Fprintf(&b, "=> ^%s\n", n.Name())
			}
			return b.String()
		})
	})
}
