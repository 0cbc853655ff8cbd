package layers

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// Dense is x·kernel + bias over the last dimension.
//
// Variables: kernel [in, Units], bias [Units].
type Dense struct {
	Name              string
	Units             int64
	Activation        Activation
	NoBias            bool
	KernelInitializer train.Initializer // train.GlorotUniform
	BiasInitializer   train.Initializer // train.Zeros
	KernelRegularizer Regularizer
}

// Label is the layer's name or kind.
func (l *Dense) Label() (name, kind string) { return l.Name, "dense" }

// Call adds the layer.
func (l *Dense) Call(c *Context, in []tf.Output) tf.Output {
	c.KeepMask()
	x, ok := c.one(in)
	if !ok {
		return x
	}
	if l.Units <= 0 {
		c.Fail("Units is %d, but must be positive", l.Units)
		return x
	}
	s := c.Scope
	kernel := c.Variable("kernel", initializer(l.KernelInitializer, train.GlorotUniform), dim(x, -1), l.Units)
	regularize(c, l.KernelRegularizer, kernel)
	y := project(s, x, kernel.Value, l.Units)
	if !l.NoBias {
		y = op.BiasAdd(s, y, c.Variable("bias", initializer(l.BiasInitializer, train.Zeros), l.Units).Value)
	}
	return apply(s, l.Activation, nil, y)
}

// project is x·kernel over the last dimension of x, for a matrix kernel of that many
// columns.
func project(s *op.Scope, x, kernel tf.Output, columns int64) tf.Output {
	if s.Err() != nil {
		return x
	}
	shape := x.Shape()
	rank := shape.NumDimensions()
	if rank == 2 {
		return op.MatMul(s, x, kernel)
	}
	rows := op.Reshape(s, x, integers(s, -1, int32(dim(x, -1))))
	return op.Reshape(s, op.MatMul(s, rows, kernel), resized(s, x, rank-1, columns))
}

// resized is the shape of x, of which the first n dimensions are followed by others.
func resized(s *op.Scope, x tf.Output, n int, others ...int64) tf.Output {
	if s.Err() != nil {
		return x
	}
	shape := x.Shape()
	dims := make([]int32, 0, n+len(others))
	unknown := 0
	for i := range n {
		d := shape.Size(i)
		if d < 0 {
			unknown++
		}
		dims = append(dims, int32(d))
	}
	for _, d := range others {
		dims = append(dims, int32(d))
	}
	if unknown <= 1 {
		return integers(s, dims...)
	}
	whole := op.Shape(s, x)
	parts := make([]tf.Output, len(dims))
	for i, d := range dims {
		if d < 0 {
			parts[i] = op.GatherV2(s, whole, op.Const(s, int32(i)), op.Const(s, int32(0)))
		} else {
			parts[i] = op.Const(s, d)
		}
	}
	return op.Pack(s, parts)
}

// A Regularizer is a scalar that is added to the loss for a variable.
type Regularizer func(s *op.Scope, w tf.Output) tf.Output

// L1 is a [Regularizer]: factor times the sum of absolute values.
func L1(factor float64) Regularizer {
	return func(s *op.Scope, w tf.Output) tf.Output { return op.Mul(s, total(s, op.Abs(s, w)), number(s, factor)) }
}

// L2 is a [Regularizer]: factor times the sum of squares.
func L2(factor float64) Regularizer {
	return func(s *op.Scope, w tf.Output) tf.Output {
		return op.Mul(s, total(s, op.Square(s, w)), number(s, factor))
	}
}

func regularize(c *Context, r Regularizer, v *train.Variable) {
	if r != nil && c.also != nil && c.Scope.Err() == nil {
		c.AddLoss(r(c.Scope, v.Value))
	}
}

// total is the sum of all elements.
func total(s *op.Scope, x tf.Output) tf.Output {
	return op.Sum(s, op.Reshape(s, x, integers(s, -1)), integers(s, 0))
}

// Embedding is a vector for each number in [0, InputDim).
//
// Variables: embeddings [InputDim, OutputDim].
type Embedding struct {
	Name                  string
	InputDim, OutputDim   int64
	MaskZero              bool              // 0 stands for no step: see Masking
	EmbeddingsInitializer train.Initializer // uniform in [-0.05, 0.05)
}

// Label is the layer's name or kind.
func (l *Embedding) Label() (name, kind string) { return l.Name, "embedding" }

// Call adds the layer.
func (l *Embedding) Call(c *Context, in []tf.Output) tf.Output {
	x, ok := c.one(in)
	if !ok {
		return x
	}
	if l.InputDim <= 0 || l.OutputDim <= 0 {
		c.Fail("InputDim is %d and OutputDim %d, but both must be positive", l.InputDim, l.OutputDim)
		return x
	}
	switch x.DataType() {
	case tf.Int32, tf.Int64:
	default:
		c.Fail("the input is of type %v, but must be int32 or int64", x.DataType())
		return x
	}
	if l.MaskZero {
		c.SetMask(op.NotEqual(c.Scope, x, op.Cast(c.Scope, op.Const(c.Scope, int32(0)), x.DataType())))
	}
	v := c.Variable("embeddings", initializer(l.EmbeddingsInitializer, train.Uniform(-0.05, 0.05)), l.InputDim, l.OutputDim)
	return op.ResourceGather(c.Scope, v.Handle, x, tf.Float)
}
