package session_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/session"
)

func TestCloseWaitsForRuns(t *testing.T) {
	b := build(t)
	exit := b.endless("loop")
	s := b.open(nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := s.RunContext(ctx, nil, []session.Output{exit}, nil)
		ended <- err
	}()
	for len(s.Inspect(t.Context(), 1)) == 0 {
		runtime.Gosched()
	}
	closed := make(chan error, 2)
	for range cap(closed) {
		go func() { closed <- s.Close() }()
	}
	done, end := context.WithCancel(t.Context())
	end()
	for { // until Close has begun, a run fails because its context has ended
		_, err := s.RunContext(done, nil, []session.Output{exit}, nil)
		if session.CodeOf(err) == session.FailedPrecondition {
			break
		}
		if session.CodeOf(err) != session.Canceled {
			t.Fatalf("a run while the session closes: %v", err)
		}
		runtime.Gosched()
	}
	select {
	case <-closed:
		t.Error("closed while a step runs")
	default:
	}
	cancel()
	if err := <-ended; session.CodeOf(err) != session.Canceled {
		t.Error(err)
	}
	for range cap(closed) {
		if err := <-closed; err != nil {
			t.Error(err)
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
