package math

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("_FusedElementwise").
		Input("inputs: N * T").Output("output: T").
		Attr("N: int >= 1").
		Attr("T: {float, double}").
		Attr("ops: list(string) >= 1").
		Attr("operands: list(int) >= 1").
		Attr("nodes: list(string) >= 1").
		Doc(`Computes several elementwise operations in one pass over its inputs, as the rewriting of programs writes it.

inputs: What the operations take from outside.
output: The result of the last operation.
ops: The operations, in order.
operands: What each takes, one after another: inputs by their number, and behind them the results of the operations before.
nodes: The names of the nodes that the operations were, for errors.`)
	shape.Register(fusedShape, "_FusedElementwise")
	kernel.ForType("_FusedElementwise", "T", tensor.Float, newFused[float32])
	kernel.ForType("_FusedElementwise", "T", tensor.Double, newFused[float64])
}

// fusedShape is what all inputs broadcast to; where they do not, the operations say why.
func fusedShape(c *shape.Context) error {
	all := make([]shape.Shape, c.NumInputs())
	for i := range all {
		all[i] = c.Input(i)
	}
	if s, err := shape.Broadcast(all...); err == nil {
		c.SetOutput(0, s)
	}
	return nil
}

func newFused[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	parts, err := elementwise.Parts(c, c.Strs("ops"), c.Strs("nodes"), c.Ints("operands"))
	if err != nil {
		return nil, err
	}
	return elementwise.NewFused[T](c.Type("T"), len(c.Inputs), parts), nil
}
