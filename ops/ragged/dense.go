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
	kernel.Register(kernel.Registration{Op: "RaggedTensorToTensor", Types: map[string][]tensor.DType{"T": types}, New: newToTensor})
}

// block is after how many elements a kernel asks whether the step has ended.
const block = 1 << 12

// A toTensor is the kernel of RaggedTensorToTensor.
type toTensor struct{ partitions []string }

func newToTensor(c *kernel.Construction) (kernel.Kernel, error) {
	types := c.Strs("row_partition_types")
	if len(types) == 0 {
		return nil, c.Errorf("Partition info types should not be empty")
	}
	if n := int(c.Int("num_row_partition_tensors")); n != len(types) {
		return nil, c.Errorf("Number of row partition tensors (%d) does not equal the number of row partition types(%d).", n, len(types))
	}
	for i, t := range types {
		known, ok := partitions[t]
		switch {
		case !ok:
			return nil, c.Errorf("Unknown string for partition info type: %s", t)
		case !known:
			return nil, c.Errorf("Unsupported partition type: %s", t)
		case t == "FIRST_DIM_SIZE" && i > 0:
			return nil, c.Errorf("FIRST_DIM_SIZE must be first")
		case t == "FIRST_DIM_SIZE" && (len(types) < 2 || types[1] != "VALUE_ROWIDS"):
			return nil, c.Errorf("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS")
		case t == "VALUE_ROWIDS" && i == 0:
			return nil, c.Errorf("VALUE_ROWIDS cannot be first")
		}
	}
	return toTensor{types}, nil
}

func (k toTensor) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	values, filler := &in[1], &in[2]
	first, parts, kinds, err := k.rows(in[3:])
	if err != nil {
		return err
	}
	dims, err := denseDims(&in[0], values, filler, first, parts, kinds)
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(values.DType(), dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	// Where the rows of a level begin in the result, -1 for what is cut off.
	starts, err := ctx.Alloc(tensor.Int64, []int64{first})
	if err != nil {
		return err
	}
	defer func() { ctx.Free(starts) }()
	stride := int64(1)
	for _, d := range dims[1 : len(parts)+1] {
		stride *= d
	}
	at := tensor.Of[int64](&starts)
	for i := range at {
		at[i] = -1
		if int64(i) < dims[0] {
			at[i] = int64(i) * stride
		}
	}
	for level, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		stride /= dims[level+1]
		next, err := advance(ctx, tensor.Of[int64](&starts), part, kinds[level], dims[level+1], stride)
		if err != nil {
			return err
		}
		ctx.Free(starts)
		starts = next
	}
	return scatter(ctx, out, values, filler, tensor.Of[int64](&starts), len(parts)+1)
}

// rows returns the number of rows and, for each ragged dimension, what says which
// values belong to which row.
func (k toTensor) rows(in []tensor.Value) (first int64, parts [][]int64, kinds []string, err error) {
	for i, t := range k.partitions {
		v := &in[i]
		if t == "FIRST_DIM_SIZE" {
			if v.Rank() != 0 {
				return 0, nil, nil, status.Invalid("FIRST_DIM_SIZE must be a scalar.")
			}
			first, _ = kernel.Int(v, t)
			if first < 0 {
				return 0, nil, nil, status.Invalid("Dimension %d must be >= 0", first)
			}
			continue
		}
		if v.Rank() != 1 {
			return 0, nil, nil, status.Invalid("Row partition must be a vector.")
		}
		if i == 0 {
			if v.NumElements() == 0 {
				return 0, nil, nil, status.Invalid("Invalid first partition input. Tensor requires at least one element.")
			}
			first = int64(v.NumElements()) - 1
		}
		parts, kinds = append(parts, kernel.AppendInts(make([]int64, 0, v.NumElements()), v)), append(kinds, t)
	}
	return first, parts, kinds, nil
}

// denseDims returns the shape of the result: what is asked for, else as much as is
// needed.
func denseDims(shape, values, filler *tensor.Value, first int64, parts [][]int64, kinds []string) ([]int64, error) {
	inner := values.Dims()
	if filler.Rank() >= values.Rank() {
		return nil, status.Invalid("default_value.shape=%s and rt_input.flat_values.shape=%s are incompatible: default_value.rank = %d  must be less than rt_input.flat_values.rank = %d",
			tensor.FormatDims(filler.Dims()), tensor.FormatDims(inner), filler.Rank(), values.Rank())
	}
	for d := 1; d <= filler.Rank(); d++ {
		if f, v := filler.Dims()[filler.Rank()-d], inner[len(inner)-d]; f != 1 && f != v {
			return nil, status.Invalid("default_value.shape=%s and rt_input.flat_values.shape=%s are incompatible: default_value.shape[%d] = %d but rt_input.flat_values.shape[%d] = %d",
				tensor.FormatDims(filler.Dims()), tensor.FormatDims(inner), -d, f, -d, v)
		}
	}
	rank := len(parts) + len(inner)
	dims := make([]int64, rank)
	for d := range dims {
		dims[d] = -1
	}
	switch {
	case shape.Rank() > 1:
		return nil, status.Invalid("Shape must be at most rank 1 but is rank %d", shape.Rank())
	case shape.Rank() == 0:
		if n, _ := kernel.Int(shape, "shape"); n != -1 {
			return nil, status.Invalid("if shape is a scalar, it must be -1, but it is %d", n)
		}
	default:
		asked := kernel.AppendInts(make([]int64, 0, shape.NumElements()), shape)
		for _, n := range asked {
			if n < -1 {
				return nil, status.Invalid("Dimension %d must be >= -1", n)
			}
		}
		if len(asked) != rank {
			return nil, status.Invalid("rt_input.shape and shape=%s are incompatible: rt_input.rank = %d but shape.rank = %d", partial(asked), rank, len(asked))
		}
		for d := 1; d < len(inner); d++ {
			if n := asked[len(parts)+d]; n != -1 && n != inner[d] {
				return nil, status.Invalid("rt_input.shape and shape=%s are incompatible: rt_input.shape[%d] = %d but shape[%d] = %d", partial(asked), len(parts)+d, inner[d], len(parts)+d, n)
			}
		}
		copy(dims, asked)
	}
	if dims[0] < 0 {
		dims[0] = first
	}
	for d, part := range parts {
		if dims[d+1] < 0 {
			dims[d+1] = longest(part, kinds[d])
		}
	}
	copy(dims[len(parts)+1:], inner[1:])
	return dims, nil
}

// partial prints a shape with what is not known; of one that no tensor has, its beginning.
func partial(dims []int64) string {
	text := []byte{'['}
	for i, d := range dims {
		if i == 256 {
			text = append(text, ",..."...)
			break
		}
		if i > 0 {
			text = append(text, ',')
		}
		if d < 0 {
			text = append(text, '?')
		} else {
			s := tensor.FormatDims([]int64{d})
			text = append(text, s[1:len(s)-1]...)
		}
	}
	return string(append(text, ']'))
}

// longest returns the length of the longest row.
func longest(part []int64, kind string) int64 {
	most, run := int64(0), int64(0)
	for i, x := range part {
		switch {
		case kind == "VALUE_ROWIDS" && (i == 0 || x != part[i-1]):
			run = 1
		case kind == "VALUE_ROWIDS":
			run++
		case i > 0 && x > part[i-1]:
			run = x - part[i-1]
		}
		most = max(most, run)
	}
	return most
}

// advance returns where the elements of rows begin that begin at starts: width of
// them are kept, stride apart.
func advance(ctx *kernel.Context, starts, part []int64, kind string, width, stride int64) (tensor.Value, error) {
	rows, n := int64(len(starts)), int64(len(part))
	if kind == "ROW_SPLITS" {
		if n == 0 {
			return ctx.Alloc(tensor.Int64, []int64{0})
		}
		if n-1 > rows {
			return tensor.Value{}, status.Invalid("Row partition size is greater than output size: %d > %d", n-1, rows)
		}
		if part[0] != 0 {
			return tensor.Value{}, status.Invalid("Invalid row split size.")
		}
		for i, x := range part[1:] {
			if x < part[i] {
				return tensor.Value{}, status.Invalid("Invalid row split size.")
			}
		}
		n = part[n-1]
	}
	v, err := ctx.Alloc(tensor.Int64, []int64{n})
	if err != nil {
		return v, err
	}
	next := tensor.Of[int64](&v)
	put := func(i, column, start int64) {
		next[i] = -1
		if start >= 0 && column < width {
			next[i] = start + column*stride
		}
	}
	if kind == "ROW_SPLITS" {
		for row := range max(0, len(part)-1) {
			if row%block == block-1 && ctx.Err() != nil {
				break
			}
			for i := part[row]; i < part[row+1]; i++ {
				if i%block == block-1 && ctx.Err() != nil {
					return v, ctx.Err()
				}
				put(i, i-part[row], starts[row])
			}
		}
		return v, ctx.Err()
	}
	column := int64(0)
	for i, row := range part {
		if i%block == block-1 && ctx.Err() != nil {
			return v, ctx.Err()
		}
		switch {
		case row < 0 || row >= rows:
			return v, status.Invalid("Got next_value_rowid=%d which is not less than %d", row, rows)
		case i > 0 && row < part[i-1]:
			return v, status.Invalid("The rows of values must not fall, got %d after %d", row, part[i-1])
		case i > 0 && row == part[i-1]:
			column++
		default:
			column = 0
		}
		put(int64(i), column, starts[row])
	}
	return v, nil
}

// scatter sets the result to the filler, and then each element that has a place
// to its value; an element has the last dimensions of the values, which follow
// outer ones.
func scatter(ctx *kernel.Context, out []tensor.Value, values, filler *tensor.Value, places []int64, outer int) error {
	if len(places) > values.Dim(0) {
		return status.Invalid("The row partitions point at %d values, and there are %d", len(places), values.Dim(0))
	}
	to := strided.Whole(out[0])
	if err := strided.Copy(ctx, &out[0], to, filler, strided.Whole(*filler).Broadcast(out[0].Dims())); err != nil {
		return err
	}
	n := 1
	for _, d := range out[0].Dims()[outer:] {
		n *= int(d)
	}
	for i, place := range places {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		if place >= 0 {
			strided.Move(&out[0], int(place)*n, values, i*n, n)
		}
	}
	return ctx.Err()
}
