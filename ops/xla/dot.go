package xla

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("XlaDot").
		Input("lhs: T").Input("rhs: T").Output("output: T").
		Attr("T: numbertype").
		Attr("dimension_numbers: string").
		Attr("precision_config: string").
		Doc(`Multiplies two tensors and adds up along dimensions.

lhs: The left operand.
rhs: The right operand.
output: What is left: dimensions of both, of the one, and of the other.
dimension_numbers: A serialized DotDimensionNumbers, which says what the dimensions mean.
precision_config: Ignored: products are as exact as their type.`)
	registry.Define("XlaDotV2").
		Input("lhs: LhsT").Input("rhs: RhsT").Output("output: preferred_element_type").
		Attr("LhsT: numbertype").
		Attr("RhsT: numbertype").
		Attr("dimension_numbers: string").
		Attr("precision_config: string").
		Attr("preferred_element_type: numbertype").
		Doc(`Multiplies two tensors and adds up along dimensions, in a given type.

lhs: The left operand.
rhs: The right operand.
output: What is left: dimensions of both, of the one, and of the other.
dimension_numbers: A serialized DotDimensionNumbers, which says what the dimensions mean.
precision_config: Ignored: products are as exact as their type.
preferred_element_type: The type of the result, in which is added up.`)
	shape.Register(dotShape, "XlaDot", "XlaDotV2")
}

// A product is what the dimensions of an XlaDot mean: DotDimensionNumbers of XLA.
// Index 0 is of lhs, 1 of rhs.
type product struct{ contracting, batch [2][]int64 }

func newDot(text string) (*product, error) {
	lists, err := dimensionLists("DotDimensionNumbers", text)
	if err != nil {
		return nil, err
	}
	return &product{contracting: [2][]int64{lists[1], lists[2]}, batch: [2][]int64{lists[3], lists[4]}}, nil
}

// free returns the dimensions of operand i, of that rank, that are neither of both nor
// added up along.
func (p *product) free(i, rank int) (dims []int64) {
	for d := range int64(rank) {
		if !slices.Contains(p.contracting[i], d) && !slices.Contains(p.batch[i], d) {
			dims = append(dims, d)
		}
	}
	return dims
}

// check reports whether the dimensions are those of operands of such ranks.
func (p *product) check(ranks [2]int) error {
	if len(p.contracting[0]) != len(p.contracting[1]) || len(p.batch[0]) != len(p.batch[1]) {
		return status.Invalid("Must specify the same number of contracting and of batch dimensions for lhs and rhs.")
	}
	for i, rank := range ranks {
		if err := among(append(slices.Clone(p.contracting[i]), p.batch[i]...), rank, "dimension_numbers"); err != nil {
			return err
		}
	}
	return nil
}

// dotShape has the dimensions of both, of lhs, and of rhs.
func dotShape(c *shape.Context) error {
	p, err := newDot(c.Str("dimension_numbers"))
	if err != nil {
		return err
	}
	sides := [2]shape.Shape{c.Input(0), c.Input(1)}
	if !sides[0].Known() || !sides[1].Known() {
		return nil
	}
	if err := p.check([2]int{sides[0].Rank(), sides[1].Rank()}); err != nil {
		return err
	}
	var dims []int64
	for k, d := range p.batch[0] {
		dims = append(dims, c.TryDim(shape.MergeDims(sides[0].Dim(int(d)), sides[1].Dim(int(p.batch[1][k])))))
	}
	for k, d := range p.contracting[0] {
		c.TryDim(shape.MergeDims(sides[0].Dim(int(d)), sides[1].Dim(int(p.contracting[1][k]))))
	}
	for i, s := range sides {
		for _, d := range p.free(i, s.Rank()) {
			dims = append(dims, s.Dim(int(d)))
		}
	}
	if len(dims) > tensor.MaxRank {
		return status.Invalid("the product of shapes %v and %v has %d dimensions, more than the %d allowed", sides[0], sides[1], len(dims), tensor.MaxRank)
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

// newProduct makes the kernel for operands of a type: both are brought into the order of
// matrices, whose products are the result.
func newProduct(c *kernel.Construction, a *arithmetic) (kernel.Func, error) {
	p, err := newDot(c.Str("dimension_numbers"))
	if err != nil {
		return nil, err
	}
	return func(ctx *kernel.Context, in, out []tensor.Value) error {
		if err := p.check([2]int{in[0].Rank(), in[1].Rank()}); err != nil {
			return err
		}
		var dims []int64
		batch, inner := 1, 1
		size := func(i int, d int64) int64 { return in[i].Dims()[d] }
		for _, pair := range []struct {
			dims [2][]int64
			n    *int
		}{{p.batch, &batch}, {p.contracting, &inner}} {
			for k, d := range pair.dims[0] {
				n, other := size(0, d), size(1, pair.dims[1][k])
				if n != other {
					return status.Invalid("dimension %d of lhs and %d of rhs go together and are %d and %d", d, pair.dims[1][k], n, other)
				}
				*pair.n *= int(n)
				if pair.n == &batch {
					dims = append(dims, n)
				}
			}
		}
		outer := [2]int{1, 1}
		var orders [2][]int
		for i := range 2 {
			free := p.free(i, in[i].Rank())
			for _, d := range free {
				outer[i] *= int(size(i, d))
				dims = append(dims, size(i, d))
			}
			order := append(slices.Clone(p.batch[i]), free...)
			order = append(order, p.contracting[i]...)
			for _, d := range order {
				orders[i] = append(orders[i], int(d))
			}
		}
		var err error
		if out[0], err = ctx.AllocZeroed(a.dt, dims); err != nil || out[0].NumElements() == 0 || inner == 0 {
			return err
		}
		var sides [2]tensor.Value
		for i := range 2 {
			v, free, err := ordered(ctx, &in[i], orders[i])
			if err != nil {
				return err
			}
			defer free()
			sides[i] = v
		}
		m, n := outer[0], outer[1]
		for b := range batch {
			if err := ctx.Err(); err != nil {
				return err
			}
			a.multiply(ctx.Pool(), m, n, inner, part{&sides[0], b * m * inner}, part{&sides[1], b * n * inner}, part{&out[0], b * m * n})
		}
		return ctx.Err()
	}, nil
}
