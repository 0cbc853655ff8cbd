package session_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

func TestCallable(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		b := build(t)
		x, y := b.placeholder("x", session.Float), b.placeholder("y", session.Float)
		diff := b.add("Sub", "diff", nil, x, y).Output(0)
		s := b.open(&o)
		// The order of feeds is the caller's.
		call, err := s.MakeCallable([]session.Output{y, x}, []session.Output{diff}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := call.Call(t.Context(), tensorOf(t, float32(1)), tensorOf(t, float32(10)))
		if err != nil || out[0].Value() != float32(9) {
			t.Errorf("%v, %v", out, err)
		}
		fetched := make([]session.Value, 1)
		if err := call.CallValues(t.Context(), fetched, []session.Value{tensor.Scalar[float32](2), tensor.Scalar[float32](5)}); err != nil || tensor.At0[float32](&fetched[0]) != 3 {
			t.Errorf("%v, %v", fetched, err)
		}
		for words, f := range map[string]func() error{
			"2 feeds and 1 fetch,":  func() error { _, err := call.Call(t.Context(), tensorOf(t, float32(1))); return err },
			"not 2 and 0":           func() error { return call.CallInto(t.Context(), nil, out[0], out[0]) },
			"is nil":                func() error { return call.CallInto(t.Context(), out, out[0], nil) },
			"to be float but int32": func() error { return call.CallInto(t.Context(), out, out[0], tensorOf(t, int32(1))) },
		} {
			if err := f(); session.CodeOf(err) != session.InvalidArgument || !strings.Contains(err.Error(), words) {
				t.Errorf("%v, want %q", err, words)
			}
		}
	})
}

func TestCallableFromManyGoroutines(t *testing.T) {
	b := build(t)
	x := b.placeholder("x", session.Int32)
	y := b.add("Mul", "y", nil, x, x).Output(0)
	s := b.open(nil)
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range int32(8) {
		wg.Go(func() {
			in := tensorOf(t, []int32{i, i + 1})
			for range 200 {
				out, err := call.Call(t.Context(), in)
				if err != nil {
					t.Error(err)
					return
				}
				if got := out[0].Value().([]int32); got[0] != i*i || got[1] != (i+1)*(i+1) {
					t.Errorf("squares of %d and %d: %v", i, i+1, got)
					return
				}
			}
		})
	}
	wg.Wait()
}
