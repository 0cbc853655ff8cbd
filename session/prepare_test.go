package session_test

import (
	"context"
	"os"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// TestPreparingEndsWithItsContext: what prepares runs gives up when its context ends.
func TestPreparingEndsWithItsContext(t *testing.T) {
	g := graph.New()
	if err := notation.Add(g, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x) {T=DT_FLOAT}\n"); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	feeds, fetches := []graph.Output{g.Operation("x").Output(0)}, []graph.Output{g.Operation("y").Output(0)}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.MakeCallableContext(ended, feeds, fetches, nil); status.CodeOf(err) != status.Canceled {
		t.Errorf("a callable: %v", err)
	}
	if _, err := s.NewPartialRunContext(ended, feeds, fetches, nil); status.CodeOf(err) != status.Canceled {
		t.Errorf("a partial run: %v", err)
	}
	if _, err := s.MakeCallable(feeds, fetches, nil); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	run, err := s.NewPartialRunContext(ctx, feeds, fetches, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	// What the run waits for never comes: only the context ends it.
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
}

// TestPlanWithoutUnits: engines that play no units have none made, and say so.
func TestPlanWithoutUnits(t *testing.T) {
	g := graph.New()
	def, err := os.ReadFile("../benchmarks/graphs/while_nested.pb")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	for engine, units := range map[string]int{"actors": 2, "tokens": 0, "messages": 0, "sequential": 0} {
		s, err := session.NewSession(g, &session.SessionOptions{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.MakeCallable([]graph.Output{g.Operation("limit").Output(0)}, []graph.Output{g.Operation("while/Exit_1").Output(0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Plan(t.Context())
		if err != nil || len(p.Loops) != 2 || p.Units() != units || (p.Reason == "") != (units > 0) || (p.Loops[1].Reason == "") != (units > 0) {
			t.Errorf("%s: %+v", engine, p)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel() // with nothing to choose, nothing is compiled
		if placed, err := c.Placement(ended); placed != "" || err != nil {
			t.Errorf("%s: %q, %v", engine, placed, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
