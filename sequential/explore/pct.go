package explore

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/troupe-go/troupe/sequential"
)

// Sample plays random schedules by the method of S. Burckhardt, P. Kothari, M. Musuvathi
// and S. Nagarakatte, A randomized scheduler with probabilistic guarantees of finding
// bugs, ASPLOS 2010. Every event has a random priority; the one with the highest is next;
// and at depth-1 places of the schedule, drawn before, what would be next falls behind all
// others. With k events whose order may matter, each a thread of its own there, a
// difference that takes depth orderings is found by one schedule with a probability of at
// least k^-depth. Events whose order does not matter happen at once and do not count.
func Sample(ctx context.Context, s *System, o Options, depth int, seed uint64) (*Result, error) {
	x := newExplorer(s, o)
	if err := x.base(ctx); err != nil {
		return nil, err
	}
	x.result.Depth, x.result.Why = depth, "schedules were drawn"
	rng := rand.New(rand.NewPCG(seed, 0))
	most := 0
	for _, h := range x.first {
		if x.matters(h) {
			most++
		}
	}
	for range o.Schedules {
		if o.stopped() {
			break
		}
		p := &priorities{walker: walker{explorer: x}, rng: rng, of: map[happened]float64{}, falls: map[int]float64{}}
		for i := 1; i < depth; i++ {
			p.falls[1+rng.IntN(max(most, 1))] = float64(-i)
		}
		x.deadlock = false
		text, err := x.play(ctx, p.in)
		if err != nil && x.result.Schedules > 0 && late(ctx) {
			break
		}
		if err != nil {
			return nil, err
		}
		p.again = false
		x.note(text, p.trace, p.count)
		most = max(most, p.count)
	}
	x.result.Bound = math.Pow(float64(max(most, 1)), float64(-depth))
	return x.finish(ctx)
}

// priorities are the scheduler of one random schedule.
type priorities struct {
	walker
	rng   *rand.Rand
	of    map[happened]float64
	falls map[int]float64 // by the number of an event: the priority that it falls to
	count int
}

func (p *priorities) in(step int) sequential.Scheduler {
	p.step = step
	return p
}

func (p *priorities) Stuck(waiting []sequential.Event) bool { return p.deadlocked(waiting) }

func (p *priorities) Next(events []sequential.Event) int {
	best, list := -1, make([]happened, len(events))
	for i, e := range events {
		p.called = p.called || e.Called
		h := p.event(p.step, e)
		if list[i] = h; !p.matters(h) {
			p.trace = append(p.trace, h)
			return i
		}
		if _, ok := p.of[h]; !ok {
			p.of[h] = p.rng.Float64()
		}
		if best < 0 || p.of[h] > p.of[list[best]] {
			best = i
		}
	}
	p.count++
	if to, ok := p.falls[p.count]; ok {
		p.of[list[best]] = to
		for i, h := range list {
			if p.of[h] > p.of[list[best]] {
				best = i
			}
		}
	}
	p.trace = append(p.trace, list[best])
	return best
}
