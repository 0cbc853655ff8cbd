package main

import (
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/view/live"
)

func topState() *live.State {
	return &live.State{
		At: time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC), Title: "a service", Goroutines: 12, Heap: 3 << 20,
		Sessions: []live.SessionState{{
			Name: "digits/2", Engine: "actors", Steps: 1234, Nodes: 5.6e6, Failed: 1, MemoryInUse: 1536, MemoryLimit: 1 << 30, ProgramMemory: 10,
			Running: []live.StepState{{
				Step: "session1/0.17", Seconds: 3.04, At: `"add" (AddV2) at loop[12]`, AtSince: 2, Rate: 40, More: true,
				Kernels: []live.Line{{Text: `"take" (QueueDequeueV2)`, Seconds: 2}},
				Waiting: []live.Line{{Text: "\"evil\x1b[31m\" (Neg) waits for take:0", Seconds: 61}},
			}},
			Resources: []live.Resource{{Name: "jobs", Kind: "FIFOQueue", Elements: 3, Capacity: 4}, {Name: "w", Kind: "Variable", Bytes: 4096}},
			Failures:  []live.Failure{{At: time.Date(2026, 11, 27, 10, 20, 29, 0, time.UTC), Text: "INVALID_ARGUMENT: no"}},
		}},
	}
}

func TestTop(t *testing.T) {
	const want = `a service  10:20:30  12 goroutines, heap 3.0 MiB

digits/2 (actors)
  1.23k steps/s  5.6M nodes/s  1 failures/s  memory 1.5 KiB of 1.0 GiB  program…
  step session1/0.17, 3s, at "add" (AddV2) at loop[12] for 2s, 40 iterations/s
    "take" (QueueDequeueV2) runs or waits, 2s
    "evil\x1b[31m" (Neg) waits for take:0, 1m1s
    and more
  FIFOQueue jobs: [########..] 3 of 4
  1 variable, 4.0 KiB
  10:20:29 INVALID_ARGUMENT: no
`
	if got := topText(topState(), 80, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	colour := topText(topState(), 30, true)
	if !strings.Contains(colour, "\x1b[36m  step session1/0.17") || strings.Contains(colour, "\x1b[31m\" (Neg)") {
		t.Errorf("coloured:\n%q", colour)
	}
	for line := range strings.Lines(topText(topState(), 30, false)) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 30 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestTopAddress(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:8501":           "http://localhost:8501/live/events",
		"https://host/service/now": "https://host/service/now/events",
		"http://host/":             "http://host/live/events",
	} {
		if got, err := liveURL(address); err != nil || got != want {
			t.Errorf("%s is %s, %v", address, got, err)
		}
	}
	for _, address := range []string{"ftp://host", "http://", "::"} {
		if got, err := liveURL(address); err == nil {
			t.Errorf("%s is %s", address, got)
		}
	}
}
