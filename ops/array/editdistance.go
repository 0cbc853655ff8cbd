package array

import (
	"cmp"
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func newEditDistance(c *kernel.Construction) (kernel.Kernel, error) {
	normalize := c.Bool("normalize")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		for i, name := range []string{"hypothesis", "truth"} {
			if err := checkSequences(in[3*i:3*i+3], name); err != nil {
				return err
			}
		}
		h, t := kernel.AppendInts(nil, &in[2]), kernel.AppendInts(nil, &in[5])
		if len(t) < 2 {
			return status.Invalid("Input SparseTensors must have rank at least 2, but truth_shape rank is: %d", len(t))
		}
		if len(h) != len(t) {
			return status.Invalid("Expected hypothesis and truth to have matching ranks, but saw: %d vs. %d", len(h), len(t))
		}
		dims := make([]int64, len(t)-1)
		for i := range dims {
			dims[i] = max(h[i], t[i])
		}
		v, err := ctx.AllocZeroed(tensor.Float, dims)
		if err != nil {
			return err
		}
		out[0] = v
		defer ctx.UnreserveTo(ctx.Reserved())
		numbers, err := numbered(ctx, &in[1], &in[4])
		if err != nil {
			return err
		}
		hypotheses, err := sequences(ctx, &in[0], dims, v.NumElements(), numbers[0])
		if err != nil {
			return err
		}
		truths, err := sequences(ctx, &in[3], dims, v.NumElements(), numbers[1])
		if err != nil {
			return err
		}
		o := tensor.Of[float32](&out[0])
		var row []int
		for len(hypotheses) > 0 || len(truths) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := int64(math.MaxInt64)
			for _, all := range [...][]placed{hypotheses, truths} {
				if len(all) > 0 {
					at = min(at, all[0].at)
				}
			}
			var hypothesis, truth []placed
			hypothesis, hypotheses = cutAt(hypotheses, at)
			truth, truths = cutAt(truths, at)
			if len(truth) == 0 {
				if o[at] = float32(len(hypothesis)); normalize {
					o[at] = float32(math.Inf(1))
				}
				continue
			}
			if row, err = kernel.Grow(ctx, row[:0], len(truth)+1); err != nil {
				return err
			}
			d, err := levenshtein(ctx, hypothesis, truth, row[:len(truth)+1])
			if err != nil {
				return err
			}
			if o[at] = float32(d); normalize {
				o[at] /= float32(len(truth))
			}
		}
		return nil
	}), nil
}

// checkSequences checks the parts of a sparse tensor.
func checkSequences(in []tensor.Value, name string) error {
	i, v, s := in[0].Dims(), in[1].Dims(), in[2].Dims()
	switch {
	case len(i) != 2:
		return status.Invalid("%s_indices should be a matrix, but got shape: %s", name, tensor.FormatDims(i))
	case len(v) != 1:
		return status.Invalid("%s_values should be a vector, but got shape: %s", name, tensor.FormatDims(v))
	case len(s) != 1:
		return status.Invalid("%s_shape should be a vector, but got shape: %s", name, tensor.FormatDims(s))
	case s[0] > 254:
		return status.Invalid("%s_shape has %d dimensions, more than 254", name, s[0])
	case v[0] != i[0]:
		return status.Invalid("Expected %s_values.NumElements == #rows(%[1]s_indices), their shapes are: %[2]s and %[3]s", name, tensor.FormatDims(v), tensor.FormatDims(i))
	case s[0] != i[1]:
		return status.Invalid("Expected %s_shape.NumElements == #cols(%[1]s_indices), their shapes are: %[2]s and %[3]s", name, tensor.FormatDims(s), tensor.FormatDims(i))
	}
	return nil
}

// A placed value belongs to the sequence of the result's element at.
type placed struct{ at, value int64 }

// sequences are values by their sequences, of which there are n, each in its order.
func sequences(ctx *kernel.Context, indices *tensor.Value, dims []int64, n int, values []int64) ([]placed, error) {
	x, rank := tensor.Of[int64](indices), len(dims)+1
	all, err := kernel.Scratch[placed](ctx, len(values))
	if err != nil {
		return nil, err
	}
	sorted := true
	for lo, hi := range ctx.Ranges(len(values), 1<<13) {
		for i := lo; i < hi; i++ {
			at := int64(0)
			for d, k := range x[i*rank : i*rank+len(dims)] {
				if k < 0 || k >= dims[d] {
					return nil, status.Errorf(status.Internal, "Got an inner product %d which would require writing to outside of the buffer for the output tensor (max elements %d)", k, n)
				}
				at = at*dims[d] + k
			}
			all[i] = placed{at, values[i]}
			sorted = sorted && (i == 0 || at >= all[i-1].at)
		}
	}
	if !sorted {
		err = kernel.SortStable(ctx, all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	}
	return all, err
}

// cutAt cuts off the sequence at a place, if it is the first.
func cutAt(all []placed, at int64) (sequence, rest []placed) {
	n := 0
	for n < len(all) && all[n].at == at {
		n++
	}
	return all[:n], all[n:]
}

// levenshtein returns the number of insertions, deletions and replacements that turn x into
// y. It works in a row of one element more than y has.
func levenshtein(ctx *kernel.Context, x, y []placed, row []int) (int, error) {
	for j := range row { // distances from the first elements of x to those of y
		row[j] = j
	}
	for i, a := range x {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		diagonal := row[0]
		row[0] = i + 1
		for j, b := range y {
			change := diagonal
			if a.value != b.value {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(y)], nil
}
