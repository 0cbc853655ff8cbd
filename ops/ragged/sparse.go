package ragged

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(toSparse), nil }, "RaggedTensorToSparse")
}

// nested reads the splits of all ragged dimensions, which must fit each other
// and the number of values.
func nested(in []tensor.Value, values int) ([][]int64, error) {
	splits := make([][]int64, len(in))
	for i := range in {
		if in[i].Rank() != 1 {
			return nil, status.Invalid("ragged splits must be a vector, got shape %s", tensor.FormatDims(in[i].Dims()))
		}
		if in[i].NumElements() == 0 {
			return nil, status.Invalid("ragged splits may not be empty.")
		}
		splits[i] = kernel.AppendInts(make([]int64, 0, in[i].NumElements()), &in[i])
	}
	for i, s := range splits {
		if s[0] != 0 {
			return nil, status.Invalid("First value of ragged splits must be 0.")
		}
		for j, x := range s[1:] {
			if x < s[j] {
				return nil, status.Invalid("Ragged splits should be non decreasing, but we got %d followed by %d", s[j], x)
			}
		}
		next := values
		if i+1 < len(splits) {
			next = len(splits[i+1]) - 1
		}
		if s[len(s)-1] != int64(next) {
			return nil, status.Invalid("Final value of ragged splits must match the length the corresponding ragged values.")
		}
	}
	return splits, nil
}

// toSparse returns the kernel of RaggedTensorToSparse.
func toSparse(ctx *kernel.Context, in, out []tensor.Value) error {
	levels := len(in) - 1
	values := &in[levels]
	if values.Rank() < 1 {
		return status.Invalid("Ragged values must not be scalar, got shape %s", tensor.FormatDims(values.Dims()))
	}
	splits, err := nested(in[:levels], values.Dim(0))
	if err != nil {
		return err
	}
	inner := values.Dims()[1:]
	n, rank := values.NumElements(), levels+values.Rank()
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	if out[2], err = ctx.Alloc(tensor.Int64, []int64{int64(rank)}); err != nil {
		return err
	}
	if out[1], err = ctx.Reshaped(in, levels, []int64{int64(n)}); err != nil {
		return err
	}
	dims := tensor.Of[int64](&out[2])
	dims[0] = int64(len(splits[0])) - 1
	for i, s := range splits {
		dims[i+1] = longest(s, "ROW_SPLITS")
	}
	copy(dims[levels+1:], inner)
	if n == 0 {
		return nil
	}
	o, each := tensor.Of[int64](&out[0]), n/int(splits[levels-1][len(splits[levels-1])-1])
	// The row of each level that the current value is in.
	row := make([]int, levels)
	for i := range n / each {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		at := int64(i)
		index := o[i*each*rank:][:rank]
		for l := levels - 1; l >= 0; l-- {
			for splits[l][row[l]+1] <= at {
				row[l]++
			}
			index[l+1] = at - splits[l][row[l]]
			at = int64(row[l])
		}
		index[0] = at
		for e := range each {
			to := o[(i*each+e)*rank:][:rank]
			copy(to[:levels+1], index)
			rest := int64(e)
			for d := len(inner) - 1; d >= 0; d-- {
				to[levels+1+d] = rest % inner[d]
				rest /= inner[d]
			}
		}
	}
	return ctx.Err()
}
