package programs_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

type drawn struct{ t *rapid.T }

func (d drawn) Int(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(d.t, label) }

// TestPrograms runs random programs on the engines and under some schedules; a
// failure is shrunk to a small program, printed with its graph.
func TestPrograms(t *testing.T) {
	all, end := engines(t, "tokens,sequential,seeded:3,seeded:4")
	defer end()
	rapid.Check(t, func(t *rapid.T) {
		tr, e, err := try(drawn{t}, 2, all)
		switch {
		case errors.Is(err, errUnclear):
			t.Skip(err)
		case err != nil && e != nil:
			t.Fatalf("on %s: %v\n%v", e.label, err, tr)
		case err != nil:
			t.Fatalf("%v\n%v", err, tr)
		}
	})
}

// TestScalars runs programs over scalars, whose loops are played as units.
func TestScalars(t *testing.T) {
	all, end := engines(t, "actors,actors/2")
	defer end()
	n := 500
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		tr, err := newTrial(&script{rng: rand.New(rand.NewPCG(uint64(seed), 3))}, 3, true)
		if err != nil {
			continue
		}
		if e, err := tr.judgeAll(all); err != nil {
			t.Fatalf("seed %d on %v: %v\n%v", seed, e, err, tr)
		}
	}
}

// TestMessages runs some programs with every node a spawned actor.
func TestMessages(t *testing.T) {
	all, end := engines(t, "messages")
	defer end()
	for seed := range 100 {
		tr, _, err := try(&script{rng: rand.New(rand.NewPCG(uint64(seed), 2))}, 2, all)
		if err != nil && !errors.Is(err, errUnclear) {
			t.Fatalf("seed %d: %v\n%v", seed, err, tr)
		}
	}
}
