package nodes

import (
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
	wide  atomic.Bool     // worth playing on several cores
	nanos []atomic.Uint32 // by node: a running average; 0: not known
}

// note adds a measurement to a node's average.
func (c *costs) note(node int32, nanos int64) {
	c.nanos[node].Store(profile.Average(c.nanos[node].Load(), nanos))
}

// judge decides after a measured run whether several cores would help: whether
// all expensive kernels together take much longer than the longest chain of
// them. A program that is played on several cores is judged again and again too:
// its inputs may have become small.
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
	p.costs.wide.Store(total-longest > gain)
}
