package accelerators

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var lost = flag.Int("lost", 16, "how many devices TestSessionLostUnderLoad loses")

// TestSessionLostUnderLoad: devices are lost in the midst of steps, of which several run
// at any time. Each step gives the right answer or UNAVAILABLE with the device's name, and
// those that come later are right again.
func TestSessionLostUnderLoad(t *testing.T) {
	t.Run("EMULATED", func(t *testing.T) {
		lostUnderLoad(t, "EMULATED", tensor.Tolerance{Exact: true}, func() {
			for _, d := range emulated.Opened() {
				d.Lose("it was pulled out")
			}
		})
		if n := len(emulated.Opened()); n > 0 {
			t.Errorf("%d devices are still open", n)
		}
	})
	t.Run("GPU", func(t *testing.T) {
		m := simulate(t, simulated.Options{})
		lostUnderLoad(t, "GPU", rough, func() { m.Lose(0) })
	})
}

// lostUnderLoad compares answers with the CPU's.
func lostUnderLoad(t *testing.T, kind string, tolerance tensor.Tolerance, lose func()) {
	const callers, each = 4, 8 // a supervisor has enough of ten losses within seconds
	g := parsed(t, perceptron)
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
		s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: 1}, Seed: int64(n + 1)})
		if err != nil {
			t.Fatal(err)
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
			case session.CodeOf(err) == session.Unavailable && strings.Contains(err.Error(), kind+":0"):
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
			lose()
			n++
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
