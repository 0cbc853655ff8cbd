package nodes

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/profile"
)

// What kernels cost is measured while a program runs, not guessed. The engine
// lends the clock; without one nothing is measured and nothing is shared.

const (
	// expensive is the cost in nanoseconds from which on a kernel is worth
	// another core: handing it over costs about 100 ns to a core that is
	// awake and tens of microseconds to one that sleeps.
	expensive = 20_000
	// gain is how much shorter a run must get, in nanoseconds, for a program
	// to be played by tokens on several cores rather than as one unit.
	gain = 50_000
	// measureEvery is how many runs of a step pass from one that is measured to
	// the next; steps are recycled, each counts its own.
	measureEvery = 64
	// measureMost bounds the kernel runs measured in one run of the program.
	measureMost = 4096
)

// costs is what is known of a program's kernels.
type costs struct {
	wide  atomic.Bool     // it may be worth playing on several cores
	race  race            // what then decides
	nanos []atomic.Uint32 // by node: a running average; 0: not known
}

// note adds a measurement to a node's average.
func (c *costs) note(node int32, nanos int64) {
	c.nanos[node].Store(profile.Average(c.nanos[node].Load(), nanos))
}

// judge decides after a measured run whether several cores might help: whether
// all expensive kernels together take much longer than the longest chain of
// them. A program that is played on several cores is judged again and again too:
// its inputs may have become small. Kernels may use all cores by themselves, so it is a race
// that decides.
func (p *Program) judge() {
	u := p.whole
	if u == nil {
		return
	}
	total, longest := int64(0), int64(0)
	p.judging.Lock()
	defer p.judging.Unlock()
	if p.finish == nil {
		p.finish = make([]int64, len(p.nodes))
	}
	for _, i := range p.flow {
		at := int64(0)
		for _, s := range p.sources[i] {
			at = max(at, p.finish[s.node])
		}
		if c := int64(p.costs.nanos[i].Load()); c >= expensive {
			at += c
			total += c
		}
		p.finish[i] = at
		longest = max(longest, at)
	}
	wide := total-longest > gain
	if wide != p.costs.wide.Load() {
		p.costs.race.reset()
	}
	p.costs.wide.Store(wide)
}

// A race finds out whether a program is faster by tokens or as one unit: it is played in
// both ways, in turn, and the shortest times count, as others may have been interrupted.
type race struct {
	mu       sync.Mutex
	begun    int
	ended    [2]int
	took     [2]int64
	byTokens atomic.Bool
	over     atomic.Bool
}

// laps is how often a program is played in each way.
const laps = 4

func (r *race) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.ended = 0, [2]int{}
	r.byTokens.Store(false)
	r.over.Store(false)
}

// choose returns how a run is played, and whether it is to be timed.
func (r *race) choose() (byTokens, timed bool) {
	if r.over.Load() {
		return r.byTokens.Load(), false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return r.begun%2 == 0, true
}

// note is told how long a run took.
func (r *race) note(byTokens bool, nanos int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	how := 0
	if byTokens {
		how = 1
	}
	if r.ended[how] == 0 || nanos < r.took[how] {
		r.took[how] = nanos
	}
	if r.ended[how]++; min(r.ended[0], r.ended[1]) >= laps {
		r.byTokens.Store(r.took[1] < r.took[0])
		r.over.Store(true)
	}
}
