package profile

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/tensor"
)

// A simulation is a program whose nodes take times that are drawn: some act once a run,
// some many times, and one on a branch that few runs take. It plays on a clock of its own,
// on which to record an activation costs what it does on a machine.
type simulation struct {
	random *rand.Rand
	now    int64
	nodes  []simulated
	truth  []counter // what all runs took
	cost   int64     // of all that was recorded
}

type simulated struct {
	acts        int   // in a run that comes to it
	one         int   // of how many runs comes to it
	nanos       int64 // the mean
	atBeginning int64 // how much longer the first activation takes
}

func (s *simulation) NumNodes() int { return len(s.nodes) }

func (s *simulation) Describe() []Node {
	list := make([]Node, len(s.nodes))
	for i := range list {
		list[i].Name = string(rune('a' + i))
	}
	return list
}

// run plays one run.
func (s *simulation) run(c *Series) {
	const count, clock, note, take = 1, 25, 30, 200 // nanoseconds
	charge := func(n int64) { s.now += n; s.cost += n }
	run := c.Begin()
	var m *Meter
	if run.Recorder != nil {
		m = run.Recorder.Take(s, -1)
		charge(take)
	}
	out := []tensor.Value{tensor.Scalar(int32(1))}
	for i, n := range s.nodes {
		if n.one > 1 && s.random.IntN(n.one) > 0 {
			continue
		}
		for range n.acts {
			nanos := max(int64(float64(n.nanos)*s.random.ExpFloat64()), 1)
			if s.truth[i].count == 0 {
				nanos += n.atBeginning
			}
			s.truth[i].count++
			s.truth[i].nanos += nanos
			s.truth[i].bytes += int64(out[0].SizeBytes())
			switch {
			case m == nil:
				s.now += nanos
			case m.Wants(int32(i), 0):
				begin := m.Clock()
				s.now += nanos
				m.Record(int32(i), begin, m.Clock(), 0, 0, out)
				charge(2*clock + note)
			default:
				m.Count(int32(i), 1)
				s.now += nanos
				charge(count)
			}
		}
	}
	if m != nil {
		m.Return()
	}
	run.End(true)
}

// TestSampler compares the profile of a sampler with what all runs took. Counts are
// exact where all runs do the same; else they, and times, whose spread is as large as their
// mean, are off by no more than three standard errors of as many as were recorded. What
// it cost to know them is the share that it may cost.
func TestSampler(t *testing.T) {
	programs := map[string]struct {
		nodes []simulated
		runs  int
		most  float64 // is recorded, of the runs
		least float64
	}{
		"long kernels":    {[]simulated{{1, 1, 50_000, 1e6}, {1, 1, 200_000, 0}, {32, 1, 30_000, 0}, {1, 3, 100_000, 0}}, 2_000, 1, 0.8},
		"short kernels":   {[]simulated{{1, 1, 2_000, 1e6}, {1, 1, 900, 0}, {32, 1, 400, 0}, {1, 3, 900, 0}}, 20_000, 1, 0.2},
		"single numbers":  {[]simulated{{1, 1, 4, 1e5}, {1, 1, 3, 0}, {500, 1, 3, 0}, {50, 3, 5, 0}}, 50_000, 0.1, 0.01},
		"nearly no nodes": {[]simulated{{1, 1, 100, 1e5}}, 300_000, 0.05, 0.001},
	}
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			s := &simulation{random: rand.New(rand.NewPCG(5, 6)), nodes: p.nodes, truth: make([]counter, len(p.nodes))}
			sampler := &Sampler{clock: func() int64 { return s.now }}
			c := sampler.Series(s)
			for range p.runs {
				s.run(c)
			}
			m := sampler.Model()
			if m.Runs != int64(p.runs) {
				t.Errorf("%d runs, want %d", m.Runs, p.runs)
			}
			if part := float64(m.Recorded) / float64(m.Runs); part < p.least || part > p.most {
				t.Errorf("%d of %d runs were taken down, want %v to %v of them", m.Recorded, m.Runs, p.least, p.most)
			}
			elapsed := time.Duration(s.now - s.cost)
			near(t, "the runs' time", float64(m.Elapsed), float64(elapsed), 0.02+3/math.Sqrt(float64(c.later.plain.n)))
			if share := float64(s.cost) / float64(elapsed); share > 0.03 {
				t.Errorf("it cost %.1f%% of the time, want 2 and what finding out takes", 100*share)
			}
			for i := range m.Nodes {
				n, want := &m.Nodes[i], &s.truth[i]
				chosen := 0.0 // the error of the runs that were chosen, where they differ
				if p.nodes[i].one > 1 {
					chosen = 3 * math.Sqrt(2*(1-float64(m.Recorded)/float64(m.Runs))/float64(m.Recorded))
				}
				near(t, n.Name+"'s count", float64(n.Count), float64(want.count), 1e-3+chosen)
				near(t, n.Name+"'s bytes", float64(n.Bytes), float64(want.bytes), 1e-3+chosen)
				near(t, n.Name+"'s time", float64(n.Total), float64(want.nanos), 0.02+chosen+3/math.Sqrt(float64(max(n.Timed-2*atFirst, 1))))
			}
		})
	}
}

// TestSamplerOfFewRuns has no pair of runs but the first ones.
func TestSamplerOfFewRuns(t *testing.T) {
	for _, runs := range []int{1, 5, 20, 40, 60, 100} {
		s := &simulation{random: rand.New(rand.NewPCG(7, 8)), nodes: []simulated{{1, 1, 50_000, 0}, {32, 1, 30_000, 0}}, truth: make([]counter, 2)}
		sampler := &Sampler{clock: func() int64 { return s.now }}
		c := sampler.Series(s)
		for range runs {
			s.run(c)
		}
		m := sampler.Model()
		near(t, "the runs' time", float64(m.Elapsed), float64(s.now-s.cost), 0.2)
	}
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by*want {
		t.Errorf("%s: %.4g, want %.4g to within %.0f%%", what, got, want, 100*by)
	}
}

// TestStride times a node in one run again and again, with a period that its times have,
// too: what is timed has none.
func TestStride(t *testing.T) {
	now, total := int64(0), int64(0)
	r := NewRecorder()
	r.clock = func() int64 { return now }
	p := &simulation{nodes: make([]simulated, 1)}
	m := r.Take(p, -1)
	for i := range int64(1 << 20) {
		nanos := int64(20)
		if i%32 == 0 {
			nanos = 3_000
		}
		total += nanos
		if m.Wants(0, 0) {
			begin := m.Clock()
			now += nanos
			m.Record(0, begin, m.Clock(), i, 0, nil)
		} else {
			now += nanos
			m.Count(0, 1)
		}
	}
	m.Return()
	n := r.Stats().Nodes[0]
	if n.Count != 1<<20 || n.Timed > n.Count/16 {
		t.Errorf("%d of %d activations were timed", n.Timed, n.Count)
	}
	near(t, "the time", float64(n.Total), float64(total), 0.1)
}

// TestSamplerWhileRunning asks for the model while goroutines run programs: it always has
// all runs that have begun, and of each node as many activations as of the others.
func TestSamplerWhileRunning(t *testing.T) {
	var sampler Sampler
	programs := []*simulation{{nodes: make([]simulated, 3)}, {nodes: make([]simulated, 2)}}
	var all sync.WaitGroup
	const callers, runs = 4, 500
	for i := range callers {
		all.Go(func() {
			p := programs[i%2]
			c := sampler.Series(p)
			for range runs {
				run := c.Begin()
				if run.Recorder != nil {
					m := run.Recorder.Take(p, -1)
					for n := range p.nodes {
						m.Record(int32(n), 0, 10, 0, 0, nil)
					}
					m.Return()
				}
				run.End(true)
			}
		})
	}
	for range 20 {
		m := sampler.Model()
		for i := range m.Nodes {
			if m.Runs > 0 && m.Nodes[i].Count > m.Runs {
				t.Errorf("node %d has acted %d times in %d runs", i, m.Nodes[i].Count, m.Runs)
			}
		}
	}
	all.Wait()
	if m := sampler.Model(); m.Runs != callers*runs || m.Nodes[0].Count != callers*runs {
		t.Errorf("%d runs, in which a node acted %d times, want %d", m.Runs, m.Nodes[0].Count, callers*runs)
	}
}
