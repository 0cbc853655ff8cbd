// Package gradient is the interface of gradient functions: how an operation computes
// the gradients of its inputs from those of its outputs. Package gradients calls them.
//
//	func init() {
//		gradient.Unary(func(c *gradient.Context, x, y, dy graph.Output) graph.Output {
//			return c.Mul(dy, c.Op("Cos", nil, x))
//		}, "Sin")
//	}
//
// A gradient function is a [Func]: it is given a [Context], which shows the node
// and the gradients that came to its outputs, and adds nodes to the graph. What it
// says with [Context.Set] are the gradients of inputs. It asks for what it needs
// and nothing else: [Context.Dy] makes zeros only for who asks for a gradient that
// did not come, and [Context.Wants] says which gradients lead anywhere.
//
// Most operations are maps of elements: [Unary] and [Binary] take a formula for
// each input and do the rest, broadcasting with it. [None] says of operations that
// nothing flows through them. An operation without a registration cannot be
// differentiated.
//
// # Algebra
//
// A Context is a [graph.Builder] that places and names nodes, with short forms of
// what gradients are made of, its [Algebra]: [Algebra.Add], Sub, Mul, Div, Neg,
// Conj, …; [Algebra.Scalar], a number of the type of another tensor;
// [Algebra.SumTo], which undoes broadcasting; [Algebra.Shape] and its relatives,
// which are constants as far as shapes are known. None of them looks at an output
// that is zero because of an earlier error, so that a function need not ask for
// errors.
//
// # Loops
//
// A node inside a loop is differentiated inside another loop, which runs
// backwards. A gradient function knows nothing of that: an input or output of the
// node that it uses is, there, what it was in the same iteration. What it takes
// from the node it takes as it is, through [Context.Input] and [Context.Output],
// and what it needs of the shape of a tensor by [Algebra.Shape], so that the shape
// is kept for each iteration and not the tensor.
//
// # Rows
//
// A gradient may be sparse: rows of a tensor, all others being zero
// ([IndexedSlices]). It stays so until it is needed dense. A function that
// can say less than the whole uses [Context.SetRows], one that can do with rows
// looks at [Context.Rows]; for all others Dy makes it dense.
package gradient
