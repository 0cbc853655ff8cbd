package main

import (
	"math/bits"
	"math/rand/v2"
	"time"
)

// The pool of devices/cpu, step by step: what it reads and writes of what others write,
// whom it wakes, who claims what. A variable that others write is on a line, and every
// access to it is a load or a change of that line, in the order of the code.

const (
	spinTime     = 50 * time.Microsecond
	mostSpinTime = 500 * time.Microsecond
	wakeWork     = 100 * time.Microsecond
	leastCrowded = 50 * time.Millisecond
	mostCrowded  = time.Second
)

// Rules are what may be done in one way or another. The zero value is the pool as it was
// before 2026-11-29.
type Rules struct {
	// Apart: what is read for each range is on other lines than what is written for each,
	// and each worker that looks for work says so on a line of its own.
	Apart bool
	// Credit: a worker looks for work for as long as it has worked, within bounds.
	Credit bool
	// Crowd: a worker that has lost its core while it waited sleeps at once, for a while,
	// instead of waiting.
	Crowd bool
	// Tree: who was woken wakes two more, instead of all by one.
	Tree bool
	// Early: workers are woken before the first range, for ranges of so long.
	Early time.Duration
	// Groups: ranges are claimed from a counter of the cluster first.
	Groups bool
}

// Before and Now are the pool before 2026-11-29 and since.
var (
	Before = Rules{}
	Now    = Rules{Apart: true, Credit: true, Crowd: true}
)

type pool struct {
	sim     *sim
	rules   Rules
	threads int

	openLine         *line
	open             uint64
	heldLine         *line
	held             uint64
	stateLine        *line // spinning, waking, parked, missed, closed
	closedLine       *line
	spinning, waking int
	parked           int
	missed, missedAt time.Duration
	idleLine         *line
	idle             []*thread
	wanted           int
	wantedLine       *line
	closed           bool
	jobs             []*job
	looking          []*line
	isLooking        []bool
	groups           int
	ran              int // ranges
}

type job struct {
	bit     uint64
	claims  *line // also what it runs, unless apart
	what    *line
	ranges  []time.Duration
	parts   []part // of a group each
	ended   *line
	pending int
	owner   *thread
	sleeps  bool
}

// A part is the ranges that one group claims from.
type part struct {
	line     *line
	low, top int
}

func newPool(s *sim, threads int, rules Rules) *pool {
	p := &pool{sim: s, rules: rules, threads: threads, groups: 1,
		openLine: s.line(), heldLine: s.line(), stateLine: s.line(), idleLine: s.line(), wantedLine: s.line()}
	p.closedLine = p.stateLine
	if rules.Apart {
		p.closedLine = s.line()
	}
	if rules.Groups {
		p.groups = (threads-1)/s.machine.Cluster + 1
	}
	for i := range 64 {
		j := &job{bit: 1 << i, claims: s.line(), ended: s.line()}
		j.what = j.claims
		if rules.Apart {
			j.what = s.line()
		}
		for range p.groups {
			j.parts = append(j.parts, part{line: s.line()})
		}
		if p.groups == 1 {
			j.parts[0].line = j.claims
		}
		p.jobs = append(p.jobs, j)
	}
	for range threads {
		p.looking = append(p.looking, s.line())
		p.isLooking = append(p.isLooking, false)
	}
	return p
}

// look says that the thread begins to look for work, or ends.
func (p *pool) look(t *thread, id, by int) {
	if !p.rules.Apart {
		t.change(p.stateLine)
	} else {
		t.change(p.looking[id])
	}
	p.spinning += by
}

// worker is the loop of worker id.
func (p *pool) worker(t *thread, id int) {
	var credit, crowded, period time.Duration
	wait := func(holds func() bool, lines ...*line) bool {
		if p.sim.now < crowded {
			return holds()
		}
		lost := t.lost
		held := t.until(max(spinTime, credit), holds, lines...)
		if now := p.sim.now; p.rules.Crowd && t.lost > lost {
			if period > 0 && now-crowded < period {
				period = min(2*period, mostCrowded)
			} else {
				period = leastCrowded
			}
			crowded = now + period
		}
		return held
	}
	work := func() bool {
		start := p.sim.now
		if !p.work(t, id) {
			return false
		}
		if p.rules.Credit {
			credit = min(credit+p.sim.now-start, mostSpinTime)
		}
		return true
	}
	came := func() bool { return p.open != 0 || p.closed }
	for {
		if t.load(p.closedLine); p.closed {
			return
		}
		if work() {
			continue
		}
		p.look(t, id, 1)
		worked := false
		for !worked && !p.closed && wait(came, p.openLine, p.closedLine) && !p.closed {
			p.look(t, id, -1)
			worked = work()
			p.look(t, id, 1)
		}
		p.look(t, id, -1)
		if !worked && !p.closed {
			credit = 0
			p.park(t)
		}
	}
}

func (p *pool) park(t *thread) {
	t.change(p.idleLine)
	t.change(p.stateLine)
	if p.closed || p.open != 0 {
		return
	}
	p.idle = append(p.idle, t)
	p.parked++
	t.sleep()
	t.change(p.stateLine)
	p.waking--
	if p.rules.Tree {
		for range 2 {
			t.load(p.wantedLine)
			if p.wanted <= 0 {
				return
			}
			t.change(p.wantedLine)
			if p.wanted <= 0 {
				return
			}
			p.wanted--
			if !p.wakeOne(t) {
				p.wanted = 0
				return
			}
		}
	}
}

func (p *pool) wakeOne(t *thread) bool {
	t.change(p.idleLine)
	n := len(p.idle)
	if n == 0 {
		return false
	}
	other := p.idle[n-1]
	p.idle = p.idle[:n-1]
	p.parked--
	p.waking++
	t.change(p.stateLine)
	t.wake(other)
	return true
}

// wakeSome wakes so many.
func (p *pool) wakeSome(t *thread, n int) {
	if p.rules.Tree && n > 1 {
		t.change(p.wantedLine)
		p.wanted = max(p.wanted, n-1)
		n = 1
	}
	for range n {
		if !p.wakeOne(t) {
			return
		}
	}
}

// work takes part in one job.
func (p *pool) work(t *thread, id int) bool {
	t.load(p.openLine)
	if p.open == 0 {
		return false
	}
	i := bits.TrailingZeros64(bits.RotateLeft64(p.open, -(id%64))) + id
	j := p.jobs[i%64]
	worked := false
	for {
		i, ok := p.claim(t, j, false)
		if !ok {
			return worked
		}
		p.runRange(t, j, i)
		worked = true
	}
}

func (j *job) left() (n int) {
	for _, p := range j.parts {
		n += max(p.top-p.low, 0)
	}
	return n
}

func (p *pool) claim(t *thread, j *job, owner bool) (int, bool) {
	own := 0
	if p.groups > 1 {
		own = t.core / p.sim.machine.Cluster
	}
	for g := range p.groups {
		q := &j.parts[(own+g)%p.groups]
		t.load(q.line)
		if q.top <= q.low {
			continue
		}
		t.change(q.line)
		if q.top <= q.low {
			continue
		}
		i := q.low
		if owner {
			q.low++
		} else {
			q.top--
			i = q.top
		}
		if q.top == q.low && j.left() == 0 {
			t.change(p.openLine)
			p.open &^= j.bit
		}
		return i, true
	}
	return 0, false
}

func (p *pool) runRange(t *thread, j *job, i int) {
	t.load(j.what)
	if !p.rules.Apart {
		t.load(j.ended) // where failed is too
	}
	t.work(j.ranges[i])
	p.ran++
	t.change(j.ended)
	j.pending--
	if j.pending == 0 && j.sleeps {
		t.wake(j.owner)
	}
}

// parallel is Pool.Parallel.
func (p *pool) parallel(t *thread, ranges []time.Duration) {
	if len(ranges) < 2 || p.threads < 2 {
		for _, r := range ranges {
			t.work(r)
			p.ran++
		}
		return
	}
	t.change(p.heldLine)
	j := p.jobs[bits.TrailingZeros64(^p.held)]
	p.held |= j.bit
	t.change(j.ended)
	t.change(j.what)
	j.ranges, j.pending, j.owner, j.sleeps = ranges, len(ranges), t, false
	t.change(p.openLine)
	p.open |= j.bit
	for g := range j.parts {
		t.change(j.parts[g].line)
		own := 0
		if p.groups > 1 {
			own = t.core / p.sim.machine.Cluster
		}
		k := (g - own + p.groups) % p.groups // the owner's group has the first ranges
		j.parts[g].low, j.parts[g].top = k*len(ranges)/p.groups, (k+1)*len(ranges)/p.groups
	}
	t.load(p.stateLine)
	start, timed := t.sim.now, p.parked > 0
	if timed && p.rules.Early > 0 {
		p.wakeFor(t, j, p.rules.Early)
	}
	own, took := 0, time.Duration(0)
	for {
		i, ok := p.claim(t, j, true)
		if !ok {
			break
		}
		p.runRange(t, j, i)
		own++
		if !timed {
			continue
		}
		t.load(p.stateLine)
		if p.parked > 0 {
			took = t.sim.now - start
			p.wakeFor(t, j, took/time.Duration(own))
		}
	}
	if own > 1 && took > 0 {
		p.miss(t, took*time.Duration(own-1)/time.Duration(2*own))
	}
	if !t.until(spinTime, func() bool { return j.pending == 0 }, j.ended) {
		t.change(j.ended)
		if j.pending > 0 {
			j.sleeps = true
			t.sleep()
		}
	}
	t.change(p.heldLine)
	p.held &^= j.bit
}

func (p *pool) wakeFor(t *thread, j *job, each time.Duration) {
	left := j.left()
	if left == 0 {
		return
	}
	want := min(left, int(each*time.Duration(left)/wakeWork))
	if want -= p.waking; want > 0 {
		p.wakeSome(t, want)
	}
}

// expect is Pool.Expect.
func (p *pool) expect(t *thread, work time.Duration) {
	t.load(p.stateLine)
	if p.parked == 0 {
		return
	}
	if n := min(int(work/wakeWork), p.threads-1) - p.spinning - p.waking; n > 0 {
		p.wakeSome(t, n)
	}
}

func (p *pool) miss(t *thread, d time.Duration) {
	t.change(p.stateLine)
	if p.sim.now-p.missedAt > 2*d+spinTime {
		p.missed = 0
	}
	p.missedAt = p.sim.now
	if p.missed += d; p.missed >= wakeWork {
		p.missed = 0
		p.wakeOne(t)
	}
}

// close ends the workers.
func (p *pool) close(t *thread) {
	t.change(p.closedLine)
	p.closed = true
	for _, other := range p.idle {
		p.waking++
		t.wake(other)
	}
	p.idle = nil
}

// A Result is what runs took.
type Result struct {
	Times []time.Duration // of each run, in order
	Busy  time.Duration   // processor time of a run, that of waiting included
	Ran   int             // ranges
}

// Mean returns the mean of the times.
func (r Result) Mean() (d time.Duration) {
	for _, t := range r.Times {
		d += t
	}
	return d / time.Duration(len(r.Times))
}

// simulate runs a workload on a machine several times in a row, after a run that is not
// counted.
func simulate(m *Machine, threads, runs int, seed uint64, rules Rules, calls []call) Result {
	s := &sim{machine: m}
	p := newPool(s, threads, rules)
	random := rand.New(rand.NewPCG(seed, 1))
	start := func(core int, f func(t *thread)) {
		foreign := m.Foreign / m.Cores
		if core < m.Foreign%m.Cores {
			foreign++
		}
		s.start(core, foreign, time.Duration(random.Int64N(int64(m.Slice))), f)
	}
	for id := 1; id < threads; id++ {
		start(id, func(t *thread) { p.worker(t, id) })
	}
	var r Result
	start(0, func(t *thread) {
		for i := range runs + 1 {
			if i == 1 {
				s.busy, p.ran = 0, 0
			}
			begin := s.now
			for _, c := range calls {
				t.work(c.before)
				p.expect(t, c.expect)
				p.parallel(t, c.ranges)
			}
			if i > 0 {
				r.Times = append(r.Times, s.now-begin)
			}
		}
		r.Busy, r.Ran = s.busy/time.Duration(runs), p.ran
		p.close(t)
	})
	s.run()
	return r
}
