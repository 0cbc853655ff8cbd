package elementwise

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A Pairing is the kernel of an operation on two operands that is a function on stretches,
// as [Pairwise] has it.
type Pairing struct {
	Out   tensor.DType
	F     func(o, x, y tensor.Memory, s Stretch)
	Check func(y tensor.Memory) error // see [Binary]; nil: none
}

// Run computes out[0] with broadcasting.
func (p *Pairing) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return Binary(ctx, in, out, p.Out, p, p.Check)
}

// Pairs calls F.
func (p *Pairing) Pairs(o, x, y tensor.Memory, s Stretch) { p.F(o, x, y, s) }

// A Mapping is the kernel of an operation on one operand that is a function on stretches.
type Mapping struct {
	Out tensor.DType
	F   EachFunc
}

// Run computes out[0].
func (m *Mapping) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return Unary(ctx, in, out, m.Out, m.F)
}
