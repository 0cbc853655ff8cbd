package messages

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/profile/sequence"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// record runs a program and answers what was recorded of it.
func recorded(t *testing.T, e *Engine, p *nodes.Program, r *sequence.Recording) *sequence.Step {
	t.Helper()
	step := &kernel.Step{Context: sequence.Record(context.Background(), r), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
	err := e.Run(step, p, nil, make([]tensor.Value, len(p.Fetches())))
	s, _ := r.Step()
	if s == nil {
		t.Fatalf("nothing was recorded: %v", err)
	}
	if got := fmt.Sprint(err); err != nil && s.Error != got {
		t.Errorf("the recording's error is %q, the step's %q", s.Error, got)
	}
	return s
}

// text returns a recording as one can read it.
func text(s *sequence.Step) string {
	var b strings.Builder
	name := func(actor int32) string {
		a := s.Actors[actor]
		if a.Role == sequence.AFrame {
			return "frame " + a.Name
		}
		return a.Name
	}
	for i, t := range s.Turns {
		fmt.Fprintf(&b, "%d %s: %s\n", i, name(t.Actor), t.Did)
		for k, m := range s.Messages {
			if int(m.Received) == i {
				fmt.Fprintf(&b, "    took #%d\n", k+1)
			}
			if int(m.Sent) != i {
				continue
			}
			fmt.Fprintf(&b, "    #%d %s to %s", k+1, m.Verb, name(m.To))
			if m.Verb == "Arrive" {
				fmt.Fprintf(&b, ":%d", m.Slot)
			}
			if in := s.Iterations[m.Iteration]; in != "" {
				fmt.Fprintf(&b, " in %s", in)
			}
			if m.Dead {
				b.WriteString(" dead")
			}
			fmt.Fprintf(&b, " %s (%s)\n", m.Text, m.Credit)
		}
	}
	return b.String()
}

// The recording of a loop of two iterations, taken in an order of its own, says what
// testdata/sequence.txt says; -rewrite writes that again.
func TestRecord(t *testing.T) {
	p := compiled(t, strings.Replace(loop, "values: 10", "values: 2", 1), "exit")
	var s *sequence.Step
	datadriven.RunTest(t, "testdata/sequence.txt", func(t *testing.T, d *datadriven.TestData) string {
		var seed uint64
		d.ScanArgs(t, "seed", &seed)
		e := Seeded(seed, actors.Config{})
		defer e.Close()
		s = recorded(t, e, p, &sequence.Recording{})
		return text(s)
	})
	// What a loop does, counted by its definition: of three iterations each has as many
	// tokens as there are edges within it, those of constant Enters included.
	acts := map[string]int{}
	for _, turn := range s.Turns {
		if a := s.Actors[turn.Actor]; a.Role == sequence.ANode && (turn.Did == "acted" || turn.Did == "dead") {
			acts[a.Name+" "+turn.Did]++
		}
	}
	for what, want := range map[string]int{"merge acted": 3, "switch acted": 3, "less acted": 3, "called acted": 2, "called dead": 1, "exit acted": 1, "exit dead": 2, "enter acted": 1} {
		if acts[what] != want {
			t.Errorf("%s %d times, want %d", what, acts[what], want)
		}
	}
	for k, m := range s.Messages {
		if m.Received <= m.Sent {
			t.Errorf("message %d is sent in turn %d and taken in turn %d", k+1, m.Sent, m.Received)
		}
	}
}

// A recording keeps as many messages as it is told, and says how many others there were; it
// keeps why a step failed; recording changes no answer.
func TestRecordBounds(t *testing.T) {
	p := compiled(t, loop, "exit")
	e := New(actors.Config{})
	defer e.Close()
	whole := recorded(t, e, p, &sequence.Recording{})
	if whole.Left != 0 || len(whole.Messages) < 100 {
		t.Fatalf("%d messages, and %d more", len(whole.Messages), whole.Left)
	}
	part := recorded(t, e, p, &sequence.Recording{Most: 50})
	if len(part.Messages) != 50 || len(part.Messages)+part.Left != len(whole.Messages) || !reflect.DeepEqual(part.Turns, whole.Turns[:len(part.Turns)]) {
		t.Errorf("of %d messages %d were kept, and %d more", len(whole.Messages), len(part.Messages), part.Left)
	}
	if len(part.Turns) >= len(whole.Turns) {
		t.Errorf("%d turns of %d", len(part.Turns), len(whole.Turns))
	}
	calling(t, func() error { return fmt.Errorf("no more") })
	failed := recorded(t, e, p, &sequence.Recording{})
	if last := failed.Turns[len(failed.Turns)-1].Did; last != "failed: no more" {
		t.Errorf("the last turn %q", last)
	}
	hook.Store(nil)
	// Steps within the step, and those of other engines, are not recorded.
	r := &sequence.Recording{}
	ctx := sequence.Record(t.Context(), r)
	s := sequence.Begin(ctx, "messages", p)
	if sequence.Begin(ctx, "messages", p) != nil {
		t.Error("a step within the step is recorded")
	}
	if during, _ := r.Step(); during != nil {
		t.Error("a step that goes on is shown")
	}
	s.End(nil)
	if done, others := r.Step(); done != s || others != 1 {
		t.Errorf("%v with %d others", done, others)
	}
}
