package state_test

import (
	"context"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A lock has one holder at a time; those who wait get it in order, or give up
// with their context; and the end of a step releases what it holds.
func TestMutex(t *testing.T) {
	var r kerneltest.Runner
	made, err := r.Run("m", "MutexV2", nil)
	if err != nil {
		t.Fatal(err)
	}
	lock := func() (out []tensor.Value, done chan error, cancel func(), end func()) {
		k, _, err := kerneltest.New("lock", "MutexLock", nil, tensor.Resource)
		if err != nil {
			t.Fatal(err)
		}
		ctx := r.Context()
		c, cancel := context.WithCancel(context.Background())
		ctx.Step.Context = c
		out, done = make([]tensor.Value, 1), make(chan error, 1)
		k.(kernel.Async).Start(ctx, []tensor.Value{tensor.ValueOf(made[0])}, out, func(err error) { done <- err })
		return out, done, cancel, ctx.Step.PerStep.Clear
	}
	release := func(out []tensor.Value) {
		if _, err := r.Run("consume", "ConsumeMutexLock", nil, out[0].Tensor()); err != nil {
			t.Fatal(err)
		}
	}
	first, got, cancel, _ := lock()
	defer cancel()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	second, got2, cancel2, end := lock()
	defer cancel2()
	_, got3, giveUp, _ := lock()
	giveUp()
	if err := <-got3; !errors.Is(err, context.Canceled) {
		t.Errorf("gave up: %v", err)
	}
	select {
	case err := <-got2:
		t.Fatalf("locked twice: %v", err)
	default:
	}
	release(first)
	release(first) // a second time does nothing
	if err := <-got2; err != nil {
		t.Fatal(err)
	}
	_, got4, cancel4, _ := lock()
	defer cancel4()
	end()
	if err := <-got4; err != nil {
		t.Errorf("after the holder's step: %v", err)
	}
	release(second)
	if _, err := r.Run("consume", "ConsumeMutexLock", nil, tensor.Scalar(&tensor.Object{}).Tensor()); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("no lock: %v", err)
	}
}
