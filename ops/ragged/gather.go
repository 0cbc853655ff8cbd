package ragged

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	types := append(elementwise.Numbers[:len(elementwise.Numbers):len(elementwise.Numbers)],
		tensor.Bool, tensor.String, tensor.Qint8, tensor.Quint8, tensor.Qint16, tensor.Quint16, tensor.Qint32)
	kernel.Register(kernel.Registration{Op: "RaggedGather", Types: map[string][]tensor.DType{"Tvalues": types}, New: newGather})
}

// newGather makes the kernel of RaggedGather.
func newGather(c *kernel.Construction) (kernel.Kernel, error) {
	levels, ranks, dt := int(c.Int("PARAMS_RAGGED_RANK")), int(c.Int("OUTPUT_RAGGED_RANK")), c.Type("Tsplits")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		values, indices := &in[levels], &in[levels+1]
		if values.Rank() == 0 {
			return status.Invalid("params.rank must be nonzero")
		}
		if want := levels + indices.Rank() - 1; want != ranks {
			return status.Invalid("OUTPUT_RAGGED_RANK must be %d for indices of shape %s, got %d", want, tensor.FormatDims(indices.Dims()), ranks)
		}
		defer ctx.UnreserveTo(ctx.Reserved())
		work := 24 * indices.NumElements() // the numbers, and runs of them
		for i := range in[:levels] {
			work += 8 * in[i].NumElements()
		}
		if err := ctx.Reserve(work); err != nil {
			return err
		}
		splits := make([][]int64, levels)
		for i := range splits {
			if in[i].Rank() != 1 {
				return status.Invalid("Ragged splits must be a vector, got shape %s", tensor.FormatDims(in[i].Dims()))
			}
			splits[i] = kernel.AppendInts(make([]int64, 0, in[i].NumElements()), &in[i])
		}
		if err := checkParams(splits, values.Dim(0)); err != nil {
			return err
		}
		at := kernel.AppendInts(make([]int64, 0, indices.NumElements()), indices)
		for i, x := range at {
			if x < 0 || x >= int64(len(splits[0]))-1 {
				return status.Invalid("indices[%d] = %d is not in [0, %d)", i, x, len(splits[0])-1)
			}
		}
		return gather(ctx, splits, at, indices.Dims(), values, out, dt)
	}), nil
}

// checkParams fails for splits that fall, or point past what they split.
func checkParams(splits [][]int64, values int) error {
	for i, s := range splits {
		next := int64(values)
		if i+1 < len(splits) {
			next = int64(len(splits[i+1])) - 1
		}
		if len(s) > 0 && s[len(s)-1] > next {
			return status.Invalid("Ragged splits must not point past values")
		}
		for j, x := range s {
			if j > 0 && x < s[j-1] {
				return status.Invalid("Ragged splits must be sorted")
			}
			if x < 0 || x > next {
				return status.Invalid("Ragged splits must not point past values")
			}
		}
	}
	return nil
}

// gather puts out the rows at, whose numbers have a shape.
func gather(ctx *kernel.Context, splits [][]int64, at, shape []int64, values *tensor.Value, out []tensor.Value, dt tensor.DType) error {
	made := 0
	put := func(n int64, split func(i int) int64) (err error) {
		if out[made], err = ctx.Alloc(dt, []int64{n}); err != nil {
			return err
		}
		for lo, hi := range ctx.Ranges(int(n), 1<<14) {
			for i := lo; i < hi; i++ {
				if dt == tensor.Int32 {
					tensor.Of[int32](&out[made])[i] = int32(split(i))
				} else {
					tensor.Of[int64](&out[made])[i] = split(i)
				}
			}
		}
		made++
		return nil
	}
	// The rows of dimensions of indices but the last are of one length.
	rows := int64(1)
	for d := 0; d+1 < len(shape); d++ {
		rows *= shape[d]
		if err := put(rows+1, func(i int) int64 { return int64(i) * shape[d+1] }); err != nil {
			return err
		}
	}
	// Runs of rows of the current level; each goes on in the next one.
	type run struct{ from, to int64 }
	runs := make([]run, len(at))
	for lo, hi := range ctx.Ranges(len(at), 1<<15) {
		for i := lo; i < hi; i++ {
			runs[i] = run{at[i], at[i] + 1}
		}
	}
	for level, s := range splits {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The first level's rows are what is gathered: a scalar has no row of its own.
		if level > 0 || len(shape) > 0 {
			n := int64(1)
			for _, r := range runs {
				n += r.to - r.from
			}
			at, row, total := 0, int64(0), int64(0)
			err := put(n, func(i int) int64 {
				if i == 0 {
					return 0
				}
				for runs[at].from+row == runs[at].to {
					at, row = at+1, 0
				}
				row++
				total += s[runs[at].from+row] - s[runs[at].from+row-1]
				return total
			})
			if err != nil {
				return err
			}
		}
		for lo, hi := range ctx.Ranges(len(runs), 1<<14) {
			for i := lo; i < hi; i++ {
				r := &runs[i]
				if r.from == r.to { // an empty run stays empty
					*r = run{}
					continue
				}
				*r = run{s[r.from], s[r.to]}
			}
		}
	}
	dims, n := append([]int64(nil), values.Dims()...), 1
	for _, d := range dims[1:] {
		n *= int(d)
	}
	dims[0] = 0
	for _, r := range runs {
		dims[0] += r.to - r.from
	}
	var err error
	if out[made], err = ctx.Alloc(values.DType(), dims); err != nil {
		return err
	}
	to := 0
	for _, r := range runs {
		if err := ctx.Err(); err != nil {
			return err
		}
		size := int(r.to-r.from) * n
		strided.Move(&out[made], to, values, int(r.from)*n, size)
		to += size
	}
	return nil
}
