package session_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/session"
)

// Close ends steps that compute, that wait, and that wait for their turn, on all engines,
// whatever their contexts.
func TestCloseEndsRuns(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "messages", "messages:7", "sequential", "seeded:7"} {
		for _, c := range []struct {
			name string
			run  func(b builder) session.Output
			most int
		}{
			{name: "loop", run: func(b builder) session.Output { return b.endless("loop") }},
			{name: "queue", run: func(b builder) session.Output { return b.starved() }},
			{name: "turn", run: func(b builder) session.Output { return b.endless("loop") }, most: 1},
		} {
			t.Run(engine+"/"+c.name, func(t *testing.T) {
				b := build(t)
				fetch := c.run(b)
				s := b.open(&session.SessionOptions{Engine: engine, MaxConcurrentSteps: c.most})
				ended := make(chan error, 8)
				for i := range cap(ended) {
					ctx := context.Background()
					if i%2 == 0 {
						ctx = t.Context()
					}
					go func() {
						_, err := s.RunContext(ctx, nil, []session.Output{fetch}, nil)
						ended <- err
					}()
				}
				for engine == "actors" && len(s.Inspect(t.Context(), 1)) == 0 { // at least one has begun
					runtime.Gosched()
				}
				var closing sync.WaitGroup
				for range 2 {
					closing.Go(func() {
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					})
				}
				for range cap(ended) {
					err := <-ended
					code := session.CodeOf(err)
					if code != session.Canceled && code != session.FailedPrecondition { // it had not begun
						t.Error(err)
					}
				}
				closing.Wait()
				if _, err := s.Run(nil, []session.Output{fetch}, nil); session.CodeOf(err) != session.FailedPrecondition {
					t.Errorf("a run after the session has closed: %v", err)
				}
			})
		}
	}
}

func TestAClosedSessionSaysSo(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	s := b.open(nil)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s.Close()
	fetches := []session.Output{y}
	for name, f := range map[string]func() error{
		"Run":           func() error { _, err := s.Run(nil, fetches, nil); return err },
		"Call":          func() error { _, err := call.Call(t.Context(), tensorOf(t, float32(1))); return err },
		"CallValues":    func() error { return call.CallValues(t.Context(), make([]session.Value, 1), make([]session.Value, 1)) },
		"MakeCallable":  func() error { _, err := s.MakeCallable(nil, fetches, nil); return err },
		"NewPartialRun": func() error { _, err := s.NewPartialRun(nil, fetches, nil); return err },
		"ListDevices":   func() error { _, err := s.ListDevices(); return err },
	} {
		if err := f(); err == nil || err.(*session.Error).Message != "session is closed" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRunsRaceClose(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Neg", "y", nil, x).Output(0)
	s := b.open(nil)
	feeds := map[session.Output]*session.Tensor{x: tensorOf(t, float32(2))}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			out, err := s.Run(feeds, []session.Output{y}, nil)
			switch {
			case err == nil && out[0].Value() != float32(-2):
				t.Errorf("got %v", out[0])
			case err != nil && err.(*session.Error).Message != "session is closed":
				t.Error(err)
			}
		})
		if i%50 == 30 {
			wg.Go(func() { s.Close() })
		}
	}
	wg.Wait()
}
