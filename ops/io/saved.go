package io

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Checkpoints in the first format.
func init() {
	for op, sliced := range map[string]bool{"Save": false, "SaveSlices": true} {
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return saveFirst{sliced}, nil }, op)
	}
	for op, sliced := range map[string]bool{"Restore": false, "RestoreSlice": true} {
		kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return restoreFirst{c.Type("dt"), sliced}, nil }, op)
	}
}

// A saveFirst is the kernel of Save and SaveSlices.
type saveFirst struct{ sliced bool }

func (k saveFirst) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	name, err := only(in, 0, "filename")
	if err != nil {
		return err
	}
	fixed := 2
	if k.sliced {
		fixed = 3
	}
	names, tensors := &in[1], in[fixed:]
	if n := names.NumElements(); n != len(tensors) {
		return status.Invalid("Expected totally %d inputs as input #1 (which is a string tensor of saved names) contains %d names, but received %d inputs", fixed+n, n, len(in))
	}
	specs := make([]string, len(tensors))
	if k.sliced {
		if n := in[2].NumElements(); n != len(tensors) {
			return status.Invalid("Expected %d elements for the tensor shapes and slices but got %d", len(tensors), n)
		}
		specs = tensor.Of[string](&in[2])
	}
	w, size := bundle.NewSavedWriter(), int64(0)
	for i, name := range tensor.Of[string](names) {
		v := tensors[i]
		shape, s := v.Dims(), bundle.Slice(nil)
		if specs[i] != "" {
			if shape, s, err = bundle.ParseSpec(specs[i]); err != nil {
				return err
			}
		}
		if err := w.Add(name, shape, s, v); err != nil {
			return err
		}
		size += int64(v.SizeBytes())
	}
	// An entry and the file that it goes into are both in memory.
	if b := ctx.Arena.Budget; b != nil {
		if err := b.Charge(2 * size); err != nil {
			return err
		}
		defer b.Release(2 * size)
	}
	return w.Finish(ctx.Step.Files, name, ctx.Err)
}

// only returns the string of an input with one element.
func only(in []tensor.Value, i int, what string) (string, error) {
	if n := in[i].NumElements(); n != 1 {
		return "", status.Invalid("Input %d (%s) must be a string scalar; got a tensor of %d elements", i, what, n)
	}
	return tensor.Of[string](&in[i])[0], nil
}

// A restoreFirst is the kernel of Restore and RestoreSlice.
type restoreFirst struct {
	dt     tensor.DType
	sliced bool
}

func (k restoreFirst) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	pattern, err := only(in, 0, "file_pattern")
	if err != nil {
		return err
	}
	name, err := only(in, 1, "tensor_name")
	if err != nil {
		return err
	}
	spec := ""
	if k.sliced {
		if spec, err = only(in, 2, "shape_and_slice"); err != nil {
			return err
		}
	}
	r, err := bundle.OpenSaved(ctx.Step.Files, ctx, pattern)
	if err != nil {
		return err
	}
	defer r.Close()
	out[0], err = readSaved(r, name, spec, k.dt)
	return err
}

// readSaved reads a tensor, or the slice of it that spec asks for.
func readSaved(r *bundle.SavedReader, name, spec string, dt tensor.DType) (tensor.Value, error) {
	t, err := r.Tensor(name)
	if err != nil {
		return tensor.Value{}, err
	}
	if t.DType != dt {
		return tensor.Value{}, status.Invalid("Expected to restore a tensor of type %v, got a tensor of type %v instead: tensor_name = %s", dt, t.DType, name)
	}
	if spec == "" {
		return r.Read(name, nil)
	}
	shape, s, err := bundle.ParseSpec(spec)
	if err != nil {
		return tensor.Value{}, err
	}
	if got, want := tensor.FormatDims(shape), tensor.FormatDims(t.Shape); got != want {
		return tensor.Value{}, status.Invalid("Shape in shape_and_slice spec does not match the shape in the save file: %s, save file shape: %s", got, want)
	}
	return r.Read(name, s)
}

// restoreAllSaved reads what RestoreV2 asks for where the prefix is that of a
// checkpoint in the first format.
func restoreAllSaved(ctx *kernel.Context, prefix string, names, specs []string, types []tensor.DType, out []tensor.Value) error {
	r, err := bundle.OpenSaved(ctx.Step.Files, ctx, prefix)
	if err != nil {
		return err
	}
	defer r.Close()
	for i, name := range names {
		if out[i], err = readSaved(r, name, specs[i], types[i]); err != nil {
			return err
		}
	}
	return nil
}
