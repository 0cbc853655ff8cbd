package io

import (
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return restore(c.Types("dtypes")), nil }, "RestoreV2")
}

// A restore is the kernel of RestoreV2, by the types it puts out.
type restore []tensor.DType

func (k restore) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	prefix, names, specs, err := savedNames(in)
	if err != nil {
		return err
	}
	if len(names) != len(k) {
		return status.Invalid("Got %d tensor names, but %d expected dtypes.", len(names), len(k))
	}
	r, err := bundle.Open(ctx.Step.Files, prefix)
	if status.CodeOf(err) == status.NotFound {
		return restoreAllSaved(ctx, prefix, names, specs, k, out)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	r.Maps = ctx.Step.Maps
	entries, err := k.entries(r, names)
	if err != nil {
		return err
	}
	first := map[bundle.Content]int{} // which output has it
	for i, name := range names {
		c, ok := entries[i].Content()
		if ok = ok && specs[i] == "" && r.Maps == nil; ok {
			if j, found := first[c]; found {
				if same, err := r.Holds(ctx, entries[i], out[j]); err == nil && same {
					out[i] = twin(ctx, &out[j])
					continue
				} // reading it tells what is wrong
			}
		}
		if out[i], err = restoreOne(ctx, r, name, specs[i]); err != nil {
			return err
		}
		if ok {
			first[c] = i
		}
	}
	return nil
}

// twin returns another output that has v's memory, which is immutable from now on: Keras
// saves each variable of a model twice. Both are charged as if they had their own, as a
// variable is for what it holds.
func twin(ctx *kernel.Context, v *tensor.Value) tensor.Value {
	if !v.IsView() {
		*v = ctx.ChargeValue(ctx.UnchargeValue(*v))
	}
	return ctx.ChargeValue(*v)
}

// entries finds what is to be restored, and compares types with the saved ones.
func (k restore) entries(r *bundle.Reader, names []string) ([]*bundle.Entry, error) {
	list := make([]*bundle.Entry, len(names))
	var wrong []string
	for i, name := range names {
		e, err := r.Entry(name)
		if err != nil {
			return nil, err
		}
		list[i] = e
		if e.DType != k[i] {
			wrong = append(wrong, "tensor_name = "+name+"; expected dtype "+k[i].String()+" does not equal original dtype "+e.DType.String())
		}
	}
	if wrong != nil {
		return nil, status.Invalid("%s", strings.Join(wrong, "\n"))
	}
	return list, nil
}

// lasting is where restored tensors are read into: variables keep them.
type lasting struct{ *kernel.Context }

func (l lasting) Alloc(dt tensor.DType, dims []int64) (tensor.Value, error) {
	return l.AllocExact(dt, dims)
}

func restoreOne(ctx *kernel.Context, r *bundle.Reader, name, spec string) (tensor.Value, error) {
	if spec == "" {
		return r.Read(lasting{ctx}, name, nil)
	}
	shape, s, err := bundle.ParseSpec(spec)
	if err != nil {
		return tensor.Value{}, err
	}
	e, err := r.Entry(name)
	if err != nil {
		return tensor.Value{}, err
	}
	if got, want := tensor.FormatDims(shape), tensor.FormatDims(e.Shape); got != want {
		return tensor.Value{}, status.Invalid("tensor_name = %s; shape in shape_and_slice spec %s does not match the shape stored in checkpoint: %s", name, got, want)
	}
	return r.Read(lasting{ctx}, name, s)
}

// savedNames returns the first three inputs of what saves and restores: the prefix,
// and for each tensor its name and its slice.
func savedNames(in []tensor.Value) (prefix string, names, specs []string, err error) {
	if n := in[0].NumElements(); n != 1 {
		return "", nil, nil, status.Invalid("Input prefix should have a single element, got %d instead.", n)
	}
	if in[1].Rank() != 1 || in[2].Rank() != 1 {
		return "", nil, nil, status.Invalid("Input tensor_names and shape_and_slices should be an 1-D tensors, got %s and %s instead.",
			tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
	}
	names, specs = tensor.Of[string](&in[1]), tensor.Of[string](&in[2])
	if len(names) != len(specs) {
		return "", nil, nil, status.Invalid("tensor_names and shape_and_slices have different number of elements: %d vs. %d", len(names), len(specs))
	}
	return tensor.Of[string](&in[0])[0], names, specs, nil
}
