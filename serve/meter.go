package serve

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

// latencyRanges is how many ranges of latencies are told apart: four for each power of
// two of microseconds, up to two minutes.
const latencyRanges = 108

// latencyRange returns the range of a latency.
func latencyRange(d time.Duration) int {
	us := uint64(max(d, 0)) / 1000
	if us < 4 {
		return int(us)
	}
	n := bits.Len64(us) - 1
	return min(latencyRanges-1, 4*(n-1)+int(us>>(n-2)&3))
}

// latencyOf returns the upper end of a range.
func latencyOf(r int) time.Duration {
	r++
	if r < 8 {
		return time.Duration(r) * time.Microsecond
	}
	return time.Duration(4+r%4) << (r/4 - 1) * time.Microsecond
}

// A meter counts the requests of a model.
type meter struct {
	ended, failed, refused atomic.Int64
	ranges                 [latencyRanges]atomic.Int64
}

// count counts a request that has ended.
func (m *meter) count(took time.Duration, err error) {
	m.ended.Add(1)
	if err != nil {
		m.failed.Add(1)
	}
	m.ranges[latencyRange(took)].Add(1)
}

// Latencies are counts of requests by how long they took.
type Latencies struct{ counts [latencyRanges]int64 }

// Since returns the counts less those of an earlier time.
func (l Latencies) Since(earlier Latencies) Latencies {
	for i := range l.counts {
		l.counts[i] -= earlier.counts[i]
	}
	return l
}

// At returns the latency that a share of the requests did not exceed, 0.5 being the
// median, to within a quarter; 0 if there are no requests.
func (l Latencies) At(share float64) time.Duration {
	n := int64(0)
	for _, c := range l.counts {
		n += c
	}
	if n == 0 {
		return 0
	}
	left := int64(share * float64(n))
	for r, c := range l.counts {
		if left -= c; left < 0 {
			return latencyOf(r)
		}
	}
	return latencyOf(latencyRanges - 1)
}

// An Activity is what a model does and has done, for who looks at it.
type Activity struct {
	Model    string
	Versions []VersionStatus  // the greatest first
	Labels   map[string]int64 // versions by label

	// Ended counts the requests since the model was added, those that failed among them;
	// Refused those that were not admitted.
	Ended, Failed, Refused int64
	Latencies              Latencies // of those that ended, waiting included

	Running, Waiting int       // steps that run or wait for their turn
	Requests         []Present // requests that run or wait, the oldest first
	More             int       // of them that are not listed
}

// A Present is a request that runs or waits.
type Present struct {
	Signature string
	Version   int64
	Client    string // its address; "" for a call in the process
	API       string
	Since     time.Duration
	Runs      bool // or else it waits for its turn
}

// Activity returns what each model does, in the order of their names, with at most so many
// of its requests.
func (m *Manager) Activity(requests int) []Activity {
	var all []Activity
	for _, name := range m.Models() {
		m.mu.Lock()
		s := m.models[name]
		m.mu.Unlock()
		if s == nil {
			continue
		}
		a := Activity{Model: name, Labels: map[string]int64{}}
		a.Versions, _ = m.Status(Spec{Model: name}) // none, while the first is looked for
		m.mu.Lock()
		for label, n := range s.config.Labels {
			a.Labels[label] = n
		}
		m.mu.Unlock()
		a.Ended, a.Failed, a.Refused = s.meter.ended.Load(), s.meter.failed.Load(), s.meter.refused.Load()
		for i := range s.meter.ranges {
			a.Latencies.counts[i] = s.meter.ranges[i].Load()
		}
		a.Requests, a.More = s.line.list(requests)
		m.turns.mu.Lock()
		a.Running, a.Waiting = s.line.running, len(s.line.waiting)
		m.turns.mu.Unlock()
		all = append(all, a)
	}
	return all
}

// A place is what a request holds that was admitted to a line.
type place struct {
	of         *line
	prev, next *place // in the line, by the time of admission
	record     *Record
	signature  string
	version    int64
	came       time.Time
	wait, ran  time.Duration // when it has ended
	runs       atomic.Bool
}

// leave gives the place back. A request that has ended is counted.
func (p *place) leave(took time.Duration, err error) {
	l := p.of
	l.of.mu.Lock()
	l.present.Add(-1)
	p.prev.next, p.next.prev = p.next, p.prev
	l.of.mu.Unlock()
	l.meter.count(took, err)
}

// list returns the requests of the line that came first.
func (l *line) list(most int) (all []Present, more int) {
	now := time.Now()
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	for p := l.places.next; p != &l.places; p = p.next {
		if len(all) == most {
			more = int(l.present.Load()) - most
			break
		}
		one := Present{Signature: p.signature, Version: p.version, Since: now.Sub(p.came), Runs: p.runs.Load()}
		if p.record != nil {
			one.Client, one.API = p.record.Client, p.record.API
		}
		all = append(all, one)
	}
	return slices.Clip(all), more
}
