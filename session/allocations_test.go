//go:build !race

// The race detector makes pools forget, so that nothing can be counted.

package session_test

import (
	"reflect"
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

// A caller that hands its results back pays for no memory at all, and may still feed
// them or keep what a failed step leaves.
func TestRunIntoAllocations(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("Add", "y", nil, x, b.constant("one", float32(1))).Output(0)
	size := b.add("Size", "size", nil, x).Output(0)
	s := b.open(nil)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y, size}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, vector, results := t.Context(), tensorOf(t, []float32{1, 2, 3}), make([]*session.Tensor, 2)
	run := func(feed *session.Tensor) {
		if err := call.RunInto(ctx, results, feed); err != nil {
			t.Fatal(err)
		}
	}
	run(vector)
	if got := testing.AllocsPerRun(200, func() { run(vector) }); got > 0 {
		t.Errorf("a call into its own results allocates %v times", got)
	}
	check := func(want []float32, n int32) {
		t.Helper()
		if got := results[0].Value(); !reflect.DeepEqual(got, want) {
			t.Errorf("y is %v, not %v", got, want)
		}
		if got := results[1].Value(); got != n {
			t.Errorf("size is %v, not %v", got, n)
		}
	}
	check([]float32{2, 3, 4}, 3)
	run(results[0]) // what is fed keeps its elements while the step reads them
	check([]float32{3, 4, 5}, 3)
	if err := results[1].Reshape([]int64{1}); err != nil {
		t.Fatal(err)
	}
	run(tensorOf(t, []float32{7, 8})) // another shape, into a scalar that was reshaped
	check([]float32{8, 9}, 2)
	kept := results[0].View()
	run(vector)
	if got := kept.Value(); !reflect.DeepEqual(got, []float32{8, 9}) {
		t.Errorf("a view of an earlier result is %v", got)
	}
	if err := call.RunInto(ctx, results, tensorOf(t, []int32{1})); err == nil {
		t.Fatal("a feed of another type was taken")
	}
	check([]float32{2, 3, 4}, 3) // refused before the step began: nothing was released
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
