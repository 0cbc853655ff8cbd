package layers

import (
	"slices"

	"github.com/troupe-go/troupe/op"
	_ "github.com/troupe-go/troupe/ops/data" // arrays of tensors, for recurrent layers
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// A Layer is a function of tensors with variables of its own. The layers of this package
// are pointers to structs whose fields have Keras's names and whose zero fields mean
// Keras's defaults; any comparable type with these methods is a layer, too.
type Layer interface {
	// Label is the name of the layer, or "" and a kind from which a name is made: the
	// second layer of kind "dense" is "dense_1".
	Label() (name, kind string)
	// Call adds the operations of the layer. It is called for each application of the
	// layer, once for inference and, before training, once for training.
	Call(c *Context, in []tf.Output) tf.Output
}

// A Context is what a layer is built in.
type Context struct {
	Scope    *op.Scope
	Training bool // dropout drops, normalizations use statistics of the batch

	net    *Network
	masks  []tf.Output // of the inputs; those without a mask have none here
	mask   tf.Output   // of the result
	gaps   bool        // outputs of a recurrent layer are 0 at steps that do not count
	path   string      // of variables
	frozen bool
	also   *effects // nil for inference
}

// Variable is the trainable variable of that name in the layer, which is added if there
// is none.
func (c *Context) Variable(name string, init train.Initializer, dims ...int64) *train.Variable {
	return c.variable(name, init, true, dims)
}

// State is a variable that is not trained; [Context.Assign] sets it.
func (c *Context) State(name string, init train.Initializer, dims ...int64) *train.Variable {
	return c.variable(name, init, false, dims)
}

func (c *Context) variable(name string, init train.Initializer, trainable bool, dims []int64) *train.Variable {
	path := join(c.path, name)
	if v := c.net.vars[path]; v != nil {
		if !slices.Equal(v.Shape, dims) {
			c.Fail("the layer is applied to tensors of different shapes: variable %s has shape %v, but must have %v here", path, tf.MakeShape(v.Shape...), tf.MakeShape(dims...))
		}
		return v
	}
	if c.Scope.Err() == nil && slices.ContainsFunc(dims, func(d int64) bool { return d < 0 }) {
		c.Fail("variable %s would have shape %v: a dimension of the input must be known", path, tf.MakeShape(dims...))
	}
	if c.Scope.Err() != nil {
		return &train.Variable{Name: path, DType: tf.Float, Shape: dims}
	}
	v := c.net.model.Variable(path, init, tf.Float, dims...)
	v.Trainable = trainable && !c.frozen
	c.net.vars[path] = v
	return v
}

// Assign makes each update set a variable to a value of the batch. It does nothing for
// inference.
func (c *Context) Assign(v *train.Variable, value tf.Output) {
	if c.also == nil || c.Scope.Err() != nil {
		return
	}
	for i, a := range c.also.also {
		if a.Variable == v { // the layer is applied again: the last one counts
			c.also.also[i].Value = value
			return
		}
	}
	c.also.also = append(c.also.also, train.Assignment{Variable: v, Value: value})
}

// AddLoss adds a scalar to the loss. It does nothing for inference.
func (c *Context) AddLoss(x tf.Output) {
	if c.also != nil && !c.frozen && c.Scope.Err() == nil {
		c.also.losses = append(c.also.losses, x)
	}
}

// Within is the context of a part of the layer: names of variables and operations are
// below the part's name.
func (c *Context) Within(name string) *Context {
	sub := *c
	sub.masks = nil
	sub.Scope = c.Scope.SubScope(name).WithUniqueNames()
	sub.path = join(c.path, name)
	return &sub
}

// Dropout is [train.Model.Dropout] in training and x itself in inference.
func (c *Context) Dropout(x tf.Output, rate float64) tf.Output {
	if !c.Training || rate == 0 {
		return x
	}
	return c.net.model.Dropout(c.Scope, x, rate)
}

// Seed is a seed [2] of stateless random operations, another one for each update.
func (c *Context) Seed() tf.Output { return c.net.model.Seed(c.Scope) }

// Fail sets the error of the network, unless there is one.
func (c *Context) Fail(format string, args ...any) {
	c.Scope.UpdateErr(c.path, status.Invalid(format, args...))
}

// rank checks that x has n dimensions.
func (c *Context) rank(x tf.Output, n int) bool {
	if c.Scope.Err() != nil {
		return false
	}
	if r := x.Shape().NumDimensions(); r != n {
		c.Fail("the input has shape %v, but the layer takes %d dimensions with that of examples", x.Shape(), n)
		return false
	}
	return true
}

// one is the only input of a layer.
func (c *Context) one(in []tf.Output) (tf.Output, bool) {
	if c.Scope.Err() != nil {
		return tf.Output{}, false
	}
	if len(in) != 1 {
		c.Fail("the layer takes one input, not %d", len(in))
		return tf.Output{}, false
	}
	return in[0], true
}

// dim is a dimension, counted from the end if it is negative; -1 if it is unknown.
func dim(x tf.Output, i int) int64 {
	if x.Op == nil {
		return -1
	}
	s := x.Shape()
	if i < 0 {
		i += s.NumDimensions()
	}
	if i < 0 || i >= s.NumDimensions() {
		return -1
	}
	return s.Size(i)
}

func number(s *op.Scope, x float64) tf.Output { return op.Const(s, float32(x)) }

func integers(s *op.Scope, x ...int32) tf.Output { return op.Const(s, append([]int32{}, x...)) }

func or[T comparable](x, otherwise T) T {
	var zero T
	if x == zero {
		return otherwise
	}
	return x
}

func initializer(given, otherwise train.Initializer) train.Initializer {
	if given == nil {
		return otherwise
	}
	return given
}
