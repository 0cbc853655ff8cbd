package layers

import (
	"slices"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// A mask says which steps of a series [examples, time, …] count: bool [examples, time]. An
// [Embedding] with MaskZero and a [Masking] make one. Layers that treat each step by itself
// pass it on; recurrent layers, attentions, global averages, normalizations in training,
// losses and metrics leave the other steps out.

// Masking leaves out the steps at which all channels have the value MaskValue, and sets
// them to 0. The input is [examples, time, channels].
type Masking struct {
	Name      string
	MaskValue float64
}

// Label is the layer's name or kind.
func (l *Masking) Label() (name, kind string) { return l.Name, "masking" }

// Call adds the layer.
func (l *Masking) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok || !c.rank(x, 3) {
		return x
	}
	s := c.Scope
	counts := op.Any(s, op.NotEqual(s, x, number(s, l.MaskValue)), integers(s, -1))
	c.SetMask(counts)
	return op.SelectV2(s, steps(s, counts), x, number(s, 0))
}

// Mask is the mask of an input of the layer, if it has one.
func (c *Context) Mask(i int) (mask tf.Output, ok bool) {
	if i >= len(c.masks) || c.Scope.Err() != nil {
		return tf.Output{}, false
	}
	return c.masks[i], c.masks[i].Op != nil
}

// SetMask makes a mask that of the layer's result.
func (c *Context) SetMask(mask tf.Output) { c.mask = mask }

// KeepMask makes the mask of the first input, if it has one, that of the layer's result.
func (c *Context) KeepMask() {
	if mask, ok := c.Mask(0); ok {
		c.mask = mask
	}
}

// eitherMask makes the result's mask say which steps count in any input, if all have masks.
func (c *Context) eitherMask() {
	if len(c.masks) == 0 || c.Scope.Err() != nil || slices.ContainsFunc(c.masks, func(m tf.Output) bool { return m.Op == nil }) {
		return
	}
	c.mask = c.masks[0]
	for _, m := range c.masks[1:] {
		c.mask = op.LogicalOr(c.Scope, c.mask, m)
	}
}

// joinMasks makes the result's mask that of inputs joined along a dimension of three.
func (c *Context) joinMasks(in []tf.Output, axis int) {
	if !slices.ContainsFunc(c.masks, func(m tf.Output) bool { return m.Op != nil }) || c.Scope.Err() != nil || !c.rank(in[0], 3) {
		return
	}
	if axis != 1 && axis != -2 {
		c.eitherMask() // a step counts if any of its channels does; those of an input without a mask do
		return
	}
	s := c.Scope
	list := slices.Clone(c.masks)
	for i, m := range list {
		if m.Op == nil {
			list[i] = op.Fill(s, op.Pack(s, []tf.Output{dimension(s, in[i], 0), dimension(s, in[i], 1)}), op.Const(s, true))
		}
	}
	c.mask = op.ConcatV2(s, list, op.Const(s, int32(1)))
}

// steps is a mask for the channels of a series: [examples, time, 1].
func steps(s *op.Scope, mask tf.Output) tf.Output {
	return op.ExpandDims(s, mask, op.Const(s, int32(-1)))
}

// counting is the elements of a tensor [examples, time, …] at steps that count: [steps, …].
func counting(s *op.Scope, mask, x tf.Output) tf.Output {
	if s.Err() != nil {
		return x
	}
	where := op.Reshape(s, op.Where(s, op.Reshape(s, mask, integers(s, -1))), integers(s, -1))
	shape := []tf.Output{op.Const(s, int32(-1))}
	for i := 2; i < x.Shape().NumDimensions(); i++ {
		shape = append(shape, dimension(s, x, i))
	}
	return op.GatherV2(s, op.Reshape(s, x, op.Pack(s, shape)), where, op.Const(s, int32(0)))
}
