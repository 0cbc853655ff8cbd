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

// BenchmarkProfile is what a run costs whose nodes are taken down, beside one whose
// nodes are not, in turn, as other programs on the machine disturb both: the best sample
// of each, and by how much the median of the profiled ones is longer. A sample is as
// many runs as take some milliseconds.
//
//	go test ./benchmarks -run - -bench Profile -benchtime 60x
func BenchmarkProfile(b *testing.B) {
	rows := load(b)
	for _, name := range []string{"while_counter_p10", "while_cond", "while_dense_32", "add_chain"} {
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

// profiled times runs in turn with and without a profile.
func profiled(b *testing.B, c *tf.Callable, feeds []*tf.Tensor, work float64, unit string) {
	const sample = 5 * time.Millisecond
	runs := 1
	take := func(profile bool) time.Duration {
		begin := time.Now()
		for range runs {
			var meta tf.RunMetadata
			if _, err := c.CallWithOptions(b.Context(), tf.RunOptions{Profile: profile, Metadata: &meta}, feeds...); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begin)
	}
	for took := take(false); took < sample; took = take(false) {
		runs *= 2
	}
	var on, off []time.Duration
	for b.Loop() {
		off, on = append(off, take(false)), append(on, take(true))
	}
	slices.Sort(on)
	slices.Sort(off)
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(runs) / work }
	unit = strings.ReplaceAll(unit, " ", "-")
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
	b.ReportMetric(per(off[0]), "off-ns/"+unit)
	b.ReportMetric(per(on[0]), "on-ns/"+unit)
	b.ReportMetric(100*(float64(on[0])/float64(off[0])-1), "best-%")
	b.ReportMetric(100*(float64(on[len(on)/2])/float64(off[len(off)/2])-1), "median-%")
}
