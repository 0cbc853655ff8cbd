package array

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Reverse").
		Input("tensor: T").Input("dims: bool").Output("output: T").
		Attr("T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64, complex128, string}").
		Doc(`Turns dimensions of a tensor around, those for which dims is true.

dims: For each dimension whether to turn it around.`)
	registry.Define("ReverseV2").
		Input("tensor: T").Input("axis: Tidx").Output("output: T").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Attr("T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16, half, float, double, complex64, complex128, string}").
		Doc(`Turns dimensions of a tensor around.

axis: Which dimensions; negative ones count from the end, and none may occur twice.`)
	registry.Define("ReverseSequence").
		Input("input: T").Input("seq_lengths: Tlen").Output("output: T").
		Attr("seq_dim: int").
		Attr("batch_dim: int = 0").
		Attr("T: type").
		Attr("Tlen: {int32, int64} = DT_INT64").
		Doc(`Turns the beginnings of sequences around, each of a length of its own.

seq_lengths: For each place along batch_dim how many elements along seq_dim are turned around.
seq_dim: The dimension along which to turn.
batch_dim: The dimension that tells sequences apart.`)
	registry.Define("Roll").
		Input("input: T").Input("shift: Tshift").Input("axis: Taxis").Output("output: T").
		Attr("T: type").
		Attr("Tshift: {int32, int64}").
		Attr("Taxis: {int32, int64}").
		Doc(`Moves elements along dimensions; those that fall off one end come in at the other.

shift: By how many places, a scalar or one for each axis; negative moves toward the beginning.
axis: Which dimensions, a scalar or a vector; negative ones count from the end, and one may occur several times.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(reverse), nil }, "Reverse")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(reverseV2), nil }, "ReverseV2")
	kernel.ForAll(newReverseSequence, "ReverseSequence")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(roll), nil }, "Roll")

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op(c.Node().Type(), c.Attrs("seq_dim", "batch_dim"), dy, c.Input(1))
	}, "Reverse", "ReverseV2", "ReverseSequence")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply("Roll", dy, c.Neg(c.Input(1)), c.Input(2))
	}, "Roll")
}

func reverse(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() == 0 {
		out[0] = in[0]
		return nil
	}
	if in[0].Dim(0) == 0 {
		return status.Invalid("Invalid input first dimension. Found 0.")
	}
	if in[1].Rank() != 1 || in[1].NumElements() != in[0].Rank() {
		return status.Invalid("'dims' must have a size equal to the rank of tensor, %d, but has shape %s", in[0].Rank(), tensor.FormatDims(in[1].Dims()))
	}
	if in[0].Rank() > 0 && in[0].Dim(0) == 0 {
		return status.Invalid("Invalid input first dimension. Found 0.")
	}
	return reversed(ctx, in, out, tensor.Of[bool](&in[1]))
}

func reverseV2(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].NumElements() == 0 || in[0].Rank() == 0 { // whatever the axes
		out[0] = in[0]
		return nil
	}
	var buf [8]int64
	if in[1].Rank() != 1 {
		return status.Invalid("'dims' must be a vector, got shape %s", tensor.FormatDims(in[1].Dims()))
	}
	axes := kernel.AppendFirst(buf[:0], &in[1], in[0].Rank()+1) // of more, one is wrong
	var turn [tensor.MaxRank]bool
	for i, a := range axes {
		d, ok := kernel.Axis(a, in[0].Rank())
		if !ok {
			return status.Invalid("'axis'[%d] = %d is out of valid range [%d, %d]", i, a, -in[0].Rank(), in[0].Rank()-1)
		}
		if turn[d] {
			return status.Invalid("axis %d specified more than once.", d)
		}
		turn[d] = true
	}
	return reversed(ctx, in, out, turn[:in[0].Rank()])
}

func reversed(ctx *kernel.Context, in, out []tensor.Value, turn []bool) (err error) {
	from, turned := strided.Whole(in[0]), false
	for d, t := range turn {
		if t && from.Dims[d] > 1 {
			from.Reverse(d)
			turned = true
		}
	}
	if !turned || in[0].NumElements() == 0 {
		out[0] = in[0]
		return nil
	}
	if out[0], err = ctx.Alloc(in[0].DType(), in[0].Dims()); err != nil {
		return err
	}
	return strided.Copy(ctx, &out[0], strided.Whole(out[0]), &in[0], from)
}

func newReverseSequence(c *kernel.Construction) (kernel.Kernel, error) {
	seq, batch := c.Int("seq_dim"), c.Int("batch_dim")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		dims := in[0].Dims()
		if seq < 0 || seq >= int64(len(dims)) {
			return status.Invalid("seq_dim must be >= 0 and < input rank ( %d vs. %d)", seq, len(dims))
		}
		if batch < 0 || batch >= int64(len(dims)) {
			return status.Invalid("batch_dim must be >= 0 and < input rank ( %d vs. %d)", batch, len(dims))
		}
		s, b := int(seq), int(batch)
		if s == b {
			return status.Invalid("batch_dim == seq_dim == %d", s)
		}
		if in[1].Rank() != 1 || in[1].NumElements() != int(dims[b]) {
			return status.Invalid("Length of seq_lengths != input.dims(%d), (%d vs. %d)", b, in[1].NumElements(), dims[b])
		}
		lengths := kernel.AppendInts(nil, &in[1])
		for i, n := range lengths {
			if n < 0 || n > dims[s] {
				return status.Invalid("seq_lens(%d) = %d is not in [0, %d]", i, n, dims[s])
			}
		}
		v, err := ctx.Alloc(in[0].DType(), dims)
		if err != nil {
			return err
		}
		out[0] = v
		whole := strided.Whole(in[0])
		for i, n := range lengths {
			if err := ctx.Err(); err != nil {
				return err
			}
			row := whole.Permute(identity(len(dims)))
			row.Slice(b, i, 1, 1)
			head, back, tail := row.Permute(identity(len(dims))), row.Permute(identity(len(dims))), row
			head.Slice(s, 0, 1, int(n))
			back.Slice(s, int(n)-1, -1, int(n))
			tail.Slice(s, int(n), 1, int(dims[s]-n))
			if err := strided.Copy(ctx, &out[0], head, &in[0], back); err != nil {
				return err
			}
			if err := strided.Copy(ctx, &out[0], tail, &in[0], tail); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func roll(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() < 1 {
		return status.Invalid("input must be 1-D or higher")
	}
	if in[1].Rank() > 1 || !tensor.SameShape(in[1], in[2]) {
		return status.Invalid("shift and axis must have the same size")
	}
	dims := in[0].Dims()
	shift := make([]int64, len(dims))
	defer ctx.UnreserveTo(ctx.Reserved())
	numbers, err := kernel.Scratch[int64](ctx, 2*in[1].NumElements())
	if err != nil {
		return err
	}
	numbers = kernel.AppendInts(kernel.AppendInts(numbers[:0], &in[1]), &in[2])
	steps, axes := numbers[:len(numbers)/2], numbers[len(numbers)/2:]
	for lo, hi := range ctx.Ranges(len(axes), 1<<13) {
		for i := lo; i < hi; i++ {
			d, ok := kernel.Axis(axes[i], len(dims))
			if !ok {
				return status.Invalid("axis %d is out of range", axes[i])
			}
			if n := dims[d]; n > 0 {
				shift[d] = ((shift[d]+steps[i]%n)%n + n) % n
			}
		}
	}
	v, err := ctx.Alloc(in[0].DType(), dims)
	if err != nil {
		return err
	}
	out[0] = v
	return rolled(ctx, out, in, strided.Whole(in[0]), strided.Whole(in[0]), shift, 0)
}

// rolled copies, for dimension d and those behind it, the two parts that each
// shift divides a dimension into.
func rolled(ctx *kernel.Context, out, in []tensor.Value, to, from strided.View, shift []int64, d int) error {
	for d < len(shift) && shift[d] == 0 {
		d++
	}
	if d == len(shift) {
		return strided.Copy(ctx, &out[0], to, &in[0], from)
	}
	n, k := from.Dims[d], int(shift[d])
	p := identity(len(shift))
	for _, part := range [2]struct{ from, to, n int }{{0, k, n - k}, {n - k, 0, k}} {
		t, f := to.Permute(p), from.Permute(p)
		t.Slice(d, part.to, 1, part.n)
		f.Slice(d, part.from, 1, part.n)
		if err := rolled(ctx, out, in, t, f, shift, d+1); err != nil {
			return err
		}
	}
	return nil
}
