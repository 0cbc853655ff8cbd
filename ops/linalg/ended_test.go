package linalg_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An ending context ends once it has been asked so many times.
type ending struct {
	context.Context
	left *int
}

func (e ending) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a step ends, a decomposition answers so.
func TestStepsEndDuringDecompositions(t *testing.T) {
	data := make([]float32, 7*4*4)
	for i := range data {
		data[i] = float32(i*i%17) - 5
	}
	x, err := tensor.FromSlice(data, 7, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"Eig", "SelfAdjointEigV2", "Svd", "Qr"} {
		var attrs registry.Attrs
		if op == "Eig" {
			attrs = registry.Attrs{{Name: "Tout", Value: registry.TypeAttr(tensor.Complex64)}}
		}
		k, outputs, err := kerneltest.New("n", op, attrs, tensor.Float)
		if err != nil {
			t.Fatal(err)
		}
		for after := 0; ; after++ {
			ctx := new(kerneltest.Runner).Context()
			left := after
			ctx.Step.Context = ending{ctx.Step.Context, &left}
			err := kerneltest.Play(k, ctx, []tensor.Value{tensor.ValueOf(x)}, make([]tensor.Value, len(outputs)))
			if err == nil {
				break
			}
			if status.CodeOf(err) != status.Canceled {
				t.Fatalf("%s, ended after %d: %v", op, after, err)
			}
		}
	}
}
