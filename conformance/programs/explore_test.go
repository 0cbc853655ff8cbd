package programs_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/tensor"
)

// system returns the trial for an exploration: a step's answer is "right", or what is wrong.
func (t *trial) system() (*explore.System, error) {
	s := &explore.System{Budget: tensor.NewBudget(memoryLimit)}
	if init := t.steps[0].init; init != nil {
		s.Steps = append(s.Steps, explore.Step{Program: init, Fixed: true})
	}
	first := len(s.Steps)
	for _, st := range t.steps {
		s.Steps = append(s.Steps, explore.Step{Program: st.program, Feeds: st.feeds()})
	}
	var failed error
	at := first
	t.races(func(p race.Program) {
		found, err := race.Unordered(context.Background(), p)
		s.Steps[at].Unordered, failed = found, errors.Join(failed, err)
		at++
	})
	s.Answer = func(step int, fetched []tensor.Value, err error) string {
		if err := t.compare(t.steps[step-first], s.Steps[step].Feeds, fetched, err); err != nil {
			return "wrong: " + brief(err)
		}
		return "right\n"
	}
	return s, failed
}

var tinyOrders = flag.Int("tiny", 0, "explore random programs of at most 12 nodes alone, each in up to `N` orders of events")

// TestSchedules plays all schedules of small random programs: every one must give what the
// evaluator says, and variables hold the same afterwards. Of the smallest, which are explored
// to the end, every order of events is played, too.
func TestSchedules(t *testing.T) {
	n, most := *seeds, 10_000
	if n == 0 {
		n, most = 150, 300
	}
	const small, tiny = 40, 12
	played, complete, smallest, every, orders, several := 0, 0, 0, 0, 0, 0
	for seed := *first; seed < *first+n; seed++ {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 14))}
		tr, err := newTrial(src, programs.Options{Depth: 1 + seed%2})
		if errors.Is(err, errUnclear) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		tr.callers, tr.stopAt, tr.passes = 1, 0, 0 // names are those of the graph
		if err := tr.lower(); err != nil {
			t.Fatal(err)
		}
		if err := tr.compile(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		nodes := 0
		for _, s := range tr.steps {
			nodes = max(nodes, s.program.NumNodes())
		}
		if nodes > small && *seeds == 0 || nodes > tiny && *tinyOrders > 0 {
			continue
		}
		s, err := tr.system()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		options := []explore.Options{{Schedules: most}}
		if nodes <= tiny {
			smallest++
			options = append(options, explore.Options{Unreduced: true, Schedules: max(most, *tinyOrders)})
		}
		for _, o := range options {
			r, err := explore.Explore(context.Background(), s, o)
			if err != nil {
				t.Fatalf("seed %d: %v\n%v", seed, err, tr)
			}
			for _, a := range r.Answers {
				if strings.Contains(a.Text, "wrong") {
					t.Fatalf("seed %d, schedule %q: %s\n%v", seed, a.Order, a.Text, tr)
				}
			}
			if len(r.Answers) > 1 {
				t.Fatalf("seed %d: %q gives %s and %q gives %s\n%v", seed, r.Answers[0].Order, r.Answers[0].Text, r.Answers[1].Order, r.Answers[1].Text, tr)
			}
			switch {
			case o.Unreduced:
				orders += r.Schedules
				if r.All {
					every++
				}
			default:
				played++
				if r.All {
					complete++
				} else if nodes <= tiny {
					t.Fatalf("seed %d: only %d schedules of %d nodes were played\n%v", seed, r.Schedules, nodes, tr)
				}
				if r.Schedules > 1 {
					several++
				}
			}
		}
	}
	t.Logf("%d programs, %d of them completely, %d with several schedules; of %d of at most %d nodes %d in every order, %d orders in all",
		played, complete, several, smallest, tiny, every, orders)
	if complete < played*9/10 || every == 0 || several == 0 && *tinyOrders == 0 {
		t.Errorf("%d programs: %d explored completely, %d in every order, %d with several schedules", played, complete, every, several)
	}
}

// TestReduction takes a control edge from an operation that touches a variable, and
// compares: whatever some order of events answers, an exploration that leaves out
// equivalent ones must find.
func TestReduction(t *testing.T) {
	n, most := *seeds, 2000
	if n == 0 {
		n, most = 150, 100
	}
	compared, differ := 0, 0
	for seed := *first; seed < *first+n; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		tr, err := newTrial(&script{rng: rng}, programs.Options{Depth: 1 + seed%2})
		if err != nil || len(tr.program.Variables) == 0 {
			continue
		}
		tr.form, tr.callers, tr.stopAt, tr.passes, tr.steps = programs.Frames, 1, 0, 0, tr.steps[:1]
		if err := tr.lower(); err != nil {
			t.Fatal(err)
		}
		if !tr.loosen(rng) {
			continue
		}
		if err := tr.compile(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if tr.steps[0].program.NumNodes() > 60 {
			continue
		}
		s, err := tr.system()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s.Answer = nil
		reduced, err := explore.Explore(context.Background(), s, explore.Options{Schedules: most})
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, tr)
		}
		full, err := explore.Explore(context.Background(), s, explore.Options{Schedules: most, Unreduced: true})
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, tr)
		}
		drawn, err := explore.Sample(context.Background(), s, explore.Options{Schedules: 50, Unreduced: true}, 3, uint64(seed))
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, tr)
		}
		compared++
		if len(reduced.Answers) > 1 {
			differ++
		}
		if !reduced.All {
			continue
		}
		known := map[string]bool{}
		for _, a := range reduced.Answers {
			known[a.Text] = true
		}
		for _, a := range append(full.Answers, drawn.Answers...) {
			if !known[a.Text] {
				t.Fatalf("seed %d: with reduction there is no schedule that gives %s, as %q does\n%v", seed, a.Text, a.Order, tr)
			}
		}
	}
	t.Logf("%d programs compared, %d of which differ", compared, differ)
	if differ == 0 {
		t.Error("no program came to differ")
	}
}
