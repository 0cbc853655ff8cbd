//go:build !race

package benchmarks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// BenchmarkProfile is what runs cost that are given to a Sampler, and what one costs that
// is recorded in full, beside one that is not, in turn, as other programs on the machine
// disturb all: by how much the best sample and the median are longer. A sample is as many
// runs as take some milliseconds.
//
//	go test ./benchmarks -run - -bench Profile -benchtime 60x
func BenchmarkProfile(b *testing.B) {
	rows := load(b)
	for _, name := range []string{"null_chain", "while_counter_p10", "while_cond", "while_dense_32", "add_chain", "const_fetch"} {
		b.Run(name, func(b *testing.B) {
			s, c, values := prepare(b, name, rows[name], "actors")
			defer s.Close()
			profiled(b, c, values, rows[name].Work, rows[name].Unit)
		})
	}
	for name, n := range networks {
		b.Run(name, func(b *testing.B) { // with the same weights, of a small batch and of a large one
			s := op.NewScope()
			x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(append([]int64{-1}, n.shape[1:]...)...)))
			y := n.build(s, x)
			g, err := s.Finalize()
			if err != nil {
				b.Fatal(err)
			}
			session, err := tf.NewSession(g, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer session.Close()
			c, err := session.MakeCallable([]tf.Output{x}, []tf.Output{y}, nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, batch := range []int64{1, n.shape[0]} {
				b.Run("batch "+tf.MakeShape(batch).String(), func(b *testing.B) {
					shape := append([]int64{batch}, n.shape[1:]...)
					size := int64(1)
					for _, d := range shape {
						size *= d
					}
					in, err := tf.FromSlice(fill[float32](size, 0.5), shape...)
					if err != nil {
						b.Fatal(err)
					}
					profiled(b, c, []*tf.Tensor{in}, 1, "run")
				})
			}
		})
	}
}

// profiled times runs in turn without a profile, with a sampler and in full.
func profiled(b *testing.B, c *tf.Callable, feeds []*tf.Tensor, work float64, unit string) {
	const sample = 5 * time.Millisecond
	var meta tf.RunMetadata
	sampler := &tf.Sampler{}
	ways := []struct {
		name    string
		options tf.RunOptions
		runs    int
		took    []float64 // nanoseconds a run
	}{
		{"plain", tf.RunOptions{}, 1, nil},
		{"sampled", tf.RunOptions{Sampler: sampler}, 1, nil},
		{"full", tf.RunOptions{Profile: true, Metadata: &meta}, 1, nil},
	}
	take := func(i int) time.Duration {
		begin := time.Now()
		for range ways[i].runs {
			if _, err := c.CallWithOptions(b.Context(), ways[i].options, feeds...); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begin)
	}
	for i := range ways {
		for took := take(i); took < sample; took = take(i) {
			ways[i].runs *= 2
		}
	}
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			w.took = append(w.took, float64(take(i).Nanoseconds())/float64(w.runs))
		}
	}
	for _, w := range ways {
		slices.Sort(w.took)
	}
	b.ReportMetric(0, "ns/op") // of all together, which says nothing
	b.ReportMetric(ways[0].took[0]/work, "ns/"+strings.ReplaceAll(unit, " ", "-"))
	for _, w := range ways[1:] {
		more := func(k int) float64 { return 100 * (w.took[k]/ways[0].took[k] - 1) }
		b.ReportMetric(more(0), w.name+"-best-%")
		b.ReportMetric(more(len(w.took)/2), w.name+"-median-%")
	}
	m := sampler.Model()
	b.ReportMetric(float64(m.Recorded)/float64(m.Runs), "taken/run")
}
