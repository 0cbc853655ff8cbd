package io

import (
	"path/filepath"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(save), nil }, "SaveV2")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return mergeCheckpoints{c.Bool("delete_old_dirs"), c.Bool("allow_missing_files")}, nil
	}, "MergeV2Checkpoints")
}

func save(ctx *kernel.Context, in, _ []tensor.Value) error {
	prefix, names, specs, err := savedNames(in)
	if err != nil {
		return err
	}
	tensors := in[3:]
	if len(tensors) != len(names) {
		return status.Invalid("Got %d tensor names but %d tensors.", len(names), len(tensors))
	}
	w, err := bundle.Create(ctx.Step.Files, prefix)
	if err != nil {
		return err
	}
	whole := false
	defer func() {
		if !whole { // also where a tensor that is mapped cannot be read, which is a panic
			w.Discard()
		}
	}()
	for i, name := range names {
		if err = ctx.Err(); err == nil {
			err = saveOne(w, name, specs[i], tensors[i])
		}
		if err != nil {
			return err
		}
	}
	if err := ctx.Step.Maps.Check(); err != nil {
		return err
	}
	whole = true
	return w.Finish()
}

func saveOne(w *bundle.Writer, name, spec string, v tensor.Value) error {
	if spec == "" {
		return w.Add(name, v)
	}
	shape, s, err := bundle.ParseSpec(spec)
	if err != nil {
		return err
	}
	dims, err := s.Dims(shape)
	if err != nil {
		return err
	}
	if !slices.Equal(dims, v.Dims()) {
		return status.Invalid("Slice in shape_and_slice specification does not match the shape of the tensor to  save: %s, tensor: %s", spec, tensor.FormatDims(v.Dims()))
	}
	return w.AddSlice(name, shape, s, v)
}

// A mergeCheckpoints is the kernel of MergeV2Checkpoints.
type mergeCheckpoints struct{ deleteDirs, allowMissing bool }

func (k mergeCheckpoints) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	if in[0].Rank() != 1 {
		return status.Invalid("Input checkpoint_prefixes should be an 1-D tensor, got %s instead.", tensor.FormatDims(in[0].Dims()))
	}
	if !in[1].IsScalar() {
		return status.Invalid("Input destination_prefix should be a scalar tensor, got %s instead.", tensor.FormatDims(in[1].Dims()))
	}
	prefixes, dest := tensor.Of[string](&in[0]), tensor.Of[string](&in[1])[0]
	if err := bundle.Merge(ctx.Step.Files, prefixes, dest, k.allowMissing); err != nil {
		return err
	}
	if k.deleteDirs {
		for _, p := range prefixes {
			if dir := filepath.Dir(p); dir != filepath.Dir(dest) {
				_ = ctx.Step.Files.Remove(dir) // fails, as it should, while anything is in it
			}
		}
	}
	return nil
}
