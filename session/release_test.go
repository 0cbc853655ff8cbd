package session_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/session"
)

// large is how many elements the tensors here have: enough for the stock.
const large = 1 << 12

func ramp(t testing.TB, from float32) *session.Tensor {
	x := make([]float32, large)
	for i := range x {
		x[i] = from + float32(i)
	}
	return tensorOf(t, x)
}

// wantRamp checks that x[i] is slope·(from + i).
func wantRamp(t *testing.T, what string, x *session.Tensor, slope, from float32) {
	t.Helper()
	data, err := session.Data[float32](x)
	if err != nil || len(data) != large {
		t.Fatalf("%s: %d elements, %v", what, len(data), err)
	}
	for i, v := range data {
		if v != slope*(from+float32(i)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, slope*(from+float32(i)))
		}
	}
}

// Results are moved into the caller's hands and back, and what is held on to in
// between is not written again.
func TestRunInto(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		x := b.placeholder("x", session.Float)
		neg := b.add("Neg", "neg", nil, x).Output(0)
		twice := b.add("Add", "twice", nil, x, x).Output(0)
		s := b.open(&o)
		call, err := s.MakeCallable([]session.Output{x}, []session.Output{neg, twice}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var kept []*session.Tensor
		out := make([]*session.Tensor, 2)
		for i := range 20 {
			if i%3 == 0 {
				kept = append(kept, out[0]) // nil the first time
				out[0] = nil
			}
			if err := call.RunInto(t.Context(), out, ramp(t, float32(i))); err != nil {
				t.Fatal(err)
			}
			wantRamp(t, "neg", out[0], -1, float32(i))
			wantRamp(t, "twice", out[1], 2, float32(i))
		}
		for i, x := range kept[1:] {
			wantRamp(t, "kept", x, -1, float32(3*i+2))
		}
		if err := call.RunInto(t.Context(), out, tensorOf(t, int32(1))); err == nil {
			t.Error("an int32 was taken for a float")
		}
		wantRamp(t, "after a call that did not begin", out[0], -1, 19)
	})
}

// What a variable, a constant, another fetch or another tensor refers to is not
// given back with the tensor that its caller releases.
func TestReleaseLeavesWhatIsHeld(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		x := b.placeholder("x", session.Float)
		handle := b.add("VarHandleOp", "v", map[string]any{"dtype": session.Float, "shape": session.MakeShape(large)}).Output(0)
		assign := b.add("AssignVariableOp", "assign", nil, handle, x)
		read := b.add("ReadVariableOp", "read", map[string]any{"dtype": session.Float}, handle).Output(0)
		neg := b.add("Neg", "neg", nil, x).Output(0)
		sum := b.add("Add", "sum", nil, neg, neg).Output(0)
		s := b.open(&o)
		run := func(in *session.Tensor, fetches ...session.Output) []*session.Tensor {
			t.Helper()
			call, err := s.MakeCallable([]session.Output{x}, fetches, nil)
			if err != nil {
				t.Fatal(err)
			}
			out, err := call.Call(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		// overwrite runs steps that take all the memory they can get.
		overwrite := func() {
			for range 4 {
				run(ramp(t, 1000), neg, sum)[0].Release()
			}
		}
		value := run(ramp(t, 1), neg)[0]
		set, err := s.MakeCallable([]session.Output{x}, nil, []*session.Operation{assign})
		if err != nil {
			t.Fatal(err)
		}
		if err := set.CallInto(t.Context(), nil, value); err != nil {
			t.Fatal(err)
		}
		value.Release()
		overwrite()
		wantRamp(t, "a tensor that was fed", value, -1, 1)
		stored := run(ramp(t, 0), read)[0]
		wantRamp(t, "a variable", stored, -1, 1)
		stored.Release()
		overwrite()
		wantRamp(t, "a variable that was fetched", run(ramp(t, 0), read)[0], -1, 1)

		both := run(ramp(t, 2), neg, neg)
		both[0].Release()
		overwrite()
		wantRamp(t, "fetched twice", both[1], -1, 2)

		seen := run(ramp(t, 3), neg)[0]
		view := seen.View()
		seen.Release()
		overwrite()
		wantRamp(t, "a view", view, -1, 3)

		constant := run(ramp(t, 4), neg)[0]
		c := b.add("Const", "c", map[string]any{"dtype": session.Float, "value": constant}).Output(0)
		constant.Release()
		overwrite()
		wantRamp(t, "a constant", run(ramp(t, 0), c)[0], -1, 4)

		gone := run(ramp(t, 5), neg)[0]
		gone.Release()
		gone.Release()
		if gone.NumElements() != 0 || !slices.Equal(gone.Shape(), []int64{0}) {
			t.Errorf("a released tensor has shape %v", gone.Shape())
		}
		var none *session.Tensor
		none.Release()
	})
}

// A state that is fetched and fed back lies in a variable as well.
func TestRunIntoWhatIsFed(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		scope := op.NewScope()
		x := op.Placeholder(scope, session.Float)
		v := op.VarHandleOp(scope, session.Float, session.MakeShape(large))
		keep := op.AssignVariableOp(scope, v, x)
		next := op.Add(scope, x, op.Const(scope.SubScope("one"), float32(1)))
		read := op.ReadVariableOp(scope.SubScope("read"), v, session.Float)
		g, err := scope.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.NewSession(g, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		call, err := s.MakeCallable([]session.Output{x}, []session.Output{next}, []*session.Operation{keep})
		if err != nil {
			t.Fatal(err)
		}
		last, err := s.MakeCallable(nil, []session.Output{read}, nil)
		if err != nil {
			t.Fatal(err)
		}
		state, out := []*session.Tensor{ramp(t, 0)}, []*session.Tensor{nil}
		for i := range 10 {
			if err := call.RunInto(t.Context(), state, state[0]); err != nil {
				t.Fatal(err)
			}
			wantRamp(t, "state", state[0], 1, float32(i+1))
			if err := last.RunInto(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			wantRamp(t, "variable", out[0], 1, float32(i))
		}
	})
}
