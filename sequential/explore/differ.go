package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/sequential"
)

// mostShortened is of how many answers short schedules are looked for.
const mostShortened = 8

// Replay plays one schedule of a system and answers its events and its answer.
func Replay(ctx context.Context, s *System, o sequential.Order) (events []string, answer string, err error) {
	x := newExplorer(s, Options{})
	answer, trace, err := x.replay(ctx, o)
	for _, h := range trace {
		events = append(events, h.id)
	}
	return events, answer, err
}

// replay plays a schedule.
func (x *explorer) replay(ctx context.Context, o sequential.Order) (string, []happened, error) {
	f := &recorder{explorer: x, order: o}
	x.deadlock = false
	text, err := x.play(ctx, f.in)
	return text, f.trace, err
}

// A recorder follows an order and notes what happens.
type recorder struct {
	*explorer
	sequential.Scheduler
	order sequential.Order
	step  int
	trace []happened
}

func (f *recorder) in(step int) sequential.Scheduler {
	f.step, f.Scheduler = step, f.order.Follow(step+1)
	return f
}

func (f *recorder) Begin(s *kernel.Step)                  { f.Scheduler.Begin(s) }
func (f *recorder) Stuck(waiting []sequential.Event) bool { return f.deadlocked(waiting) }

func (f *recorder) Next(events []sequential.Event) int {
	i := f.Scheduler.Next(events)
	f.trace = append(f.trace, f.event(f.step, events[i]))
	return i
}

// constraint makes a constraint of two events of one step.
func (x *explorer) constraint(a, b happened) sequential.Constraint {
	c := sequential.Constraint{First: a.id, Then: b.id}
	played := 0
	for _, s := range x.Steps {
		if !s.Fixed {
			played++
		}
	}
	if played > 1 {
		c.Step = a.step + 1
	}
	return c
}

// against is in what a trace differs from first come, first served: pairs of dependent
// events that have another order there.
func (x *explorer) against(trace []happened) sequential.Order {
	at := map[happened]int{}
	for i, h := range x.first {
		at[h] = i + 1
	}
	here := map[happened]bool{}
	var mine []happened
	for _, h := range trace {
		here[h] = true
		if x.matters(h) {
			mine = append(mine, h)
		}
	}
	var o sequential.Order
	for i, a := range mine {
		for _, b := range mine[i+1:] {
			if i, j := at[a], at[b]; x.dependent(a, b) && (i == 0 || j == 0 || j < i) {
				o = append(o, x.constraint(a, b))
			}
		}
		for _, b := range x.seen() { // which did not happen here
			if !here[b] && x.dependent(a, b) && (at[a] == 0 || at[b] < at[a]) {
				o = append(o, x.constraint(a, b))
			}
		}
	}
	return o
}

// shorten looks for the shortest schedules of the answers, by leaving constraints out,
// and puts the answer whose schedule is the shortest behind the first.
func (x *explorer) shorten(ctx context.Context) error {
	r := &x.result
	if r.Answers[0].Count == 0 && r.Schedules == 0 {
		return nil
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		if i == 0 || i > mostShortened {
			continue
		}
		o := x.against(a.trace)
		if ok, err := x.gives(ctx, o, a.Text); err != nil {
			return err
		} else if !ok { // every event in its place
			o = nil
			for k, h := range a.trace {
				if k > 0 && a.trace[k-1].step == h.step {
					o = append(o, x.constraint(a.trace[k-1], h))
				}
			}
			for _, h := range x.seen() { // what a step that failed did not come to
				if last := lastOf(a.trace, h.step); last.id != "" && !slices.Contains(a.trace, h) {
					o = append(o, x.constraint(last, h))
				}
			}
			if ok, err := x.gives(ctx, o, a.Text); err != nil || !ok {
				return cmp.Or(err, error(errDiverged))
			}
		}
		for size := (len(o) + 1) / 2; size > 0; size /= 2 {
			for at := 0; at < len(o); {
				less := slices.Concat(o[:at], o[min(at+size, len(o)):])
				ok, err := x.gives(ctx, less, a.Text)
				if err != nil {
					return err
				}
				if ok {
					o = less
				} else {
					at += size
				}
			}
		}
		a.Order = o
	}
	if len(r.Answers) < 2 {
		return nil
	}
	rest := r.Answers[1:]
	known := rest[:min(len(rest), mostShortened)]
	slices.SortStableFunc(known, func(a, b Answers) int { return cmp.Compare(len(a.Order), len(b.Order)) })
	if len(r.Answers[1].Order) == 0 { // the schedule of the first answer gave this one, too
		return errDiverged
	}
	c := r.Answers[1].Order[0]
	r.Pair = [2]string{c.First, c.Then}
	where := map[string]happened{}
	for _, h := range slices.Concat(x.first, r.Answers[1].trace) {
		if c.Step == 0 || c.Step == h.step+1 {
			where[h.id] = h
		}
	}
	h := where[c.First]
	r.Race = x.racing[h.step][h.node][where[c.Then].node]
	return nil
}

// seen returns the events that some schedule with another answer had, as far as their order
// matters.
func (x *explorer) seen() (all []happened) {
	known := map[happened]bool{}
	for _, a := range x.result.Answers[:min(len(x.result.Answers), mostShortened+1)] {
		for _, h := range a.trace {
			if !known[h] && x.matters(h) {
				known[h] = true
				all = append(all, h)
			}
		}
	}
	return all
}

// lastOf returns the last event of a step.
func lastOf(trace []happened, step int) (last happened) {
	for _, h := range trace {
		if h.step == step {
			last = h
		}
	}
	return last
}

func (x *explorer) gives(ctx context.Context, o sequential.Order, want string) (bool, error) {
	text, _, err := x.replay(ctx, o)
	return text == want, err
}
