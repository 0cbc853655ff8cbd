package list

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TensorListStack").
		Input("input_handle: variant").Input("element_shape: int32").Output("tensor: element_dtype").
		Attr("element_dtype: type").
		Attr("num_elements: int = -1").
		Doc(`Stacks the elements of a list, all of one shape, into a tensor.

element_shape: A shape that the elements fit; it is needed if elements are not set.
element_dtype: The type of the elements.
num_elements: The length that the list has to have; -1 for any.`)
	registry.Define("TensorListGather").
		Input("input_handle: variant").Input("indices: int32").Input("element_shape: int32").
		Output("values: element_dtype").
		Attr("element_dtype: type").
		Doc(`Stacks elements of a list, chosen by their places, into a tensor.

indices: Their places, a vector.
element_shape: A shape that the elements fit.
element_dtype: The type of the elements.`)
	registry.Define("TensorListConcat").
		Input("input_handle: variant").Output("tensor: element_dtype").Output("lengths: int64").
		Attr("element_dtype: type").
		Attr("element_shape: shape = ?").
		Doc(`Joins the elements of a list along their first dimension.

tensor: All elements, one after another.
lengths: The first dimension of each element, by which TensorListSplit takes them apart again.
element_dtype: The type of the elements.
element_shape: A shape that the elements fit, of which the first dimension is open.`)
	registry.Define("TensorListConcatV2").
		Input("input_handle: variant").Input("element_shape: shape_type").Input("leading_dims: int64").
		Output("tensor: element_dtype").Output("lengths: int64").
		Attr("element_dtype: type").
		Attr("shape_type: {int32, int64}").
		Doc(`Joins the elements of a list along their first dimension.

element_shape: A shape that the elements fit, of which the first dimension is open.
leading_dims: The first dimension of each element that is not set; beyond its end, that of element_shape, or the one that all elements which are set have.
tensor: All elements, one after another.
lengths: The first dimension of each element.
element_dtype: The type of the elements.`)
	registry.Define("TensorListConcatLists").
		Input("input_a: variant").Input("input_b: variant").Output("output: variant").
		Attr("element_dtype: type").
		Doc(`Joins the elements of pairs of lists: those of the one, then those of the other.

input_a: Lists, in a tensor of any shape.
input_b: As many lists, in a tensor of the same shape.
element_dtype: The type of the elements.`)

	register(newStack, "TensorListStack")
	register(newTyped(typed.gather), "TensorListGather")
	register(newConcat, "TensorListConcat", "TensorListConcatV2")
	kernel.ForAll(newTyped(typed.concatLists), "TensorListConcatLists")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Apply("TensorListFromTensor", c.Dy(0), c.RowShape(c.Output(0))))
		}
	}, "TensorListStack")
	gradient.Register(func(c *gradient.Context) {
		if !c.Has(0) {
			return
		}
		rows, at := c.Dy(0), c.Input(1)
		if known, ok := c.ConstInts(at); !ok || repeats(known) { // what was taken twice has the sum
			places := c.Outputs("Unique", nil, at)
			if places == nil {
				return
			}
			at = places[0]
			rows = c.Apply("UnsortedSegmentSum", rows, places[1], c.Apply("Size", at))
		}
		c.Set(0, c.Apply("TensorListScatterV2", rows, at, c.RowShape(c.Output(0)), lengthOf(c, c.Input(0))))
	}, "TensorListGather")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Apply("TensorListSplit", c.Dy(0), pieceShape(c, c.Output(0)), c.Output(1)))
		}
	}, "TensorListConcat", "TensorListConcatV2")
	gradient.None("TensorListConcatLists")
}

// repeats reports whether a number is in a list twice.
func repeats(list []int64) bool {
	seen := make(map[int64]bool, len(list))
	for _, x := range list {
		seen[x] = true
	}
	return len(seen) < len(list)
}

// lengthOf returns the number of elements of a list.
func lengthOf(c *gradient.Context, list graph.Output) graph.Output {
	return c.Apply("TensorListLength", list)
}

// pieceShape returns the shape of pieces of a tensor, the first dimension open.
func pieceShape(c *gradient.Context, whole graph.Output) graph.Output {
	return c.Op("ConcatV2", nil, graph.OutputList{c.Int32s(-1), c.RowShape(whole)}, c.Const(int32(0)))
}

func newStack(c *kernel.Construction) (kernel.Kernel, error) {
	dt, want := c.Type("element_dtype"), int(c.Int("num_elements"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		l, err := listOf(&in[0])
		if err != nil {
			return err
		}
		if err := l.sameType(dt); err != nil {
			return err
		}
		s, err := l.asked(&in[1])
		if err != nil {
			return err
		}
		if want >= 0 && want != l.n {
			return status.Invalid("Operation expected a list with %d elements but got a list with %d elements.", want, l.n)
		}
		if l.n == 0 && !s.Full() {
			return status.Invalid("Tried to stack elements of an empty list with non-fully-defined element_shape: %s", resource.FormatShape(s))
		}
		if s, err = l.inferred(ctx, s, l.n, inOrder); err != nil {
			return err
		}
		if !s.Full() {
			return status.Invalid("Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: %s", resource.FormatShape(s))
		}
		if l.isPile() {
			if dims, _ := l.dims(0); slices.Equal(dims, s.Dims()) {
				out[0], err = l.poured(ctx, append([]int64{int64(l.n)}, dims...))
				return err
			}
		}
		out[0], err = l.stacked(ctx, s, l.n, inOrder)
		return err
	}), nil
}

func (k typed) gather(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	s, err := l.asked(&in[2])
	if err != nil {
		return err
	}
	at := tensor.Of[int32](&in[1])
	for _, i := range at {
		if i < 0 || int(i) >= l.n {
			return status.Invalid("Trying to gather element %d in a list with %d elements.", i, l.n)
		}
	}
	if len(at) == 0 && !s.Full() {
		return status.Invalid("Tried to gather 0-elements from a list with non-fully-defined shape: %s", resource.FormatShape(s))
	}
	place := func(k int) int { return int(at[k]) }
	if s, err = l.inferred(ctx, s, len(at), place); err != nil {
		return err
	}
	if !s.Full() {
		return status.Invalid("Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: %s", resource.FormatShape(s))
	}
	out[0], err = l.stacked(ctx, s, len(at), place)
	return err
}

// newConcat makes the kernel of both versions.
func newConcat(c *kernel.Construction) (kernel.Kernel, error) {
	k := concat{typed: typed{dt: c.Type("element_dtype")}}
	if c.Op.Name == "TensorListConcat" {
		k.shape = shape.FromAttr(c.Shape("element_shape"))
		if k.shape.Rank() == 0 {
			return nil, status.Invalid("element_shape must not be empty")
		}
	}
	return &k, nil
}

type concat struct {
	typed
	shape shape.Shape // without an input that gives it
}

func (k *concat) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	l, err := listOf(&in[0])
	if err != nil {
		return err
	}
	if err := l.sameType(k.dt); err != nil {
		return err
	}
	s, leading := k.shape, []int64(nil)
	if len(in) > 1 {
		if s, err = l.asked(&in[1]); err != nil {
			return err
		}
		if s.Rank() == 0 {
			return status.Invalid("Concat requires elements to be at least vectors, found scalars instead.")
		}
		leading = tensor.Of[int64](&in[2])
	}
	first := int64(-1) // the first dimension of all elements
	rest := s
	if s.Known() {
		rest = s.From(1)
		if len(in) > 1 {
			first = s.Dim(0)
		}
	}
	if l.n == 0 && !rest.Full() {
		return status.Invalid("All except the first dimension must be fully defined when concating an empty tensor list. element_shape: %s", resource.FormatShape(rest))
	}
	if first, rest, err = l.joined(ctx, first, rest); err != nil {
		return err
	}
	if !rest.Full() {
		return status.Invalid("Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined: %s", resource.FormatShape(rest))
	}
	if out[1], err = ctx.Alloc(tensor.Int64, []int64{int64(l.n)}); err != nil {
		return err
	}
	lengths, sum := tensor.Of[int64](&out[1]), int64(0)
	for i := range lengths {
		switch dims, ok := l.dims(i); {
		case ok:
			lengths[i] = dims[0]
		case i < len(leading):
			lengths[i] = leading[i]
		case first >= 0:
			lengths[i] = first
		default:
			return status.Invalid("List contains uninitialized tensor at index %d but leading_dims has only %d elements.", i, len(leading))
		}
		if lengths[i] < 0 || lengths[i] > math.MaxInt64-sum {
			return status.Invalid("leading_dims[%d] = %d is not a size of a dimension", i, lengths[i])
		}
		sum += lengths[i]
	}
	if l.isPile() {
		out[0], err = l.poured(ctx, append([]int64{sum}, rest.Dims()...))
		return err
	}
	if out[0], err = ctx.AllocZeroed(k.dt, append([]int64{sum}, rest.Dims()...)); err != nil {
		return err
	}
	row := 1
	for _, d := range rest.Dims() {
		row *= int(d)
	}
	at := 0
	for i, n := range lengths {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if x := l.at(i); !x.IsZero() {
			if l.dt == tensor.Variant {
				x.Share() // nobody counts what is in the new tensor
			}
			strided.Move(&out[0], at, &x, 0, x.NumElements())
		}
		at += int(n) * row
	}
	return nil
}

// joined checks that the elements fit behind each other, and says what their
// dimensions are: first, the first one, stays unknown if they differ in it.
func (l *List) joined(ctx *kernel.Context, first int64, rest shape.Shape) (int64, shape.Shape, error) {
	want, common, differ := first, first, false
	for i := range l.n {
		if i&1023 == 0 && ctx.Err() != nil {
			return 0, rest, ctx.Err()
		}
		dims, ok := l.dims(i)
		if !ok {
			continue
		}
		if len(dims) < 1 {
			return 0, rest, status.Invalid("Concat saw a scalar shape at index %d but requires at least vectors.", i)
		}
		var err error
		if rest, err = merge(rest, shape.Of(dims[1:]...)); err != nil {
			return 0, rest, err
		}
		n := dims[0]
		switch {
		case want >= 0 && n != want:
			return 0, rest, status.Invalid("First entry of element_shape input does not match the first dim of list element at index: %d Expected: %d Actual: %d", i, want, n)
		case common < 0:
			common = n
		case common != n:
			differ = true
		}
	}
	if differ {
		common = -1
	}
	return common, rest, nil
}

func (k typed) concatLists(ctx *kernel.Context, in, out []tensor.Value) error {
	if !tensor.SameShape(in[0], in[1]) {
		return status.Invalid("input_a and input_b must have the same shape: %s vs. %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	v, err := ctx.Alloc(tensor.Variant, in[0].Dims())
	if err != nil {
		return err
	}
	other := tensor.Of[*tensor.Object](&in[1])
	for i, o := range tensor.Of[*tensor.Object](&in[0]) {
		a, err := heldBy(o)
		if err != nil {
			return err
		}
		b, err := heldBy(other[i])
		if err != nil {
			return err
		}
		for _, l := range []struct {
			name string
			*List
		}{{"input_a", a}, {"input_b", b}} {
			if l.dt != k.dt {
				return status.Invalid("%s.type != element_dtype at index %d.  Saw: %v vs. %v", l.name, i, l.dt, k.dt)
			}
		}
		if !shape.Equal(a.shape, b.shape) {
			return status.Invalid("input_a and input_b TensorList element shapes are not identical at index %d.  Saw %s vs. %s", i,
				resource.FormatShape(a.shape), resource.FormatShape(b.shape))
		}
		if a.n > math.MaxInt32-b.n {
			return status.Errorf(status.ResourceExhausted, "lists of %d and %d elements are too long to be joined", a.n, b.n)
		}
		var changes []change
		for k := range b.n {
			if k&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if x := b.item(k); !x.IsZero() {
				changes = append(changes, change{a.n + k, x})
			}
		}
		l := a.with(a.n+b.n, changes...)
		tensor.Of[*tensor.Object](&v)[i] = l.element()
	}
	out[0] = v
	return nil
}
