// Package shape infers the shapes of a graph's tensors before it runs.
//
// A [Shape] is partially known: its rank may be unknown, and any dimension, as
// in [2,?]. Shapes are immutable values, and what combines them says what is
// known afterwards or why they contradict each other: [Merge], [Broadcast],
// [Concat], [Reduction], constraints such as [Shape.WithRank], and arithmetic on
// dimensions such as [AddDims]. The errors are INVALID_ARGUMENT in
// TensorFlow's words.
//
// # Shape functions
//
// The shape function of an operation, a [Func], infers its outputs from what is
// known of its inputs. Many operations share one of the ready-made functions,
// among them
//
//	[Unchanged]   output like the input      [Reduce]      axes taken away
//	[Broadcast2]  x and y broadcast          [MatMul]      products of matrices
//	[Merged]      all of one shape           [FromValue]   the shape is the value of an input
//	[Scalars]     scalars                    [ByAttr]      an attribute does
//
// Others are described by a line of text:
//
//	shape.Register(shape.Rule("features: [n,k], labels: [n] -> loss: [n], backprop: [n,k]"),
//		"SparseSoftmaxCrossEntropyWithLogits")
//
// The rest are written down straight, since the first error that [Context.Try]
// is given sticks:
//
//	func diagPart(c *shape.Context) error {
//		in := c.Try(c.Input(0).WithRankAtLeast(2))
//		n := shape.MinDim(in.Dim(-2), in.Dim(-1))
//		c.SetOutput(0, c.Try(shape.Concat(in.To(-2), shape.Of(n))))
//		return c.Err()
//	}
//
// Functions are registered by init functions of the packages of operations,
// next to the definitions. They are total: no input, attribute or definition
// makes one panic, or allocate by the size of a number that it reads.
//
// # Inference
//
// An [Inferrer] infers the nodes of a graph, which it sees as [Node]s, in an
// order in which inputs come first. Where a shape depends on a value, as that
// of a Reshape does, a function asks for it ([Context.ConstInts],
// [Context.ShapeFrom]), and the arithmetic on constants and shapes in front of
// the node is worked out, even if some elements remain unknown. A node whose
// function does not ask costs nothing of the kind.
//
// Inference sees one graph: it does not look into functions that nodes call.
package shape
