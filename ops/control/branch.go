package control

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Switch").
		Input("data: T").Input("pred: bool").
		Output("output_false: T").Output("output_true: T").
		Attr("T: type").
		Doc(`Passes a value on to one of its outputs and leaves the other dead, and with it all that depends on it alone.

pred: Which: a scalar.
output_false: The value, if pred is false.
output_true: The value, if pred is true.`)
	registry.Define("RefSwitch").
		Input("data: Ref(T)").Input("pred: bool").
		Output("output_false: Ref(T)").Output("output_true: Ref(T)").
		Leaves("data").
		Attr("T: type").
		AllowsUninitializedInput().
		Doc(`Passes a reference on to one of its outputs and leaves the other dead.

pred: Which: a scalar.
output_false: The reference, if pred is false.
output_true: The reference, if pred is true.`)
	registry.Define("_SwitchN").
		Input("data: T").Input("output_index: int32").
		Output("outputs: num_outs * T").
		Attr("num_outs: int >= 1").Attr("T: type").
		Doc(`Passes data on to one of its outputs and leaves the others dead.

output_index: A scalar; a number that no output has means the last.
num_outs: How many outputs there are.`)
	shape.Register(switchShape, "Switch", "RefSwitch", "_SwitchN")

	registry.Define("Merge").
		Input("inputs: N * T").
		Output("output: T").Output("value_index: int32").
		Attr("T: type").Attr("N: int >= 1").
		Doc(`Passes on the one of its inputs that is live, and is dead only if all are.

inputs: Inputs of one type, of which one is to be live.
value_index: Which one that was.`)
	registry.Define("RefMerge").
		Input("inputs: Ref(N * T)").
		Output("output: Ref(T)").Output("value_index: int32").
		Leaves("inputs").
		Attr("T: type").Attr("N: int >= 1").
		Doc(`Passes on the one of its references that is live.

value_index: Which one that was.`)
	shape.Register(mergeShape, "Merge", "RefMerge")

	registry.Define("RefSelect").
		Input("index: int32").Input("inputs: Ref(N * T)").
		Output("output: Ref(T)").
		Leaves("inputs").
		Attr("T: type").Attr("N: int >= 1").
		Doc(`Passes on one of several references.

index: Which one, a scalar.`)
	shape.Register(refSelectShape, "RefSelect")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(refSelect), nil }, "RefSelect")

	gradient.Register(switchGradient, "Switch", "RefSwitch", "_SwitchN")
	gradient.Register(mergeGradient, "Merge", "RefMerge")
}

// switchGradient: the gradient of the output that was live, which is zero if nothing
// flows to it. What flows to others is dead.
func switchGradient(c *gradient.Context) {
	flows := false
	sides := make(graph.OutputList, c.NumOutputs())
	for i := range sides {
		if c.Has(i) {
			sides[i], flows = c.Dy(i), true
		} else {
			sides[i] = c.ZerosLike(c.Output(i)) // dead if the output is
		}
	}
	if flows {
		c.Set(0, c.Op("Merge", nil, sides))
	}
}

// mergeGradient: the gradient goes to the input that was live; to the others goes
// what is dead, so that all that is computed from it is dead too.
func mergeGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	for i := range c.NumInputs() {
		if c.Wants(i) {
			taken := c.Apply("Equal", c.Output(1), c.Const(int32(i)))
			c.Set(i, c.Outputs("Switch", nil, c.Dy(0), taken)[1])
		}
	}
}

func switchShape(c *shape.Context) error {
	if _, err := c.Input(1).WithRank(0); err != nil {
		return err
	}
	for o := range c.NumOutputs() {
		c.SetOutput(o, c.Input(0))
		c.PassHandle(0, o)
	}
	return nil
}

func mergeShape(c *shape.Context) error {
	s := c.Input(0)
	for i := 1; i < c.NumInputs(); i++ {
		s = shape.Relax(s, c.Input(i))
	}
	c.SetOutput(0, s)
	c.SetOutput(1, shape.Scalar)
	return nil
}

func refSelectShape(c *shape.Context) error {
	if _, err := c.Input(0).WithRank(0); err != nil {
		return err
	}
	s := c.Input(1)
	for i := 1; i < c.NumInputs(); i++ {
		if in := c.Input(i); !in.Full() || !shape.Equal(s, in) {
			return nil
		}
	}
	c.SetOutput(0, s)
	return nil
}

func refSelect(_ *kernel.Context, in, out []tensor.Value) error {
	if !in[0].IsScalar() {
		return status.Invalid("Index must be a scalar, but it has shape %s", tensor.FormatDims(in[0].Dims()))
	}
	i, n := int(tensor.At0[int32](&in[0])), len(in)-1
	if i < 0 || i >= n {
		return status.Invalid("Index must be in the range [0, %d) but got %d", n, i)
	}
	out[0] = in[1+i]
	return nil
}
