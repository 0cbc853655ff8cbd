package main

import (
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/serve/page"
	"github.com/troupe-go/troupe/view/live"
)

func stateOfSessions() *live.State {
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
	if got := topText(stateOfSessions(), 80, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	colour := topText(stateOfSessions(), 30, true)
	if !strings.Contains(colour, "\x1b[36m  step session1/0.17") || strings.Contains(colour, "\x1b[31m\" (Neg)") {
		t.Errorf("coloured:\n%q", colour)
	}
	for line := range strings.Lines(topText(stateOfSessions(), 30, false)) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 30 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestTopAddress(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:8501":           "http://localhost:8501/live/events http://localhost:8501/events",
		"https://host/service/now": "https://host/service/now/events",
		"http://host/":             "http://host/live/events http://host/events",
	} {
		if got, err := liveURLs(address); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %s, %v", address, got, err)
		}
	}
	for _, address := range []string{"ftp://host", "http://", "::"} {
		if got, err := liveURLs(address); err == nil {
			t.Errorf("%s is %s", address, got)
		}
	}
}

// TestTopModels: what a server does with its models.
func TestTopModels(t *testing.T) {
	s := &page.State{
		At: time.Date(2026, 11, 27, 10, 20, 30, 0, time.UTC), Title: "troupe serve", Goroutines: 12, Heap: 3 << 20, More: 1,
		Models: []page.Model{
			{Name: "digits", Requests: 1234, Failed: 2, Refused: 30, P50: 0.00042, P99: 0.0031, Running: 2, Waiting: 5, More: 6,
				Versions: []page.Version{{Number: "3", State: "LOADING"}, {Number: "2", State: "AVAILABLE", Labels: []string{"stable"}}, {Number: "1", State: "END", Error: "NOT_FOUND: evil\x1b[31m"}},
				Present:  []page.Request{{Signature: "serving_default", Version: "2", From: "127.0.0.1:5, REST", Seconds: 0.25, Runs: true}, {Signature: "s", Version: "2", From: "this process"}}},
			{Name: "idle", Versions: []page.Version{{Number: "1", State: "AVAILABLE"}}},
		},
	}
	const want = `troupe serve  10:20:30  not ready, 12 goroutines, heap 3.0 MiB

MODEL   VERSION     REQUESTS/S  FAILED/S  REFUSED/S    P50    P99  RUN  WAIT
digits  2 (stable)       1.23k         2         30  420µs  3.1ms    2     5
  version 3 LOADING
  version 1 END: NOT_FOUND: evil\x1b[31m
  serving_default of version 2 runs, 250ms, 127.0.0.1:5, REST
  s of version 2 waits, 0s, this process
  and 6 more requests
idle    1                    0         0          0      -      -    0     0
and 1 more model
`
	if got := modelsText(s, 80, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if colour := modelsText(s, 80, true); !strings.Contains(colour, "\x1b[31m  version 1 END") || strings.Contains(colour, "evil\x1b") {
		t.Errorf("coloured:\n%q", colour)
	}
}

// TestTopServer: the models of a server are shown, without --live; with it, its sessions.
func TestTopServer(t *testing.T) {
	for _, live := range []string{"--live=false", "--live"} {
		printed, _ := served(t, "../../examples/serve/digits", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--quiet", live)
		at := strings.TrimPrefix(address.FindString(printed[0]), "http://")
		got := command(t, "top", at, "--once", "--every", "100ms")
		if want := map[bool]string{true: "digits/1 (actors)", false: "\ndigits  1 "}[live == "--live"]; !strings.Contains(got, want) {
			t.Errorf("%s: %s", live, got)
		}
		if got := command(t, "top", at+"/nothing", "--once"); !strings.Contains(got, "neither a model server nor anything live") {
			t.Error(got)
		}
	}
}
