package ragged

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.Register(kernel.Registration{
		Op: "RaggedTensorToVariantGradient", Types: map[string][]tensor.DType{"Tvalues": valueTypes},
		New: func(c *kernel.Construction) (kernel.Kernel, error) {
			dt := c.Type("Tvalues")
			return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return toVariantGradient(ctx, dt, in, out) }), nil
		},
	})
}

// toVariantGradient returns the kernel of RaggedTensorToVariantGradient: the values of
// the variants behind each other, zeros where a variant holds nothing. Only the
// outermost splits count, which say how many values each variant stands for if they
// are the values' own.
func toVariantGradient(ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error {
	encoded, err := tensor.DecodeVariants(in[0])
	if err != nil {
		return err
	}
	dims, err := kernel.Dims(&in[2], "dense_values_shape")
	if err != nil {
		return err
	}
	if encoded.Rank() > 1 {
		return status.Invalid("encoded_ragged_grad must be a scalar or a vector, got shape %s", tensor.FormatDims(encoded.Dims()))
	}
	if in[1].Rank() != 1 {
		return status.Invalid("row_splits must be a vector, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	if out[0], err = ctx.AllocZeroed(dt, dims); err != nil {
		return err
	}
	each := 1
	for _, d := range dims[min(1, len(dims)):] {
		each *= int(d)
	}
	splits := kernel.AppendInts(nil, &in[1])
	to, total := 0, out[0].NumElements()
	for i, o := range tensor.Of[*tensor.Object](&encoded) {
		var r *Ragged
		if o != nil {
			r, _ = o.Value.(*Ragged)
		}
		if r == nil { // nothing flows to it
			if i+1 < len(splits) && splits[i+1] > splits[i] {
				to += int(min(splits[i+1]-splits[i], int64(total))) * each
			}
			continue
		}
		if r.values.DType() != dt {
			return status.Invalid("Invalid variant_values dtype: expected %v, found %v", dt, r.values.DType())
		}
		if encoded.Rank() == 1 && len(dims) > 0 && !slices.Equal(r.values.Dims()[min(1, r.values.Rank()):], dims[1:]) && r.values.NumElements() > 0 && len(splits) > 0 {
			return status.Invalid("element %d of encoded_ragged_grad has values of shape %s, which do not fit into %s", i, tensor.FormatDims(r.values.Dims()), tensor.FormatDims(dims))
		}
		n := r.values.NumElements()
		if n > total-to {
			return status.Invalid("encoded_ragged_grad holds more values than dense_values_shape %s has", tensor.FormatDims(dims))
		}
		strided.Move(&out[0], to, &r.values, 0, n)
		to += n
	}
	if to > total {
		return status.Invalid("row_splits name more values than dense_values_shape %s has", tensor.FormatDims(dims))
	}
	return ctx.Err()
}
