package form_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit/form"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/logging"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	_ "github.com/troupe-go/troupe/ops/state"
)

// A seeded source draws programs.
type seeded struct{ *rand.Rand }

func (s seeded) Int(_ string, lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// randomProgram returns the random program of a seed; nil if the graph of it does not
// compile.
func randomProgram(seed uint64) *nodes.Program {
	src := seeded{rand.New(rand.NewPCG(seed, 7))}
	p := programs.Random(src, programs.Options{Depth: 1 + int(seed%4)})
	low := p.Lower(programs.Form(seed % 3))
	compiled, err := compile.Graph(context.Background(), low.Graph, compile.Spec{Feeds: low.Inputs, Fetches: low.Results})
	if err != nil {
		return nil
	}
	return compiled
}

// formsOf calls do with the form of a program, or those of its loops.
func formsOf(t *testing.T, p *nodes.Program, do func(*form.Form)) {
	flow := p.Flow()
	c := form.NewCompiler(flow, nil)
	for f := range flow.Frames {
		form, _, err := c.Form(int32(f))
		if err != nil {
			t.Fatal(err)
		}
		if form != nil {
			do(form)
		}
		if form != nil && f == 0 {
			return
		}
	}
}

// paths is how many times a form is simulated.
const paths = 40

// simulate plays a form with several choices of its predicates.
func simulate(f *form.Form, rng *rand.Rand) error {
	for range paths {
		if err := f.Simulate(rng); err != nil {
			return err
		}
	}
	return nil
}

// verify is Verify, of which a panic is an error of its own.
func verify(f *form.Form) (err error, panicked bool) {
	defer func() {
		if r := recover(); r != nil {
			err, panicked = fmt.Errorf("panic: %v", r), true
		}
	}()
	return f.Verify(), false
}

// TestLifetimes plays the forms of random programs and keeps books: whoever
// holds something gives it up once.
func TestLifetimes(t *testing.T) {
	forms := 0
	for seed := range uint64(programsTried(t)) {
		p := randomProgram(seed)
		if p == nil {
			continue
		}
		formsOf(t, p, func(f *form.Form) {
			forms++
			if err := f.Verify(); err != nil {
				t.Errorf("seed %d: %v\n%v", seed, err, f)
			}
			if err := simulate(f, rand.New(rand.NewPCG(seed, 1))); err != nil {
				t.Errorf("seed %d: %v\n%v", seed, err, f)
			}
		})
	}
	if forms < programsTried(t)/2 {
		t.Errorf("only %d forms", forms)
	}
}

func programsTried(t *testing.T) int {
	if testing.Short() {
		return 60
	}
	return 300
}

// TestVerifyHasTeeth damages good forms. Verify must object where a simulation
// shows that the damage does harm, and let pass what does none, but for damages
// of which it always tells. Some harm shows on no path that was drawn.
func TestVerifyHasTeeth(t *testing.T) {
	const rounds = 3 // of all damages, on each form
	type tally struct{ harmful, harmless, objected int }
	tallies := make([]tally, len(form.Damages))
	damage := func(label string, seed uint64, f *form.Form) {
		places := form.PlacesOf(f)
		for i := range rounds * len(form.Damages) {
			d, x := form.Damages[i/rounds], &tallies[i/rounds]
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			what, undo, ok := d.Do(places, rng)
			if !ok {
				continue
			}
			objection, panicked := verify(f)
			if panicked {
				t.Errorf("%s: %s (%s): %v", label, d.Name, what, objection)
			}
			switch harm := simulate(f, rng); {
			case harm != nil:
				x.harmful++
			case !d.Always:
				if x.harmless++; objection != nil {
					x.objected++
				}
				objection = errHarmless
			}
			if objection == nil {
				t.Errorf("%s: %s (%s): Verify does not object\n%v", label, d.Name, what, f)
			}
			undo()
			if err := f.Verify(); err != nil {
				t.Fatalf("%s: %s is not undone: %v", label, d.Name, err)
			}
		}
	}
	for seed := range uint64(programsTried(t)) {
		if p := randomProgram(seed); p != nil {
			formsOf(t, p, func(f *form.Form) { damage(fmt.Sprint("seed ", seed), seed, f) })
		}
	}
	goldenForms(t, func(label string, f *form.Form) { damage(label, 0, f) })
	for i, d := range form.Damages {
		x := tallies[i]
		t.Logf("%-50s %5d harmful, %5d harmless, of which Verify objects to %d", d.Name, x.harmful, x.harmless, x.objected)
		if !d.Always && x.harmful < programsTried(t)/10 {
			t.Errorf("%s: only %d do harm", d.Name, x.harmful)
		}
		if x.objected > (x.harmful+x.harmless)/20 {
			t.Errorf("%s: Verify objects to %d that do no harm", d.Name, x.objected)
		}
	}
}

var errHarmless = errors.New("it does no harm")
