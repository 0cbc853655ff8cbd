//go:build !race

package benchmarks_test

import (
	"context"
	"slices"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/view/live"
)

// BenchmarkRecord is what a run costs that is recorded, one whose session's steps are read
// as the live page reads them, twice a second, and one with a handler of that page at which
// nobody looks, in turn with runs as they are: times as much in the best sample, and
// nanoseconds for an execution.
//
//	go test ./benchmarks -run - -bench Record -benchtime 20x
func BenchmarkRecord(b *testing.B) {
	rows := load(b)
	for _, name := range []string{"null_chain", "while_counter_p10", "while_cond", "while_dense_32", "add_chain"} {
		b.Run(name, func(b *testing.B) {
			s, c, values := prepare(b, name, rows[name], "actors")
			defer s.Close()
			tokens, err := tf.NewSession(s.Graph(), &tf.SessionOptions{Engine: "actors", NoUnits: true})
			_ = tokens
			_ = err
			recorded(b, s, c, values)
		})
	}
}
