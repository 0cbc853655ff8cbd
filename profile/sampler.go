package profile

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// A Sampler is a profile of many runs at a bounded cost: of the runs that it is given
// it lets as many be recorded as pay for it, measured as it goes. The zero Sampler is
// ready; it is safe for concurrent use, and may be given runs of several programs, each
// at a pace of its own.
//
// Two things keep the cost down. What was recorded stays in counters that go on from
// run to run, so that a run makes no report, and a node's short activations are timed
// one in many, from run to run, too. And now and then two runs that follow each other
// are timed as a whole, one that is recorded and one that is not: if the difference is
// more than Share of a run, runs are skipped, at random, so that what remains of it is
// that share. Programs of long kernels are so recorded in every run, those of
// thousands of operations on single numbers in one of a hundred.
type Sampler struct {
	// Share is the part of the runs' time that taking down may cost; 0 is 0.02. It is
	// set before the first run.
	Share float64

	clock  func() int64 // nanoseconds; nil: the machine's
	mu     sync.Mutex
	series []*Series
}

const (
	defaultShare = 0.02
	// pairs is how many pairs of timed runs are looked at, atOnce how many there are
	// before runs are skipped.
	pairs, atOnce = 31, 8
	// between is how many runs are between two pairs, where all are recorded.
	between = 64
	// rarest is of how many runs one is recorded at least.
	rarest = 1 << 16
	// seldom is how many pairs are between two looks at all.
	seldom = 64
)

// A Series is the runs of one program that a Sampler was given.
type Series struct {
	program Program
	runs    atomic.Int64
	skipped atomic.Int64 // runs with lower numbers are not recorded

	mu sync.Mutex
	// The first runs, in which things are made ready, stand for themselves alone.
	first, later stretch
	share        float64
	random       *rand.Rand
	special      int64   // the number of the next run of a pair; all before go as usual
	pairs        int64   // that are over
	review       int64   // how many there are when it is worked out again
	of           float64 // of how many runs one may be recorded; less than 1: all may
	second       bool    // of a pair, the next run is the second
	downFirst    bool    // of the pair, the first is the one that is recorded
}

// A stretch is some runs of a series, one after another.
type stretch struct {
	recorder *Recorder
	until    int64 // the number of the last
	plain    times
	down     times // of those that were recorded
}

// times is what timed runs took, in nanoseconds.
type times struct {
	latest [pairs]float64
	n      int64
	sum    float64
}

// A SampledRun is a run that a Sampler was given.
type SampledRun struct {
	// Recorder takes the run down; nil: it goes without.
	Recorder *Recorder

	series *Series // nil: it is not timed
	at     *stretch
	begin  int64
}

// Series returns where runs of a program begin.
func (s *Sampler) Series(p Program) *Series {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.series, func(c *Series) bool { return c.program == p })
	if i < 0 {
		i = len(s.series)
		c := &Series{program: p, share: s.Share, downFirst: true, random: rand.New(rand.NewPCG(uint64(i), 0))}
		if c.share <= 0 {
			c.share = defaultShare
		}
		for _, t := range []*stretch{&c.first, &c.later} {
			t.recorder, t.until = NewRecorder(), math.MaxInt64
			t.recorder.sums, t.recorder.clock = true, s.clock
		}
		s.series = append(s.series, c)
	}
	return s.series[i]
}

// Begin begins a run. Its End must be called when the run has ended.
func (c *Series) Begin() SampledRun {
	if n := c.runs.Add(1); n >= c.skipped.Load() {
		return c.begin(n)
	}
	return SampledRun{}
}

// begin is run n, which is recorded or timed.
func (c *Series) begin(n int64) SampledRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now()
	if n < c.special {
		return SampledRun{Recorder: at.recorder}
	}
	r := SampledRun{series: c, at: at}
	if c.downFirst != c.second {
		r.Recorder = at.recorder
	}
	if c.second {
		c.downFirst = c.random.IntN(2) == 0
		if c.pairs++; c.pairs >= atOnce {
			c.first.until = min(c.first.until, n)
			c.special = n + 1 + c.gap()
		}
		if c.of > 1 {
			c.skipped.Store(c.special)
		}
	}
	c.second = !c.second
	r.begin = at.recorder.Clock()
	return r
}

// now returns the stretch that runs are of.
func (c *Series) now() *stretch {
	if c.pairs < atOnce {
		return &c.first
	}
	return &c.later
}

// End ends the run. ok says that it did what it was to do.
func (r SampledRun) End(ok bool) {
	if r.series == nil || !ok {
		return
	}
	r.series.mu.Lock()
	defer r.series.mu.Unlock()
	t := &r.at.plain
	if r.Recorder != nil {
		t = &r.at.down
	}
	nanos := float64(r.at.recorder.Clock() - r.begin)
	t.latest[t.n%pairs] = nanos
	t.n++
	t.sum += nanos
}

// gap returns how many runs go as usual before the next pair, and decides how that is.
func (c *Series) gap() int64 {
	if c.pairs >= c.review {
		c.review = c.pairs + min(c.pairs, seldom)
		from := &c.later
		if from.plain.n < atOnce || from.down.n < atOnce {
			from = &c.first
		}
		plain := from.plain.usual()
		c.of = (from.down.usual() - plain) / (c.share * max(plain, 1))
	}
	gap := int64(between)
	if c.of > 1 {
		gap = int64(min(c.of, rarest))
	}
	return gap/2 + c.random.Int64N(gap+1)
}

// usual returns the lower quartile of the latest; 0 if there are none. What disturbs a run
// makes it longer, never shorter.
func (t *times) usual() float64 {
	if t.n == 0 {
		return 0
	}
	list := slices.Clone(t.latest[:min(t.n, pairs)])
	sort.Float64s(list)
	return list[len(list)/4]
}

// Model returns the cost model of the runs until now. Counts, times and sizes are those of
// the runs that were recorded, times how many more there were: exact where all runs
// of a program do the same. What a run took that is going on may be left out.
func (s *Sampler) Model() *Model {
	s.mu.Lock()
	list := slices.Clone(s.series)
	s.mu.Unlock()
	var m Model
	for _, c := range list {
		c.mu.Lock()
		runs := c.runs.Load()
		first, later := c.first, c.later
		c.mu.Unlock()
		begun := min(runs, first.until)
		all := times{sum: first.plain.sum + first.down.sum, n: first.plain.n + first.down.n}
		m.addRuns(&first, begun, &all)
		timed := &later.plain
		if timed.n == 0 { // few runs, and no pair among them yet
			timed = &first.plain
		}
		m.addRuns(&later, runs-begun, timed)
	}
	return &m
}

// addRuns adds a stretch, whose runs took about what timed ones did.
func (m *Model) addRuns(s *stretch, runs int64, timed *times) {
	if runs == 0 {
		return
	}
	stats := s.recorder.Stats()
	taken := s.recorder.taken()
	stats.scale(runs, taken)
	m.merge(stats.Nodes, stats.Units)
	m.Runs += runs
	m.Recorded += taken
	m.Elapsed += time.Duration(timed.sum / float64(max(timed.n, 1)) * float64(runs))
}
