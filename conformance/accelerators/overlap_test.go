package accelerators

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/session"
)

// TestSessionOverlap: by the timeline of a step, what the host writes for a later product
// is written while the device computes an earlier one.
func TestSessionOverlap(t *testing.T) {
	const links, n = 24, 64
	for _, kind := range []string{"EMULATED", "OPENCL", "GPU"} {
		t.Run(kind, func(t *testing.T) {
			if !there(t, kind) {
				t.SkipNow()
			}
			run := chain(t, kind, links, n)
			var works []profile.Work
			for range 50 { // the first compiles, and a machine may be busy
				if works = run(); both(works, "host-to-device", "compute") > 0 {
					return
				}
			}
			t.Errorf("nothing is written while something is computed: %+v", works)
		})
	}
}

// chain returns a session with a chain of products on a device, whose matrices are all fed: a
// step answers its timeline.
func chain(t testing.TB, kind string, links int, n int64) func() []profile.Work {
	var text strings.Builder
	text.WriteString("y0 = Placeholder() {dtype=DT_FLOAT}\n")
	for i := range links {
		fmt.Fprintf(&text, "w%d = Placeholder() {dtype=DT_FLOAT}\ny%d = MatMul(y%d, w%d) {T=DT_FLOAT}\n", i, i+1, i, i)
	}
	g := parsed(t, text.String())
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: 1}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	feeds := map[session.Output]*session.Tensor{out("y0"): ramp(n, n)}
	for i := range links {
		feeds[out(fmt.Sprintf("w%d", i))] = ramp(n, n)
	}
	return func() []profile.Work {
		var m session.RunMetadata
		_, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m, Profile: true}, feeds, []session.Output{out(fmt.Sprintf("y%d", links))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m.Stats.Works
	}
}

// overlap returns how many nanoseconds of writing to the device fall into computing, and all.
func overlap(works []profile.Work) (beside, all int64) {
	for _, w := range works {
		if w.Stream == "host-to-device" {
			all += w.End - w.Begin
		}
	}
	return min(both(works, "host-to-device", "compute"), all), max(all, 1)
}

// both returns how many nanoseconds a work of one stream and one of another overlap, in all.
func both(works []profile.Work, one, other string) (ns int64) {
	for _, a := range works {
		for _, b := range works {
			if a.Stream == one && b.Stream == other && a.Device == b.Device {
				ns += max(0, min(a.End, b.End)-max(a.Begin, b.Begin))
			}
		}
	}
	return ns
}
