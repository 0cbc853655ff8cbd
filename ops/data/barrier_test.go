package data_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func TestBarrier(t *testing.T) { kerneltest.Script(t, "testdata/barrier") }

// Who takes from a barrier waits until enough elements are complete, or its
// context ends.
func TestBarrierWaits(t *testing.T) {
	var r kerneltest.Runner
	floats := registry.NamedAttr{Name: "component_types", Value: registry.ListAttr(registry.KindType, registry.TypeAttr(tensor.Float))}
	scalars := registry.NamedAttr{Name: "shapes", Value: registry.ListAttr(registry.KindShape, registry.ShapeAttr(registry.Shape{}))}
	made, err := r.Run("b", "Barrier", registry.Attrs{floats, scalars})
	if err != nil {
		t.Fatal(err)
	}
	take := func() (out []tensor.Value, done chan error, cancel func()) {
		in := []tensor.Value{tensor.ValueOf(made[0]), tensor.Scalar(int32(1))}
		k, outputs, err := kerneltest.New("take", "BarrierTakeMany", registry.Attrs{floats}, in[0].DType(), tensor.Int32)
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
	_, gone, giveUp := take()
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("took %v", err)
	}
	out, taken, cancel := take()
	defer cancel()
	keys, _ := tensor.FromSlice([]string{"x"}, 1)
	values, _ := tensor.FromSlice([]float32{5}, 1)
	if _, err := r.Run("insert", "BarrierInsertMany", registry.Attrs{{Name: "component_index", Value: registry.IntAttr(0)}}, made[0], keys, values); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil || tensor.Of[float32](&out[2])[0] != 5 {
		t.Errorf("took %v, %v", out, err)
	}
}
