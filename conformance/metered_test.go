package conformance

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

var (
	metered    = flag.Int("metered", 0, "meter the memory of each kernel on inputs of this many `MiB`; 0: some kernels on a few")
	meteredOne = flag.Int("meteredone", 32, "without -metered, meter the kernels of one operation in `N`")
	meteredOps = flag.String("meteredops", "", "meter the kernels of operations that match `PATTERN` alone")
)

const (
	// meterLimit is the limit of the sessions in which kernels are metered first.
	meterLimit = 128 << 20
	// meterFrom is how much a kernel must take for its memory to be compared with what
	// it has charged: sessions and programs take some as well.
	meterFrom = 6 << 20
	// meterSlack is how much more than the account a process may hold: what the collector
	// has not seen to yet.
	meterSlack = 6 << 20
)

// What a kernel takes is on the session's account, as its inputs grow and as it is asked
// for more: it does not do its work in a session whose limit is clearly less than what it
// holds at one time.
func TestKernelsMetered(t *testing.T) {
	if testing.Short() {
		t.Skip("figures of memory, which the race detector changes")
	}
	size, part := int64(*metered)<<20, uint32(1)
	if size == 0 {
		size, part = 8<<20, uint32(*meteredOne)
	}
	match := regexp.MustCompile(*meteredOps)
	seen := map[string]int{}
	var runs, compared int
	type finding struct {
		s      *subject
		m      measure
		excess int64
	}
	found := map[string]finding{} // by operation, the worst
	for _, s := range subjects(t) {
		h := fnv.New32()
		h.Write([]byte(s.op))
		if !s.recorded || h.Sum32()%part != 0 || !match.MatchString(s.op) || seen[s.op] >= 2 {
			continue
		}
		seen[s.op]++
		for _, big := range s.enlarged(size) {
			runs++
			m := big.measure(meterLimit, false)
			if m.allocated < meterFrom {
				continue
			}
			compared++
			m = big.measure(meterLimit, true)
			var excess int64
			if m.code == status.ResourceExhausted {
				excess = m.held - meterLimit - meterSlack
			} else if least := m.held - m.held/8 - meterSlack; least > 0 && big.measure(least, false).code == m.code {
				excess = m.held - least // on the account there was less than least
			}
			if excess > found[s.op].excess {
				t.Logf("%v held %d MiB, %d of them beside the account", big, m.held>>20, excess>>20)
				found[s.op] = finding{big, m, excess}
			}
		}
	}
	var ops []string
	for op := range found {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	for _, op := range ops {
		f := found[op]
		t.Errorf("%v held %d MiB, %d of them beside the account (%v): %s", f.s, f.m.held>>20, f.excess>>20, f.m.code, f.s.origins(meterLimit))
	}
	t.Logf("%d runs of %d operations, %d compared; %d operations take what they do not charge", runs, len(seen), compared, len(found))
}

// A measure is what a run of a kernel came to.
type measure struct {
	code      status.Code
	allocated int64 // bytes in all
	held      int64 // bytes at the most at one time, if that was looked at
	took      time.Duration
}

// measure runs a subject in a session with a limit. If it looks at what is held, the
// collector runs all the time.
func (s *subject) measure(limit int64, held bool) (m measure) {
	g, feeds, err := s.graph()
	if err != nil {
		return measure{code: status.CodeOf(err)}
	}
	sess, err := session.NewSession(g.Graph, &session.SessionOptions{MemoryLimit: limit, Timeout: time.Second, Files: &session.FilePolicy{}})
	if err != nil {
		return measure{code: status.CodeOf(err)}
	}
	defer sess.Close()
	if len(g.assigns) > 0 {
		if _, err := sess.RunContext(context.Background(), feeds, nil, g.assigns); err != nil {
			return measure{code: status.CodeOf(err)}
		}
	}
	// Compiled first: what that takes, as of 65,536 outputs, is not charged and not the kernel's.
	inputs := slices.SortedFunc(maps.Keys(feeds), func(a, b session.Output) int {
		return cmp.Or(cmp.Compare(a.Op.ID(), b.Op.ID()), cmp.Compare(a.Index, b.Index))
	})
	if _, err := sess.MakeCallable(inputs, g.fetches, []*graph.Node{g.op}); err != nil {
		return measure{code: status.CodeOf(err)}
	}
	var peak chan int64
	stop := make(chan struct{})
	before := int64(0)
	if held {
		for range 3 { // pools keep things over two collections
			runtime.GC()
		}
		before = heapNow()
		defer debug.SetGCPercent(debug.SetGCPercent(2))
		peak = make(chan int64)
		go watchHeap(stop, peak)
	}
	allocated, began := allocatedSoFar(), time.Now()
	_, err = sess.RunContext(context.Background(), feeds, g.fetches, []*graph.Node{g.op})
	m = measure{code: status.CodeOf(err), allocated: allocatedSoFar() - allocated, took: time.Since(began)}
	if held {
		close(stop)
		m.held = <-peak - before
	}
	return m
}

// watchHeap looks at the heap until it is stopped, and gives its greatest size.
func watchHeap(stop chan struct{}, peak chan int64) {
	most := int64(0)
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for {
		most = max(most, heapNow())
		select {
		case <-stop:
			peak <- max(most, heapNow())
			return
		case <-tick.C:
		}
	}
}

func heapNow() int64        { return metric("/memory/classes/heap/objects:bytes") }
func allocatedSoFar() int64 { return metric("/gc/heap/allocs:bytes") }

func metric(name string) int64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// origins tells where a subject allocates most, the arenas of steps aside.
func (s *subject) origins(limit int64) string {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 64 << 10
	before := allocations()
	s.measure(limit, false)
	var lines []string
	after := allocations()
	for line, n := range after {
		if n -= before[line]; n >= 1<<20 {
			lines = append(lines, fmt.Sprintf("%s %d MiB", line, n>>20))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, ", ")
}

// allocations returns how many bytes lines of kernels have allocated so far by themselves.
func allocations() map[string]int64 {
	for range 3 { // the profile is of the collection before the last
		runtime.GC()
	}
	records := make([]runtime.MemProfileRecord, 1<<16)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		return nil
	}
	all := map[string]int64{}
	for i := range records[:n] {
		frames := runtime.CallersFrames(records[i].Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.Contains(f.Function, "tensor.(*Arena)") || strings.Contains(f.Function, "kernel.Scratch") || strings.Contains(f.Function, "kernel.Grow") {
				break
			}
			if strings.Contains(f.File, "/ops/") || strings.Contains(f.File, "/kernel/") || strings.Contains(f.File, "/resource/") {
				all[fmt.Sprintf("%s:%d", f.File[strings.LastIndex(f.File, "/")+1:], f.Line)] += records[i].AllocBytes
				break
			}
		}
	}
	return all
}
