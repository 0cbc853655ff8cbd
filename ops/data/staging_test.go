package data_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestStaging(t *testing.T) { kerneltest.Script(t, "testdata/staging") }

func TestUnbatch(t *testing.T) { kerneltest.Script(t, "testdata/unbatch") }

// start starts an operation on the area of that name in a context of its own.
func start(t *testing.T, r *kerneltest.Runner, op string, attrs registry.Attrs, in ...tensor.Value) (out []tensor.Value, done chan error, cancel func()) {
	t.Helper()
	shared := registry.NamedAttr{Name: "shared_name", Value: registry.StringAttr("area")}
	types := registry.NamedAttr{Name: "dtypes", Value: registry.ListAttr(registry.KindType, registry.TypeAttr(tensor.Int64))}
	inputs := make([]tensor.DType, len(in))
	for i, v := range in {
		inputs[i] = v.DType()
	}
	k, outputs, err := kerneltest.New(op, op, append(attrs, shared, types), inputs...)
	if err != nil {
		t.Fatal(err)
	}
	ctx := r.Context()
	c, cancel := context.WithCancel(context.Background())
	ctx.Step.Context = c
	out, done = make([]tensor.Value, len(outputs)), make(chan error, 1)
	k.(kernel.Async).Start(ctx, in, out, func(err error) { done <- err })
	return out, done, cancel
}

// Who takes from an empty area waits for an element, who adds to a full one for
// room; both give up with their context.
func TestStagingWaits(t *testing.T) {
	var r kerneltest.Runner
	one := registry.Attrs{{Name: "capacity", Value: registry.IntAttr(1)}}
	out, taken, stop := start(t, &r, "Unstage", one)
	defer stop()
	_, gone, giveUp := start(t, &r, "StagePeek", one, tensor.Scalar(int32(3)))
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("peeked: %v", err)
	}
	for i := range int64(2) { // the first goes to who waits, the second stays
		_, added, stop := start(t, &r, "Stage", one, tensor.Scalar(7+i))
		defer stop()
		if err := <-added; err != nil {
			t.Fatal(err)
		}
	}
	if err := <-taken; err != nil || tensor.At0[int64](&out[0]) != 7 {
		t.Errorf("took %v, %v", out[0], err)
	}
	_, added, stop3 := start(t, &r, "Stage", one, tensor.Scalar(int64(9)))
	defer stop3()
	select {
	case err := <-added:
		t.Fatalf("added to a full area: %v", err)
	default:
	}
	if _, cleared, stop := start(t, &r, "StageClear", one); true {
		defer stop()
		if err := <-cleared; err != nil {
			t.Fatal(err)
		}
	}
	if err := <-added; err != nil {
		t.Errorf("after the area was cleared: %v", err)
	}
	limit := registry.Attrs{{Name: "memory_limit", Value: registry.IntAttr(4)}}
	r = kerneltest.Runner{}
	_, refused, stop4 := start(t, &r, "Stage", limit, tensor.Scalar(int64(9)))
	defer stop4()
	if err := <-refused; status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("more than the area may hold: %v", err)
	}
}

// Who asks for a part waits until another caller brings the batch.
func TestUnbatchWaits(t *testing.T) {
	var r kerneltest.Runner
	limit := registry.Attrs{{Name: "timeout_micros", Value: registry.IntAttr(60e6)}, {Name: "T", Value: registry.TypeAttr(tensor.Int64)}}
	vector := func(shape []int64, x ...int64) tensor.Value {
		v, err := tensor.FromSlice(x, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(v)
	}
	none := []tensor.Value{vector([]int64{0}), vector([]int64{0, 3}), tensor.Scalar(int64(2))}
	out, got, stop := start(t, &r, "Unbatch", limit, none...)
	defer stop()
	_, twice, stop2 := start(t, &r, "Unbatch", limit, none...)
	defer stop2()
	if err := <-twice; status.CodeOf(err) != status.AlreadyExists {
		t.Errorf("the same id twice: %v", err)
	}
	_, gone, giveUp := start(t, &r, "Unbatch", limit, none[0], none[1], tensor.Scalar(int64(3)))
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	first, brought, stop3 := start(t, &r, "Unbatch", limit, vector([]int64{3}, 7, 8, 9), vector([]int64{2, 3}, 1, 0, 1, 2, 1, 3), tensor.Scalar(int64(1)))
	defer stop3()
	if err := <-brought; err != nil || tensor.At0[int64](&first[0]) != 7 {
		t.Errorf("the one who brought the batch got %v, %v", first[0], err)
	}
	if err := <-got; err != nil || out[0].Dim(0) != 2 || tensor.Of[int64](&out[0])[1] != 9 {
		t.Errorf("the one who waited got %v, %v", out[0], err)
	}
}
