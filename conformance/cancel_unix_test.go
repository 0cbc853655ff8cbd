//go:build unix

package conformance

import (
	"context"
	"flag"
	"hash/fnv"
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
)

var (
	cancelled    = flag.Int("cancelled", 0, "cancel each kernel at work on this many `MiB`; 0: some kernels on a few")
	cancelledOps = flag.String("cancelledops", "", "cancel the kernels of operations that match `PATTERN` alone")
)

// A kernel that is cancelled in the middle of large inputs comes back. With -cancelled,
// on a machine that does nothing else, it is soon: 99 of 100 are back within 5 ms, all
// within 50.
func TestKernelsCancelled(t *testing.T) {
	size, part := int64(*cancelled)<<20, uint32(1)
	if size == 0 {
		size, part = 8<<20, 16
	}
	if testing.Short() {
		part *= 8
	}
	match := regexp.MustCompile(*cancelledOps)
	seen := map[string]int{}
	var runs, interrupted, late int
	ops := map[string]bool{}
	for _, s := range subjects(t) {
		h := fnv.New32()
		h.Write([]byte(s.op))
		if !s.recorded || h.Sum32()%part != 0 || !match.MatchString(s.op) || seen[s.op] >= 3 {
			continue
		}
		seen[s.op]++
		for _, big := range s.enlarged(size) {
			// What is measured is the kernel, on a machine that others use as well: the
			// processor time that this process takes, and the best of some attempts.
			best, attempts := time.Duration(math.MaxInt64), 0
			for ; attempts < 10 && best > 5*time.Millisecond && (attempts == 0 || *cancelled > 0); attempts++ {
				took, err := big.cancel(3 * time.Millisecond)
				if err := panicOf(err); err != nil {
					t.Errorf("%v: %v", big, err)
				}
				best = min(best, took)
			}
			runs++
			if best > 0 {
				interrupted++
				ops[s.op] = true
			}
			if best > 5*time.Millisecond {
				late++
				t.Logf("%v: %v", big, best)
			}
			if best > 50*time.Millisecond && *cancelled > 0 {
				t.Errorf("%v is back %v after it was cancelled", big, best)
			}
		}
	}
	t.Logf("%d runs of %d operations; %d interrupted of %d operations, of which %d were back after more than 5 ms", runs, len(seen), interrupted, len(ops), late)
	if late*100 > runs && *cancelled > 0 {
		t.Errorf("%d of %d were back after more than 5 ms", late, runs)
	}
}

// cancel runs a subject, cancels it after a while, and says how long it took to come
// back from then on; 0 if it was back before.
func (s *subject) cancel(after time.Duration) (time.Duration, error) {
	g, feeds, err := s.graph()
	if err != nil {
		return 0, err
	}
	sess, err := session.NewSession(g.Graph, &session.SessionOptions{MemoryLimit: 256 << 20, Timeout: 20 * time.Second, Files: &session.FilePolicy{}})
	if err != nil {
		return 0, err
	}
	defer sess.Close()
	if len(g.assigns) > 0 {
		if _, err := sess.RunContext(context.Background(), feeds, nil, g.assigns); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var watch stopwatch
	done := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		watch = startWatch()
		cancel()
		close(done)
	})
	_, err = sess.RunContext(ctx, feeds, g.fetches, []*graph.Node{g.op})
	if timer.Stop() {
		return 0, err
	}
	<-done
	took := watch.elapsed()
	return took, err
}
