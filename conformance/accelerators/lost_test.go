package accelerators

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var lost = flag.Int("lost", 16, "how many devices TestSessionLostUnderLoad loses")

// TestSessionLostUnderLoad: devices are lost in the midst of steps, of which several run
// at any time. Each step gives the right answer or UNAVAILABLE with the device's name, and
// those that come later are right again.
func TestSessionLostUnderLoad(t *testing.T) {
	for name, n := range map[string]int{"one": 1, "two": 2} {
		t.Run("EMULATED/"+name, func(t *testing.T) {
			loseUnderLoad(t, "EMULATED", n, tensor.Tolerance{Exact: true}, func(rng *rand.Rand) bool {
				opened := slices.DeleteFunc(emulated.Opened(), func(d *emulated.Device) bool { return d.Err() != nil })
				if len(opened) == 0 { // all are about to come back
					return false
				}
				opened[rng.IntN(len(opened))].Lose("it was pulled out")
				return true
			})
			if n := len(emulated.Opened()); n > 0 {
				t.Errorf("%d devices are still open", n)
			}
		})
		t.Run("GPU/"+name, func(t *testing.T) {
			m := simulate(t, simulated.Options{Devices: n})
			loseUnderLoad(t, "GPU", n, rough, func(rng *rand.Rand) bool { return m.Lose(rng.IntN(n)) })
		})
	}
}

// alternating puts the operations of a graph that have inputs on two devices by turns, so
// that all that goes between them is copied from one to the other.
func alternating(text, kind string) string {
	n := 0
	return regexp.MustCompile(`(?m)^(\w+ = \w+\(\w.*?\)) `).ReplaceAllStringFunc(text, func(node string) string {
		n++
		return fmt.Sprintf("%s@/device:%s:%d ", node, kind, n%2)
	})
}

// loseUnderLoad plays a graph on so many devices, of which it loses one after another, and
// compares answers with the CPU's. lose reports whether there was one to lose.
func loseUnderLoad(t *testing.T, kind string, count int, tolerance tensor.Tolerance, lose func(*rand.Rand) bool) {
	text := perceptron
	if count > 1 {
		text = alternating(text, kind)
	}
	const callers, each = 4, 8 // a supervisor has enough of ten losses within seconds
	g := parsed(t, text)
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	feeds := map[session.Output]*session.Tensor{out("x"): ramp(3, 6), out("w"): ramp(6, 4)}
	cpu, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Close()
	want, err := cpu.Run(feeds, []session.Output{out("y")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	right, failed := 0, 0
	for n := 0; n < *lost && !t.Failed(); {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: count}, Seed: int64(n + 1)})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 && copied(t, s, feeds, out("y")) != (count > 1) {
			t.Fatal("whether anything is copied between devices")
		}
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error, callers)
		var steps sync.WaitGroup
		for range callers {
			steps.Go(func() {
				for ctx.Err() == nil {
					got, err := s.RunContext(ctx, feeds, []session.Output{out("y")}, nil)
					if err == nil {
						if err := tensor.Compare(got[0], want[0], tolerance); err != nil {
							t.Errorf("another answer: %v", err)
						}
					}
					select {
					case results <- err:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		take := func() bool {
			err := <-results
			switch {
			case err == nil:
				right++
			case session.CodeOf(err) == session.Unavailable && strings.Contains(err.Error(), "device:"+kind+":"):
				failed++
			default:
				t.Errorf("loss %d: %v", n, err)
			}
			return err == nil
		}
		for k := 0; k < each && n < *lost && !t.Failed(); k++ {
			for range rng.IntN(3 * callers) {
				take()
			}
			if lose(rng) {
				n++
			}
			for range callers { // what was under way
				take()
			}
			for !take() && !t.Failed() {
			}
		}
		cancel()
		steps.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d answers, %d steps that failed, %d devices lost", right, failed, *lost)
}

// copied reports whether something is copied from one device to another in a step.
func copied(t *testing.T, s *session.Session, feeds map[session.Output]*session.Tensor, fetch session.Output) bool {
	var m session.RunMetadata
	if _, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m, Profile: true}, feeds, []session.Output{fetch}, nil); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(m.Stats.Works, func(w profile.Work) bool { return strings.HasPrefix(w.Name, "copy from") })
}
