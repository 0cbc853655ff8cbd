package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
)

// dag is n nodes that do nothing, in layers of 16, each of which waits for two of
// the layer before.
func dag(n int) (text, fetch string) {
	var w strings.Builder
	for i := range n {
		if i < 16 {
			fmt.Fprintf(&w, "n%d = NoOp()\n", i)
		} else {
			layer := i / 16 * 16
			fmt.Fprintf(&w, "n%d = NoOp(^n%d, ^n%d)\n", i, layer-16+i*7%16, layer-16+(i*7+5)%16)
		}
	}
	return w.String(), fmt.Sprint("n", n-1)
}

// BenchmarkCompile is the parts of a first run before the step: importing the graph,
// running the passes that must run and laying a program out, and making its units, in
// processor time.
func BenchmarkCompile(b *testing.B) {
	run := func(name, target string, def []byte) {
		b.Run(name, func(b *testing.B) {
			var imports, lays, units time.Duration
			count := 0
			for b.Loop() {
				runtime.GC()
				t0 := cpuTime()
				g := graph.New()
				if err := g.Import(def, ""); err != nil {
					b.Fatal(err)
				}
				to, port, _ := strings.Cut(target, ":")
				spec := Spec{Targets: []*graph.Node{g.Operation(to)}}
				if port != "" {
					spec = Spec{Fetches: []graph.Output{g.Operation(to).Output(0)}}
				}
				for _, n := range g.Nodes() {
					if n.Class() == graph.ClassPlaceholder {
						spec.Feeds = append(spec.Feeds, n.Output(0))
					}
				}
				t1 := cpuTime()
				p, err := Make(context.Background(), g, spec)
				if err != nil {
					b.Fatal(err)
				}
				t2 := cpuTime()
				if _, err := p.Layout(context.Background(), false); err != nil {
					b.Fatal(err)
				}
				t3 := cpuTime()
				if _, err := p.Layout(context.Background(), true); err != nil {
					b.Fatal(err)
				}
				t4 := cpuTime()
				imports, lays, units = imports+t1-t0, lays+t3-t1, units+(t4-t3)-(t3-t2)
				count = g.NumNodes()
			}
			each := float64(b.N * count)
			b.ReportMetric(0, "ns/op") // it has the collections of garbage between
			b.ReportMetric(float64(imports.Nanoseconds())/each, "import-ns/node")
			b.ReportMetric(float64(lays.Nanoseconds())/each, "layout-ns/node")
			b.ReportMetric(float64(units.Nanoseconds())/each, "units-ns/node")
			b.ReportMetric(100*float64(units)/float64(imports+lays), "units-%")
		})
	}
	export := func(g *graph.Graph) []byte {
		def, err := g.GraphDef(graph.ExportOptions{})
		if err != nil {
			b.Fatal(err)
		}
		return def
	}
	for _, n := range []int{10_000, 100_000} {
		g := graph.New()
		text, last := dag(n)
		if err := notation.Add(g, text); err != nil {
			b.Fatal(err)
		}
		run(fmt.Sprintf("null_dag/n=%d", n), last, export(g))
	}
	files, err := filepath.Glob("../benchmarks/graphs/while_*.pb")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		def, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		g := graph.New()
		if err := g.Import(def, ""); err != nil {
			b.Fatal(err)
		}
		target := "NoOp"
		if g.Operation(target) == nil {
			target = "while/Exit:0"
		}
		run(strings.TrimSuffix(filepath.Base(file), ".pb"), target, def)
	}
	builder := graph.NewBuilder(graph.New())
	x := shapes[2].build(b, builder, 1000)
	if err := builder.Err(); err != nil {
		b.Fatal(err)
	}
	run("loops/n=1000", x.String(), export(builder.Graph()))
}
