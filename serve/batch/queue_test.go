package batch

import (
	"container/heap"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A simulation drives a queue with a clock of its own: requests of one row arrive by
// themselves or from clients that wait for their answers, and a step of n rows takes
// cost(n, k) while k run.
type simulation struct {
	q       *queue
	now     time.Duration
	events  events
	cost    func(rows, running int) time.Duration
	answers func(r *request)
	waited  []time.Duration // of each request, until its step ended
	sizes   []int
	timers  int
	t       *testing.T
}

type event struct {
	at time.Duration
	n  int
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (s *simulation) after(d time.Duration, do func()) {
	heap.Push(&s.events, event{s.now + d, len(s.waited) + len(s.events), do})
}

func (s *simulation) arrive(c *class, rows int, deadline time.Duration) *request {
	r := &request{class: c, rows: rows, deadline: deadline}
	if err := s.q.arrive(s.now, r); err != nil {
		s.t.Fatal(err)
	}
	s.start()
	return r
}

func (s *simulation) start() {
	for {
		b, wake := s.q.next(s.now)
		if b == nil {
			if wake > 0 {
				s.timers++
				mine := s.timers
				s.after(wake, func() {
					if mine == s.timers { // or else it was set again
						s.start()
					}
				})
			}
			return
		}
		s.check(b)
		s.sizes = append(s.sizes, b.rows)
		s.after(s.cost(b.rows, len(s.q.running)), func() {
			s.q.done(s.now, b, true)
			for _, r := range b.requests {
				s.waited = append(s.waited, s.now-r.arrived)
				if s.answers != nil {
					s.answers(r)
				}
			}
			s.start()
		})
	}
}

// check checks what holds of every batch.
func (s *simulation) check(b *batch) {
	rows := 0
	last := time.Duration(-1)
	for _, r := range b.requests {
		if r.class != b.class || r.state != started {
			s.t.Fatalf("a request of class %q, state %d, in a batch of class %q", r.class.key, r.state, b.class.key)
		}
		if r.arrived < last {
			s.t.Fatal("requests are out of order")
		}
		last = r.arrived
		rows += r.rows
	}
	if rows != b.rows || len(b.requests) > 1 && rows > b.class.most {
		s.t.Fatalf("%d rows, counted as %d, in a batch of at most %d", rows, b.rows, b.class.most)
	}
	if len(s.q.running) > s.q.threads {
		s.t.Fatalf("%d batches run on %d threads", len(s.q.running), s.q.threads)
	}
}

func (s *simulation) run(until time.Duration) {
	for len(s.events) > 0 && s.now < until {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
	}
}

// costsOf are models of three kinds. The machine has two CPUs.
var costsOf = map[string]func(rows, running int) time.Duration{
	// A small model: a step costs as much as its overhead, and uses one CPU.
	"small": func(rows, running int) time.Duration {
		return 200*time.Microsecond + time.Duration(rows)*5*time.Microsecond
	},
	// Rows cost what they cost; one CPU.
	"linear": func(rows, running int) time.Duration { return time.Duration(rows) * 500 * time.Microsecond },
	// A step uses both CPUs, so that two at a time take twice as long.
	"parallel": func(rows, running int) time.Duration {
		return (400*time.Microsecond + time.Duration(rows)*30*time.Microsecond) * time.Duration(running)
	},
	// Large steps fall out of the cache.
	"cache": func(rows, running int) time.Duration {
		per := 20 * time.Microsecond
		if rows > 16 {
			per += min(time.Duration(rows-16)*4*time.Microsecond, 60*time.Microsecond)
		}
		return 300*time.Microsecond + time.Duration(rows)*per
	},
}

// closed returns the requests a second of clients that each wait for an answer.
func closed(t *testing.T, p *Parameters, clients int, cost func(rows, running int) time.Duration) float64 {
	return closedFor(t, p, clients, 900*time.Millisecond, 300*time.Millisecond, cost)
}

// closedFor measures for a time, after another.
func closedFor(t *testing.T, p *Parameters, clients int, warm, long time.Duration, cost func(rows, running int) time.Duration) float64 {
	s := &simulation{q: newQueue(p, 2), cost: cost, t: t}
	c := &class{key: "x", most: 1024}
	if p != nil {
		c.most = p.MaxBatchSize
	}
	s.answers = func(*request) { s.after(20*time.Microsecond, func() { s.arrive(c, 1, 0) }) }
	for range clients {
		s.after(0, func() { s.arrive(c, 1, 0) })
	}
	s.run(warm)
	n := len(s.waited)
	s.run(warm + long)
	return float64(len(s.waited)-n) / (s.now - warm).Seconds()
}

// TestAdaptive: without parameters the queue does at least nine tenths of the work of the
// best of many parameters, whatever the model and the load.
func TestAdaptive(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates by one goroutine, and long")
	}
	for name, cost := range costsOf {
		for _, clients := range []int{1, 2, 4, 16, 64} {
			best, at := 0.0, ""
			for _, size := range []int{1, 8, 16, 32} {
				for _, timeout := range []time.Duration{0, time.Millisecond} {
					for _, threads := range []int{1, 2} {
						p := &Parameters{MaxBatchSize: size, BatchTimeout: timeout, NumBatchThreads: threads, MaxEnqueuedBatches: 1000}
						if rate := closed(t, p, clients, cost); rate > best {
							best, at = rate, fmt.Sprintf("size %d, timeout %v, threads %d", size, timeout, threads)
						}
					}
				}
			}
			rate := closed(t, nil, clients, cost)
			t.Logf("%-9s %3d clients: %6.0f/s, best %6.0f/s (%s)", name, clients, rate, best, at)
			if rate < 0.9*best {
				t.Errorf("%s, %d clients: %.0f/s, but %.0f/s with %s", name, clients, rate, best, at)
			}
		}
	}
}

// TestReturns: callers that come back as soon as they have an answer share steps evenly,
// also of a model whose steps take little longer than their return, and after steps that
// were interrupted.
func TestReturns(t *testing.T) {
	for _, clients := range []int{4, 8, 32} {
		for _, every := range []int{0, 50} {
			s := &simulation{q: newQueue(nil, 2), t: t}
			n := 0
			s.cost = func(rows, _ int) time.Duration {
				if n++; every > 0 && n%every == 0 {
					return 5 * time.Millisecond
				}
				return 30*time.Microsecond + time.Duration(rows)*time.Microsecond
			}
			c := &class{key: "x", most: 1024}
			back := 0
			s.answers = func(*request) { // one after another
				back++
				s.after(time.Duration(1+back%clients)*time.Microsecond, func() { s.arrive(c, 1, 0) })
			}
			for range clients {
				s.after(0, func() { s.arrive(c, 1, 0) })
			}
			s.run(200 * time.Millisecond)
			s.sizes = nil
			s.run(400 * time.Millisecond)
			sum := 0
			for _, rows := range s.sizes {
				sum += rows
			}
			mean := float64(sum) / float64(len(s.sizes))
			t.Logf("%d clients, interrupted each %d: %.1f rows a step", clients, every, mean)
			if mean < 0.8*float64(clients)/2 {
				t.Errorf("%d clients, interrupted each %d: steps have %.1f rows", clients, every, mean)
			}
		}
	}
}

// TestTwoTogether: that two steps at a time do more than one of twice the rows is taken as known
// only while steps of that size ran lately: in a new process they were slow.
func TestTwoTogether(t *testing.T) {
	var c costs
	many := func(n, rows int, took time.Duration, shared bool) {
		for range n {
			c.add(rows, took, shared)
		}
	}
	many(40, 8, 80*time.Microsecond, false)
	many(40, 4, 60*time.Microsecond, true)
	if !c.together(4) {
		t.Error("two steps of 4 rows that take 60 µs do more than one of 8 that takes 80")
	}
	many(2*doubt, 4, 55*time.Microsecond, false)
	if c.together(4) {
		t.Error("steps of 8 rows ran long ago")
	}
}

// TestHopeless: a trial of fewer steps at a time goes on for a while though it begins badly.
func TestHopeless(t *testing.T) {
	c := &class{key: "x", most: 16}
	p := newPace(2)
	now := time.Duration(0)
	ended := func(took time.Duration) {
		now += took
		p.ended(now, &batch{class: c, rows: 1, requests: []*request{{class: c, arrived: now - took}}}, true)
	}
	for p.turn != 1 {
		p.started(p.limit())
		ended(60 * time.Microsecond)
	}
	begun := now
	for p.turn == 1 && now-begun < time.Second {
		ended(100 * time.Microsecond)
	}
	if took := now - begun; took < 2*time.Millisecond || took > 3*time.Millisecond {
		t.Errorf("a trial with steps of 100 µs in place of 60 ended after %v", took)
	}
}

// TestAway: a caller that comes alone is told that others are missing, as often as there are.
func TestAway(t *testing.T) {
	q := newQueue(nil, 2)
	c := &class{key: "x", most: 16}
	q.returns.ended(0, &batch{class: c, requests: make([]*request, 4)})
	told := 0
	for range 10 {
		r := &request{class: c, rows: 1}
		q.arrive(time.Second, r)
		if q.company() {
			told++
		}
		q.leave(r)
	}
	if told != 3 {
		t.Errorf("a caller was told %d times that others are missing, want 3", told)
	}
}

// TestOutlier: a step that was interrupted hardly changes what is known of its size, first
// or later.
func TestOutlier(t *testing.T) {
	for _, at := range []int{0, 10} {
		var c costs
		for i := range 20 {
			took := 30 * time.Microsecond
			if i == at {
				took = 5 * time.Millisecond
			}
			c.add(1, took, false)
		}
		if got := c.predict(1, false, 1); got < 29*time.Microsecond || got > 36*time.Microsecond {
			t.Errorf("interrupted step %d: a step is taken to cost %v", at, got)
		}
	}
}

// TestAlone: a request that arrives while nothing runs starts at once, whatever has been
// measured.
func TestAlone(t *testing.T) {
	for name, cost := range costsOf {
		s := &simulation{q: newQueue(nil, 2), cost: cost, t: t}
		c := &class{key: "x", most: 1024}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			s.now += time.Duration(rng.ExpFloat64() * float64(10*time.Millisecond))
			s.run(s.now)
			idle := len(s.q.running) == 0
			if r := s.arrive(c, 1, 0); idle && r.state != started {
				t.Fatalf("%s: a request waits although nothing runs", name)
			}
		}
	}
}

// TestPoisson: at nine tenths of what can be done, requests wait no longer than with the
// best parameters, give or take.
func TestPoisson(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates by one goroutine, and long")
	}
	for name, cost := range costsOf {
		capacity := closed(t, nil, 128, cost)
		mean := func(p *Parameters, rate float64) time.Duration {
			s := &simulation{q: newQueue(p, 2), cost: cost, t: t}
			c := &class{key: "x", most: 1024}
			if p != nil {
				c.most = p.MaxBatchSize
			}
			rng := rand.New(rand.NewPCG(3, 4))
			var next func()
			next = func() {
				s.arrive(c, 1, 0)
				s.after(time.Duration(rng.ExpFloat64()/rate*1e9), next)
			}
			s.after(0, next)
			s.run(1500 * time.Millisecond)
			sum := time.Duration(0)
			for _, w := range s.waited[len(s.waited)/2:] {
				sum += w
			}
			return sum / time.Duration(len(s.waited)-len(s.waited)/2)
		}
		for _, share := range []float64{0.3, 0.8} {
			best := time.Duration(math.MaxInt64)
			for _, size := range []int{1, 16, 256} {
				for _, threads := range []int{1, 2} {
					best = min(best, mean(&Parameters{MaxBatchSize: size, NumBatchThreads: threads, MaxEnqueuedBatches: 1 << 20}, share*capacity))
				}
			}
			own := mean(nil, share*capacity)
			t.Logf("%-9s at %.0f%%: %v, best %v", name, 100*share, own, best)
			most := best * 11 / 10
			if name == "parallel" { // trials of more steps at a time cost more
				most = best * 4 / 3
			}
			if own > most+20*time.Microsecond {
				t.Errorf("%s at %.0f%% of capacity: %v, but %v with the best parameters", name, 100*share, own, best)
			}
		}
	}
}

// TestPoissonLong: near the capacity of two steps at a time one at a time is tried only as
// long as it is not known to do less: whoever comes meanwhile would wait for the backlog.
func TestPoissonLong(t *testing.T) {
	const row = 1500 * time.Microsecond
	for _, alone := range []float64{0.6, 0.7, 0.85, 1} { // what a step alone takes of one beside another
		cost := func(rows, running int) time.Duration {
			d := time.Duration(rows)*row + row/4
			if running == 1 {
				d = time.Duration(float64(d) * alone)
			}
			return d
		}
		capacity := 2 / (row + row/4/8).Seconds() // of steps of 8 rows
		by := &Parameters{MaxBatchSize: 64, NumBatchThreads: 2, MaxEnqueuedBatches: 1 << 20}
		for _, share := range []float64{0.3, 0.7, 0.8} {
			const seeds = 12
			own, hand := time.Duration(0), time.Duration(0)
			for seed := range uint64(seeds) {
				own += poisson(t, nil, cost, share*capacity, seed) / seeds
				hand += poisson(t, by, cost, share*capacity, seed) / seeds
			}
			t.Logf("alone %.2f, %.0f%%: %v, with parameters %v", alone, 100*share, own, hand)
			if own > hand*11/10 {
				t.Errorf("alone %.2f, %.0f%%: %v, but %v with parameters", alone, 100*share, own, hand)
			}
		}
	}
}

// poisson returns how long requests wait on average that arrive at random times, after a
// while in which costs are learned.
func poisson(t *testing.T, p *Parameters, cost func(rows, running int) time.Duration, rate float64, seed uint64) time.Duration {
	s := &simulation{q: newQueue(p, 2), cost: cost, t: t}
	c := &class{key: "x", most: 1024}
	if p != nil {
		c.most = p.MaxBatchSize
	}
	rng := rand.New(rand.NewPCG(3, seed))
	var next func()
	next = func() {
		s.arrive(c, 1, 0)
		s.after(time.Duration(rng.ExpFloat64()/rate*1e9), next)
	}
	s.after(0, next)
	s.run(1500 * time.Millisecond)
	list := s.waited[len(s.waited)/3:]
	sum := time.Duration(0)
	for _, w := range list {
		sum += w
	}
	return sum / time.Duration(len(list))
}

// TestDeadlines: a batch is no larger than its most urgent request has time for.
func TestDeadlines(t *testing.T) {
	s := &simulation{q: newQueue(nil, 1), cost: func(rows, _ int) time.Duration {
		return 100*time.Microsecond + time.Duration(rows)*100*time.Microsecond
	}, t: t}
	c := &class{key: "x", most: 1024}
	for n := 1; n <= 64; n *= 2 { // so that the costs are known
		for range 8 {
			for range n {
				s.arrive(c, 1, 0)
			}
			s.run(s.now + time.Second)
		}
	}
	s.now += time.Second
	s.arrive(c, 1, 0)
	s.arrive(c, 1, s.now+time.Millisecond) // after 200 µs there is time for about 7
	s.sizes = nil
	for range 30 {
		s.arrive(c, 1, 0)
	}
	s.run(s.now + time.Second)
	if s.sizes[0] > 7 || s.sizes[0] < 4 {
		t.Errorf("the urgent request ran in a batch of %d", s.sizes[0])
	}
}

// TestFull: with parameters, a batch waits until it is full or late, no more than the
// queue's length may wait, and a request larger than a batch is refused.
func TestFull(t *testing.T) {
	p := &Parameters{MaxBatchSize: 4, BatchTimeout: time.Millisecond, NumBatchThreads: 1, MaxEnqueuedBatches: 2}
	q := newQueue(p, 1)
	c := &class{key: "x", most: 4}
	add := func(now time.Duration, rows int) error { return q.arrive(now, &request{class: c, rows: rows}) }
	if err := add(0, 5); err == nil {
		t.Error("a request of five rows is taken")
	}
	add(0, 1)
	if b, wake := q.next(0); b != nil || wake != time.Millisecond {
		t.Errorf("%v, %v", b, wake)
	}
	add(100, 3)
	b, _ := q.next(100)
	if b == nil || b.rows != 4 {
		t.Fatalf("a full batch: %+v", b)
	}
	for range 8 {
		if err := add(200, 1); err != nil {
			t.Error(err)
		}
	}
	if err := add(200, 1); err == nil {
		t.Error("a third batch waits")
	}
	if b, wake := q.next(300); b != nil || wake != 0 {
		t.Error("two batches run on one thread")
	}
	q.done(400, b, true)
	b, _ = q.next(400)
	q.done(500, b, true)
	b, _ = q.next(500)
	q.done(600, b, true)
	add(700, 2)
	if b, _ := q.next(700 + time.Millisecond - 1); b != nil {
		t.Error("a batch that is not full starts too early")
	}
	if b, _ := q.next(700 + time.Millisecond); b == nil || b.rows != 2 {
		t.Error("a batch that waited long enough does not start")
	}
}

// TestRandom: under random arrivals, departures and ends, every request starts once or
// leaves, and counts return to zero.
func TestRandom(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var p *Parameters
		if seed%2 == 0 {
			p = &Parameters{MaxBatchSize: 1 + rng.IntN(8), BatchTimeout: time.Duration(rng.IntN(100)), NumBatchThreads: 1 + rng.IntN(3), MaxEnqueuedBatches: 1 + rng.IntN(5)}
		}
		q := newQueue(p, 1+rng.IntN(4))
		s := &simulation{q: q, t: t}
		var classes []*class
		for i := range 4 {
			c := &class{key: fmt.Sprint(i), most: 16}
			if p != nil {
				c.most = p.MaxBatchSize
			}
			if i == 3 {
				c.most = 0
			}
			classes = append(classes, c)
		}
		var open []*request
		ran := map[*request]bool{}
		now := time.Duration(0)
		step := func(b *batch) {
			s.check(b)
			for _, r := range b.requests {
				if ran[r] {
					t.Fatal("a request starts twice")
				}
				ran[r] = true
			}
		}
		accepted := 0
		for range 2000 {
			now += time.Duration(rng.IntN(50))
			switch rng.IntN(4) {
			case 0, 1:
				r := &request{class: classes[rng.IntN(4)], rows: 1 + rng.IntN(3)}
				if q.arrive(now, r) == nil {
					accepted++
					open = append(open, r)
				}
			case 2:
				if len(open) > 0 {
					i := rng.IntN(len(open))
					q.leave(open[i])
					open = append(open[:i], open[i+1:]...)
				}
			case 3:
				if len(q.running) > 0 {
					q.done(now, q.running[rng.IntN(len(q.running))], rng.IntN(4) > 0)
				}
			}
			for b, _ := q.next(now); b != nil; b, _ = q.next(now) {
				step(b)
			}
		}
		for len(q.busy)+len(q.running) > 0 {
			now += time.Second
			for b, _ := q.next(now); b != nil; b, _ = q.next(now) {
				step(b)
			}
			for len(q.running) > 0 {
				q.done(now, q.running[0], true)
			}
		}
		for _, r := range open {
			if r.state == waiting {
				t.Fatal("a request waits when all is done")
			}
		}
		for _, c := range classes {
			if c.waiters != 0 || c.rows != 0 || len(c.queue) != 0 {
				t.Fatalf("class %s has %d requests and %d rows when all is done", c.key, c.waiters, c.rows)
			}
		}
	}
}

// TestRanges: ranges of sizes follow one another.
func TestRanges(t *testing.T) {
	for n := 1; n < 3000; n++ {
		r := rangeOf(n)
		if least(r) > n || r+1 < len(table{}.at) && least(r+1) <= n {
			t.Fatalf("%d is in range %d, from %d to %d", n, r, least(r), least(r+1)-1)
		}
	}
}

// interrupted makes steps of a model take longer, as on a machine that has other work: while
// a step runs, it is interrupted at random, for some milliseconds each time.
func interrupted(seed uint64, every, pause time.Duration, cost func(rows, running int) time.Duration) func(rows, running int) time.Duration {
	rng := rand.New(rand.NewPCG(seed, 9))
	return func(rows, running int) time.Duration {
		d := cost(rows, running)
		for left := float64(d); ; {
			left -= rng.ExpFloat64() * float64(every)
			if left < 0 {
				return d
			}
			d += time.Duration(rng.ExpFloat64() * float64(pause))
		}
	}
}

// TestInterrupted: steps that are interrupted do not mislead the queue about sizes: a size
// that seemed dear because its first steps were interrupted is tried again. Where sizes do
// not matter ("linear") trials of fewer steps at a time cost more, as they last as long as
// the interruptions.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes many seconds")
	}
	costs := maps.Clone(costsOf)
	costs["decoder"] = func(rows, running int) time.Duration { // a loop of small operations
		return 3*time.Millisecond + time.Duration(rows)*150*time.Microsecond
	}
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		for _, pause := range []time.Duration{4 * time.Millisecond, 20 * time.Millisecond} {
			mean := func(p *Parameters) (sum float64) {
				const seeds = 4
				for seed := range uint64(seeds) {
					sum += closedFor(t, p, 64, 3*time.Second, time.Second, interrupted(seed, 5*time.Millisecond, pause, costs[name])) / seeds
				}
				return sum
			}
			best, at := 0.0, ""
			for _, size := range []int{1, 8, 32, 64} {
				for _, threads := range []int{1, 2} {
					if rate := mean(&Parameters{MaxBatchSize: size, NumBatchThreads: threads, MaxEnqueuedBatches: 1000}); rate > best {
						best, at = rate, fmt.Sprintf("size %d, threads %d", size, threads)
					}
				}
			}
			rate := mean(nil)
			t.Logf("%-9s pauses of %v: %6.0f/s, best %6.0f/s (%s)", name, pause, rate, best, at)
			share := 0.9
			if name == "linear" {
				share = 0.7
			}
			if rate < share*best {
				t.Errorf("%s, pauses of %v: %.0f/s, but %.0f/s with %s", name, pause, rate, best, at)
			}
		}
	}
}

// TestLong: steps of ten milliseconds, of which two at a time are faster, are learned within
// a second, though some are interrupted.
func TestLong(t *testing.T) {
	cost := func(rows, running int) time.Duration {
		if running > 1 {
			return time.Duration(rows) * 2000 * time.Microsecond
		}
		return time.Duration(rows) * 1600 * time.Microsecond
	}
	const warm, long, every, pause = 375 * time.Millisecond, 1125 * time.Millisecond, 50 * time.Millisecond, 10 * time.Millisecond
	p := &Parameters{MaxBatchSize: 4, NumBatchThreads: 2, MaxEnqueuedBatches: 1000}
	for _, clients := range []int{8, 64, 256} {
		const seeds = 8
		rate, best := 0.0, 0.0
		for seed := range uint64(seeds) {
			rate += closedFor(t, nil, clients, warm, long, interrupted(seed, every, pause, cost)) / seeds
			best += closedFor(t, p, clients, warm, long, interrupted(seed, every, pause, cost)) / seeds
		}
		t.Logf("%d clients: %.0f/s, batches of 4: %.0f/s", clients, rate, best)
		if rate < 0.94*best {
			t.Errorf("%d clients: %.0f/s, but %.0f/s in batches of 4", clients, rate, best)
		}
	}
}
