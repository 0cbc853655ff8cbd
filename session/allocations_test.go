//go:build !race

// The race detector makes pools forget, so that nothing can be counted.

package session_test

import (
	"testing"

	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// A call allocates what it returns and nothing else.
func TestCallableAllocations(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Add", "y", nil, x, b.constant("one", float32(1))).Output(0)
	s := b.open(nil)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	in, out := []session.Value{tensor.Scalar[float32](1)}, make([]session.Value, 1)
	scalars := testing.AllocsPerRun(200, func() {
		if err := call.CallValues(ctx, out, in); err != nil {
			t.Fatal(err)
		}
	})
	if scalars > 0 {
		t.Errorf("a call with scalar values allocates %v times", scalars)
	}
	vector, results := tensorOf(t, []float32{1, 2, 3}), make([]*session.Tensor, 1)
	tensors := testing.AllocsPerRun(200, func() {
		if err := call.CallInto(ctx, results, vector); err != nil {
			t.Fatal(err)
		}
	})
	const most = 3 // the elements, the tensor that holds them, the caller's view of it
	if tensors > most {
		t.Errorf("a call that returns a vector allocates %v times", tensors)
	}
}

// TestProfileOff holds that a run that is not profiled allocates what it did before.
func TestProfileOff(t *testing.T) {
	s := op.NewScope()
	y := op.Neg(s, op.Const(s, []float32{1, 2}))
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	sess, err := session.NewSession(g, &session.SessionOptions{Threads: 1, Rewrite: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	call, err := sess.MakeCallable(nil, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]*session.Tensor, 1)
	run := func() {
		if err := call.RunInto(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	before := testing.AllocsPerRun(100, run)
	var meta session.RunMetadata
	if _, err := call.CallWithOptions(t.Context(), session.RunOptions{Metadata: &meta, Profile: true}); err != nil {
		t.Fatal(err)
	}
	if len(meta.Stats.Events) != 1 {
		t.Errorf("events of the profiled run: %v", meta.Stats.Events)
	}
	if after := testing.AllocsPerRun(100, run); after > before {
		t.Errorf("%v allocations a run after one that was profiled, %v before", after, before)
	}
	if _, err := call.CallWithOptions(t.Context(), session.RunOptions{Metadata: &meta}); err != nil || meta.Stats != nil {
		t.Errorf("a run that is not profiled has figures: %v", meta.Stats)
	}
}
