package main

import (
	"io"
	"slices"
	"testing"
	"time"
)

// A thread that changes a line waits for it as long as it is far, and for those before it.
func TestLines(t *testing.T) {
	m := machine(128, true)
	for _, c := range []struct {
		core int
		want time.Duration
	}{{0, m.Atomic}, {7, m.Near}, {8, m.Far}, {63, m.Far}, {64, m.Across}} {
		s := &sim{machine: m}
		l := s.line()
		s.start(c.core, 0, 0, func(t *thread) { t.change(l) })
		if s.run(); s.now != c.want {
			t.Errorf("core %d has a line of core 0 after %v, want %v", c.core, s.now, c.want)
		}
	}
	s := &sim{machine: m}
	l := s.line()
	for core := range 8 {
		s.start(core, 0, 0, func(t *thread) { t.change(l) })
	}
	if s.run(); s.now != m.Atomic+7*m.Near {
		t.Errorf("8 cores have changed a line after %v", s.now)
	}
}

// Threads that are woken at once start one after another.
func TestWake(t *testing.T) {
	m := machine(8, true)
	s := &sim{machine: m}
	var started []time.Duration
	var sleepers []*thread
	for core := range 3 {
		sleepers = append(sleepers, s.start(core+1, 0, 0, func(t *thread) {
			t.sleep()
			started = append(started, s.now)
		}))
	}
	s.start(0, 0, 0, func(t *thread) {
		for _, other := range sleepers {
			t.wake(other)
		}
	})
	s.run()
	first := m.Send + m.Futex + m.Start
	want := []time.Duration{first + m.Futex, first + m.Start + m.Futex, first + 2*m.Start}
	slices.Sort(started)
	if !slices.Equal(started, want) {
		t.Errorf("they run at %v, want %v", started, want)
	}
}

// A thread that computes beside n others has one of n+1 parts of its core; one that has
// slept goes on at once.
func TestShares(t *testing.T) {
	m := machine(2, true)
	for _, foreign := range []int{0, 1, 6} {
		s := &sim{machine: m}
		s.start(0, foreign, 0, func(t *thread) { t.work(100 * m.Slice) })
		s.run()
		if want := 100 * m.Slice * time.Duration(foreign+1); s.now < want-10*m.Slice || s.now > want+10*m.Slice {
			t.Errorf("beside %d others 100 slices take %v", foreign, s.now)
		}
	}
	s := &sim{machine: m}
	var woken time.Duration
	other := s.start(1, 6, 0, func(t *thread) { t.sleep(); t.work(m.Slice / 2); woken = s.now })
	s.start(0, 0, 0, func(t *thread) { t.work(50 * m.Slice); t.wake(other) })
	if s.run(); woken != 50*m.Slice+m.Send+m.Futex+m.Start+m.Slice/2 {
		t.Errorf("one that has slept is done at %v", woken)
	}
}

// Each range runs once; no run is faster than its longest ranges allow, nor slower than
// on one thread by more than it takes to wake others; and a seed says all.
func TestSimulate(t *testing.T) {
	for _, cores := range []int{2, 8, 32, 128} {
		for _, network := range networks[:3] {
			calls, err := load(network, cores)
			if err != nil {
				t.Fatal(err)
			}
			ranges := 0
			for _, c := range calls {
				ranges += len(c.ranges)
			}
			for _, c := range columns(cores < 32) {
				m := machine(cores, false)
				r := simulate(m, cores, 2, 1, c.rules, calls)
				if r.Ran != 2*ranges {
					t.Errorf("%s on %d cores, %s: %d ranges ran, want 2 of each %d", network, cores, c.name, r.Ran, ranges)
				}
				if least := bound(calls, cores); slices.Min(r.Times) < least || slices.Max(r.Times) > 2*alone(calls) {
					t.Errorf("%s on %d cores, %s: %v, at least %v", network, cores, c.name, r.Times, least)
				}
				if again := simulate(m, cores, 2, 1, c.rules, calls); !slices.Equal(again.Times, r.Times) || again.Busy != r.Busy {
					t.Errorf("%s on %d cores, %s: %v, and again %v", network, cores, c.name, r, again)
				}
			}
		}
	}
	m := machine(2, false)
	m.Foreign = 12
	calls, err := load("mobilenet_v2", 2)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := simulate(m, 2, 9, 1, Now, calls), simulate(m, 2, 9, 2, Now, calls); slices.Equal(a.Times, b.Times) {
		t.Errorf("two seeds give %v", a.Times)
	}
}

func TestTable(t *testing.T) {
	if err := table(io.Discard, machine(2, false), 1, 1, true); err != nil {
		t.Error(err)
	}
}
