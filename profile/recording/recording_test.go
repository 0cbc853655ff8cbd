package recording_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/tensor"
)

type program []profile.Node

func (p program) NumNodes() int            { return len(p) }
func (p program) Describe() []profile.Node { return p }

// An engine records what its nodes do.
func Example() {
	r := recording.New()
	ctx := recording.With(context.Background(), r)

	step := recording.From(ctx, "an engine").Begin(&program{{Name: "x"}, {Name: "take"}})
	x := step.Act(0, 0, false, recording.All, nil)
	loop := step.Tag(recording.Tag{Frame: "loop", Index: 2})
	take := step.Act(1, loop, false, recording.All, []tensor.Value{tensor.Scalar(int32(3))})
	step.Starts(take) // its kernel waits
	step.Act(0, loop, true, recording.None, nil)
	step.Ends(take)
	step.End(nil)

	runs, _ := r.Runs()
	for _, e := range runs[0].Events {
		fmt.Println("node", e.Node, "from moment", e.At, "to", e.Done, "dead:", e.Dead)
	}
	fmt.Println(runs[0].Texts[runs[0].Events[take].In[0]], "in", runs[0].Tags[loop].Frame, runs[0].Tags[loop].Index, "after", x)
	// Output:
	// node 0 from moment 0 to 0 dead: false
	// node 1 from moment 1 to 3 dead: false
	// node 0 from moment 2 to 2 dead: true
	// int32 3 in loop 2 after 0
}

func TestBounds(t *testing.T) {
	if recording.From(t.Context(), "") != nil {
		t.Error("a context without a recording has a place")
	}
	r := recording.New()
	r.Most = 2
	p := &program{{Name: "x"}}
	for range 20 {
		step := r.Begin("e").Begin(p)
		for range 3 {
			e := step.Act(0, 0, false, recording.All, nil)
			step.Starts(e)
			step.Ran(e, 1, 1, 0, []tensor.Value{{}, tensor.Scalar(true)})
			step.Ends(e)
		}
		called := step.Called(1).Begin(p)
		called.Fail(0)
		called.End(errors.New("no"))
		step.End(nil)
	}
	runs, dropped := r.Runs()
	if len(runs) != 16 || dropped != 4 {
		t.Fatalf("%d runs are kept, %d are not", len(runs), dropped)
	}
	run := runs[0]
	if len(run.Events) != 2 || run.Left != 1 || run.Moments != 4 {
		t.Errorf("%d events, %d left, %d moments", len(run.Events), run.Left, run.Moments)
	}
	if e := run.Events[1]; e.Port != 1 || e.At != 2 || e.Done != 3 || e.End <= e.Begin {
		t.Errorf("%+v", e)
	}
	if s := run.Steps[1]; s.Caller != 1 || s.Error != "no" || s.Failed != 0 || run.Steps[0].Caller != -1 {
		t.Errorf("%+v", s)
	}
}
