package programs_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/conformance/programs"
)

type drawn struct{ t *rapid.T }

func (d drawn) Int(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(d.t, label) }

// TestPrograms runs random programs on the engines and under some schedules; a
// failure is shrunk to a small program, printed with its graph.
func TestPrograms(t *testing.T) {
	all, end := engines(t, "actors,tokens,sequential,seeded:3", memoryLimit)
	defer end()
	rapid.Check(t, func(t *rapid.T) {
		tr, e, err := try(drawn{t}, programs.Options{Depth: 2}, all)
		switch {
		case errors.Is(err, errUnclear):
			t.Skip(err)
		case err != nil && e != nil:
			t.Fatalf("on %s: %s\n%v", e.label, brief(err), tr)
		case err != nil:
			t.Fatalf("%s\n%v", brief(err), tr)
		}
	})
}

// TestMessages runs some programs with every node an actor, whose messages come in their
// order or in any.
func TestMessages(t *testing.T) {
	all, end := engines(t, "messages,messages:1,messages/3", memoryLimit)
	defer end()
	for seed := range 100 {
		tr, _, err := try(&script{rng: rand.New(rand.NewPCG(uint64(seed), 2))}, programs.Options{Depth: 2}, all)
		if err != nil && !errors.Is(err, errUnclear) {
			t.Fatalf("seed %d: %s\n%v", seed, brief(err), tr)
		}
	}
}

// TestBands shares out whatever in the bodies of loops may run beside each other.
func TestBands(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 100
	}
	all, end := engines(t, "bands/3,tokens", memoryLimit)
	defer end()
	for seed := range n {
		tr, _, err := try(&script{rng: rand.New(rand.NewPCG(uint64(seed), 5))}, programs.Options{Wide: true}, all)
		if err != nil && !errors.Is(err, errUnclear) {
			t.Fatalf("seed %d: %s\n%v", seed, brief(err), tr)
		}
	}
}

// TestLongLoops runs long loops under a limit of a fraction of what they make,
// so that what is not given back in time shows.
func TestLongLoops(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 50
	}
	unclear := 0
	for seed := range n + 1 {
		if seed == n {
			seed = 4633 // what its loop hands over to resources has no room charged to the step
		}
		tr, err := newTrial(&script{rng: rand.New(rand.NewPCG(uint64(seed), 4))}, programs.Options{Long: true})
		if err != nil {
			unclear++
			continue
		}
		made := 0
		for _, s := range tr.steps {
			made = max(made, s.want.Bytes)
		}
		all, end := engines(t, "actors,actors/2,bands/2,tokens,sequential", int64(24<<10+made/8))
		if e, err := tr.judgeAll(all); err != nil {
			end()
			label := "all engines"
			if e != nil {
				label = e.label
			}
			t.Fatalf("seed %d on %v: %s\n%v", seed, label, brief(err), tr)
		}
		end()
	}
	if unclear > n/2 {
		t.Errorf("%d of %d programs have no clear answer", unclear, n)
	}
}
