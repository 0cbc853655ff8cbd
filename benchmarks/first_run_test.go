package benchmarks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
)

// BenchmarkFirstRun is the first run of a loop that has one turn: importing the graph, a
// session, compiling and the step; on the engine with units and on that without. The
// difference is what units cost who runs a program once.
func BenchmarkFirstRun(b *testing.B) {
	data, err := os.ReadFile("graphs/graphs.json")
	if err != nil {
		b.Fatal(err)
	}
	var all map[string]struct {
		Fetch string
		Feeds map[string]struct{ Dtype string }
	}
	if err := json.Unmarshal(data, &all); err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob("graphs/while_*.pb")
	if err != nil || len(files) == 0 {
		b.Fatal(err)
	}
	first := map[string]*tf.Tensor{}
	for dtype, value := range map[string]any{"int32": int32(1), "float32": [][]float32{make([]float32, 32)}} {
		if first[dtype], err = tf.NewTensor(value); err != nil {
			b.Fatal(err)
		}
	}
	for _, file := range files {
		def, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".pb")
		run := func(engine string) time.Duration {
			begin := time.Now()
			g := tf.NewGraph()
			if err := g.Import(def, ""); err != nil {
				b.Fatal(err)
			}
			s, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
			if err != nil {
				b.Fatal(err)
			}
			feeds := map[tf.Output]*tf.Tensor{}
			for in, f := range all[name].Feeds {
				feeds[g.Operation(strings.TrimSuffix(in, ":0")).Output(0)] = first[f.Dtype]
			}
			var fetches []tf.Output
			var targets []*tf.Operation
			if node, isTensor := strings.CutSuffix(all[name].Fetch, ":0"); isTensor {
				fetches = []tf.Output{g.Operation(node).Output(0)}
			} else {
				targets = []*tf.Operation{g.Operation(node)}
			}
			if _, err := s.Run(feeds, fetches, targets); err != nil {
				b.Fatal(err)
			}
			took := time.Since(begin)
			s.Close()
			return took
		}
		b.Run(name, func(b *testing.B) {
			var with, without []time.Duration
			for b.Loop() {
				with, without = append(with, run("actors")), append(without, run("tokens"))
			}
			slices.Sort(with)
			slices.Sort(without)
			n := len(with) / 2
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(with[n].Microseconds()), "units-µs")
			b.ReportMetric(float64(without[n].Microseconds()), "tokens-µs")
			b.ReportMetric(100*(float64(with[n])/float64(without[n])-1), "more-%")
		})
	}
}
