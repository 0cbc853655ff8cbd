package shape

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Func determines the shapes of a node's outputs from what is known about
// its inputs. It sets outputs with [Context.SetOutput]; those it leaves are of
// unknown rank. Its error says what is wrong with the inputs or attributes;
// the caller adds the node's name.
//
// A Func is to cope with any number of inputs, outputs and attributes, as a
// program may bring definitions of its own: the methods of Context return an unknown or
// zero value where something is missing.
type Func func(c *Context) error

// A Context is what a shape function sees of a node, and where it leaves what
// it finds. The first error that [Context.Try] or [Context.TryDim] is given
// sticks; everything after it goes on with unknown shapes, so that a function
// can be written straight down and end with
//
//	return c.Err()
//
// Inference takes the sticking error even if the function returns nil.
type Context struct {
	Node  string
	Op    *registry.OpDef
	Attrs registry.Attrs
	// Producer is the version of the graph that the node is of; 0: the newest.
	Producer int
	// Input types and shapes by position, lists flattened.
	InputTypes  []tensor.DType
	Inputs      []Shape
	OutputTypes []tensor.DType
	Outputs     []Shape
	// Constant returns the value of input i if it can be determined before
	// the graph runs, else nil. Nil function: no constants known.
	Constant func(i int) *tensor.Tensor
	// ConstantShape returns what is known of the elements of input i, a vector
	// of integers read as a shape. Nil function: derived from Constant.
	ConstantShape func(i int) Shape
	// ConstantPart returns which elements of input i, a vector of integers, are
	// known, and their values; nil slices if it knows none. Nil function: derived
	// from Constant.
	ConstantPart func(i int) (elements []int64, known []bool)

	// Handle data: the types and shapes of what a resource or variant input
	// holds. Shorter than Inputs or Outputs where nothing is known.
	InputHandles, OutputHandles [][]HandleData

	err error
}

// HandleData is the type and shape of one tensor behind a resource or variant.
type HandleData struct {
	Type  tensor.DType
	Shape Shape
}

// Input returns the shape of input i; of unknown rank if there is none such.
func (c *Context) Input(i int) Shape {
	if i < 0 || i >= len(c.Inputs) {
		return Shape{}
	}
	return c.Inputs[i]
}

// InputType returns the type of input i; Invalid if there is none such.
func (c *Context) InputType(i int) tensor.DType {
	if i < 0 || i >= len(c.InputTypes) {
		return tensor.Invalid
	}
	return c.InputTypes[i]
}

// OutputType returns the type of output i; Invalid if there is none such.
func (c *Context) OutputType(i int) tensor.DType {
	if i < 0 || i >= len(c.OutputTypes) {
		return tensor.Invalid
	}
	return c.OutputTypes[i]
}

// NumInputs returns the number of inputs, lists flattened.
func (c *Context) NumInputs() int { return len(c.Inputs) }

// NumOutputs returns the number of outputs, lists flattened.
func (c *Context) NumOutputs() int { return len(c.Outputs) }

// SetOutput sets the shape of output i, if there is such an output.
func (c *Context) SetOutput(i int, s Shape) {
	if i >= 0 && i < len(c.Outputs) {
		c.Outputs[i] = s
	}
}

// SetOutputs sets the shape of every output.
func (c *Context) SetOutputs(s Shape) {
	for i := range c.Outputs {
		c.Outputs[i] = s
	}
}

// Try is s, after the first error has been kept:
//
//	a := c.Try(c.Input(0).WithRank(2))
func (c *Context) Try(s Shape, err error) Shape {
	c.Fail(err)
	return s
}

// TryDim is d, after the first error has been kept.
func (c *Context) TryDim(d int64, err error) int64 {
	c.Fail(err)
	return d
}

// Fail keeps err if it is the first; nil is no error.
func (c *Context) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Err returns the first error that was kept.
func (c *Context) Err() error { return c.err }

// Handle returns what is known of the only tensor behind input i, a resource or
// variant; ok is false if nothing is.
func (c *Context) Handle(i int) (h HandleData, ok bool) {
	if i < 0 || i >= len(c.InputHandles) || len(c.InputHandles[i]) != 1 {
		return HandleData{}, false
	}
	return c.InputHandles[i][0], true
}

// HasHandle reports whether something is known of the tensors behind input i.
func (c *Context) HasHandle(i int) bool {
	return i >= 0 && i < len(c.InputHandles) && c.InputHandles[i] != nil
}

// HandleShape returns the shape of the tensor behind input i if that is a resource,
// and the shape of input i itself if it is not.
func (c *Context) HandleShape(i int) Shape {
	if c.InputType(i).Base() != tensor.Resource {
		return c.Input(i)
	}
	h, _ := c.Handle(i)
	return h.Shape
}

// SetHandle says what is behind output i, a resource or variant.
func (c *Context) SetHandle(i int, data ...HandleData) {
	if i < 0 || i >= len(c.Outputs) {
		return
	}
	for len(c.OutputHandles) <= i {
		c.OutputHandles = append(c.OutputHandles, nil)
	}
	c.OutputHandles[i] = data
}

// PassHandle makes output out hold what input in holds.
func (c *Context) PassHandle(in, out int) {
	if in >= 0 && in < len(c.InputHandles) && c.InputHandles[in] != nil {
		c.SetHandle(out, c.InputHandles[in]...)
	}
}

// Output returns what was set for output i.
func (c *Context) Output(i int) Shape {
	if i < 0 || i >= len(c.Outputs) {
		return Shape{}
	}
	return c.Outputs[i]
}
