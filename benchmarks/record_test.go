//go:build !race

package benchmarks_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/view/live"
)

// BenchmarkRecord is how many times as long a run takes that is recorded as one by tokens,
// which a recorded run is, and by how much a run takes longer that can be watched (idle-%),
// and that is, as by the live page (counted-%). All are in turn, and what counts is the time
// of processors, as other programs on the machine disturb all; the best samples count.
// look-% is what the looks of a page take of a processor, one each second.
//
//	go test ./benchmarks -run - -bench Record -benchtime 20x
func BenchmarkRecord(b *testing.B) {
	rows := load(b)
	for _, name := range []string{"null_chain", "while_counter_p10", "while_cond", "while_dense_32", "add_chain"} {
		b.Run(name, func(b *testing.B) {
			bySeveral := func(engine string) (*tf.Session, func(context.Context)) {
				s, c, values := prepare(b, name, rows[name], engine)
				b.Cleanup(func() { s.Close() })
				return s, func(ctx context.Context) {
					if _, err := c.Call(ctx, values...); err != nil {
						b.Fatal(err)
					}
				}
			}
			_, plain := bySeveral("actors")
			_, tokens := bySeveral("tokens")
			unseen, idle := bySeveral("actors")
			live.Handler(live.Of(unseen), live.Options{}) // which no one asks
			s, watched := bySeveral("actors")
			tick := make(chan time.Time)
			server := httptest.NewServer(live.Handler(live.Of(s), live.Options{Tick: func(time.Duration) (<-chan time.Time, func()) { return tick, func() {} }}))
			defer server.Close()
			r, err := http.Get(server.URL + "/events")
			if err != nil {
				b.Fatal(err)
			}
			defer r.Body.Close()
			events := bufio.NewScanner(r.Body)
			events.Buffer(nil, 1<<20)
			look := looks(b, tick, events)
			recorded := func(context.Context) {
				r := recording.New()
				tokens(recording.With(b.Context(), r))
			}
			best := bestOf(b, plain, tokens, recorded, idle, watched)
			b.ReportMetric(0, "ns/op") // of all together, which says nothing
			b.ReportMetric(best[2]/best[1], "recorded/tokens")
			b.ReportMetric(best[2]/best[0], "recorded/plain")
			b.ReportMetric(100*(best[3]/best[0]-1), "idle-%")
			b.ReportMetric(100*(best[4]/best[0]-1), "counted-%")
			b.ReportMetric(100*look.Seconds(), "look-%")
			b.ReportMetric(best[2]/rows[name].Work, "recorded-ns/"+strings.ReplaceAll(rows[name].Unit, " ", "-"))
		})
	}
}

// looks returns the time of processors that a look takes at what a session does, with the
// event that it makes and that a page reads.
func looks(b *testing.B, tick chan<- time.Time, events *bufio.Scanner) time.Duration {
	const n = 200
	read := func() {
		for events.Scan() {
			if strings.HasPrefix(events.Text(), "data: ") {
				return
			}
		}
		b.Fatal("the stream has ended: ", events.Err())
	}
	read() // which comes without a tick
	begin := processorTime()
	for range n {
		tick <- time.Time{}
		read()
	}
	return (processorTime() - begin) / n
}

// bestOf times functions in turn, each as often in a sample as takes some milliseconds, and
// returns the nanoseconds of processors that each takes in its best sample.
func bestOf(b *testing.B, ways ...func(context.Context)) []float64 {
	const sample = 5 * time.Millisecond
	runs, took := make([]int, len(ways)), make([][]float64, len(ways))
	take := func(i int) time.Duration {
		begin := processorTime()
		for range runs[i] {
			ways[i](b.Context())
		}
		return processorTime() - begin
	}
	for i := range ways {
		runs[i] = 1
		for d := take(i); d < sample; d = take(i) {
			runs[i] *= 2
		}
	}
	for b.Loop() {
		for i := range ways {
			took[i] = append(took[i], float64(take(i).Nanoseconds())/float64(runs[i]))
		}
	}
	best := make([]float64, len(ways))
	for i := range ways {
		best[i] = slices.Min(took[i])
	}
	return best
}
