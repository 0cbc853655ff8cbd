package gradient

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Context is what a gradient function sees of a node, and the builder of what it
// adds. It is for the time of the call, and for one goroutine.
type Context struct {
	Algebra
	setting Setting
	set     []Value // by input
}

// A Setting is the circumstances of a call, for those who call gradient functions.
type Setting struct {
	Node *graph.Node
	// Builder adds nodes where the gradient is computed, within a scope of the
	// node's own.
	Builder *graph.Builder
	// Beside builds where a tensor of the graph that is differentiated is
	// computed: what it adds runs once for each value of the tensor.
	Beside func(graph.Output) *graph.Builder
	// Known is what is known of the shape of a tensor beyond what the graph knows,
	// nil: nothing.
	Known func(graph.Output) (shape.Shape, bool)
	// Defers reports whether the gradient of an input may be a product, nil: none may.
	Defers func(input int) bool
	// Outside says of a tensor that is the same in all iterations of the loop what it
	// is outside, and builds there; ok is false for others. It may be nil.
	Outside func(graph.Output) (b *graph.Builder, outer graph.Output, ok bool)
	Dy      []Value // the gradients of the outputs
	Wanted  []bool  // by input, whether its gradient leads anywhere
}

// Call runs a gradient function. The result has an element for each input. It
// fails with INTERNAL if the function says more of an input than it can have.
func Call(f Func, s Setting) ([]Value, error) {
	c := &Context{Algebra: Algebra{s.Builder, s.Beside, s.Known}, setting: s, set: make([]Value, s.Node.NumInputs())}
	c.run(f)
	if err := c.Err(); err != nil {
		return nil, err
	}
	for i, v := range c.set {
		if v.None() {
			continue
		}
		of := v.Dense
		switch {
		case v.Rows != nil:
			of = v.Rows.Values
		case v.Product != nil:
			of = v.Product.A
		}
		have, want := of.DataType().Base(), s.Node.InputTypes()[i].Base()
		if want == tensor.Resource {
			continue // of the type of what the variable holds
		}
		if have != want {
			return nil, status.Errorf(status.Internal, "the gradient of input %d of node '%s' (%s) is of type %v, the input of %v", i, s.Node.Name(), s.Node.Type(), have, want)
		}
	}
	return c.set, nil
}

// run calls the function. Once there has been an error nothing is added, so that
// what the function expects of lists may not be there: what it does then is of no
// interest.
func (c *Context) run(f Func) {
	defer func() {
		if c.Err() != nil {
			_ = recover()
		}
	}()
	f(c)
}

// Node returns the node that is differentiated.
func (c *Context) Node() *graph.Node { return c.setting.Node }

// Source names the backward graph that is built: the same for all nodes of one call,
// and different for calls.
func (c *Context) Source() string {
	prefix := c.Prefix()
	if i := strings.LastIndex(prefix, c.Node().Name()+"_grad"); i >= 0 {
		prefix = prefix[:i]
	}
	return strings.TrimSuffix(prefix, "/")
}

// NumInputs returns the number of the node's inputs.
func (c *Context) NumInputs() int { return c.setting.Node.NumInputs() }

// NumOutputs returns the number of the node's outputs.
func (c *Context) NumOutputs() int { return c.setting.Node.NumOutputs() }

// Input returns what the node takes at input i; the zero Output if there is none such.
//
//go:noinline
func (c *Context) Input(i int) graph.Output {
	if in := c.setting.Node.Inputs(); i >= 0 && i < len(in) {
		return in[i]
	}
	return graph.Output{}
}

// Output returns what the node puts out at output i.
//
//go:noinline
func (c *Context) Output(i int) graph.Output { return c.setting.Node.Output(i) }

// Arg returns the place of the input argument of that name among the inputs: from lo up
// to but not including hi, which differ by one unless it is a list.
func (c *Context) Arg(name string) (lo, hi int) {
	n := c.setting.Node
	lo, hi, _ = registry.ArgRange(n.Def().Inputs, n.Attrs(), name)
	return lo, hi
}

// Result returns the place of the output argument of that name among the outputs.
func (c *Context) Result(name string) (lo, hi int) {
	n := c.setting.Node
	lo, hi, _ = registry.ArgRange(n.Def().Outputs, n.Attrs(), name)
	return lo, hi
}

// Inputs returns the inputs of an argument by its name.
func (c *Context) Inputs(name string) graph.OutputList {
	lo, hi := c.Arg(name)
	return graph.OutputList(c.setting.Node.Inputs()[lo:hi:hi])
}

// Has reports whether anything flows to output i.
func (c *Context) Has(i int) bool {
	return i >= 0 && i < len(c.setting.Dy) && !c.setting.Dy[i].None()
}

// Dy returns the gradient of output i as a tensor. If nothing flows to the output it is
// zeros, and if it is sparse it is made dense.
func (c *Context) Dy(i int) graph.Output {
	if i < 0 || i >= len(c.setting.Dy) {
		c.Fail(status.Errorf(status.Internal, "node '%s' has %s, so no gradient %d", c.Node().Name(), status.Count(len(c.setting.Dy), "output"), i))
		return graph.Output{}
	}
	v := &c.setting.Dy[i]
	switch {
	case v.Rows != nil:
		v.Dense, v.Rows = c.Dense(v.Rows), nil
	case v.None():
		v.Dense = c.Zeros(c.Output(i))
	}
	return v.Dense
}

// Dys returns the gradients of several outputs, from lo up to but not including hi.
func (c *Context) Dys(lo, hi int) graph.OutputList {
	var list graph.OutputList
	for i := lo; i < hi; i++ {
		list = append(list, c.Dy(i))
	}
	return list
}

// Rows returns the gradient of output i if it is sparse; else nil.
func (c *Context) Rows(i int) *IndexedSlices { return c.setting.Dy[i].Rows }

// Wants reports whether the gradient of input i leads anywhere. Others may be set all
// the same; they are forgotten.
func (c *Context) Wants(i int) bool {
	return i >= 0 && i < len(c.setting.Wanted) && c.setting.Wanted[i]
}

// Set says what the gradient of input i is. Inputs for which nothing is said have
// none.
//
//go:noinline
func (c *Context) Set(i int, dx graph.Output) { c.give(i, Value{Dense: dx}) }

// SetProduct says that the gradient of input i is aᵀb, of matrices of real numbers.
//
//go:noinline
func (c *Context) SetProduct(i int, a, b graph.Output) {
	if a.Op != nil && b.Op != nil && c.setting.Defers != nil && c.setting.Defers(i) {
		c.give(i, Value{Product: &Product{a, b}})
		return
	}
	c.Set(i, c.Op("MatMul", graph.Attrs{"transpose_a": true, "transpose_b": false}, a, b))
}

// Turned returns the transpose of a matrix of real numbers, made once where that is the same
// in all iterations of a loop; ok is false elsewhere.
func (c *Context) Turned(x graph.Output) (turned graph.Output, ok bool) {
	if x.Op == nil || c.setting.Outside == nil {
		return x, false
	}
	b, outer, ok := c.setting.Outside(x)
	if !ok {
		return x, false
	}
	return b.Apply("Transpose", outer, b.Const([]int32{1, 0})), true
}

// SetRows says that the gradient of input i is sparse.
func (c *Context) SetRows(i int, dx IndexedSlices) {
	if dx.Values.Op != nil && dx.Indices.Op != nil {
		c.give(i, Value{Rows: &dx})
	}
}

// SetList says what the gradients of the inputs from lo on are.
func (c *Context) SetList(lo int, dx []graph.Output) {
	for i, v := range dx {
		c.Set(lo+i, v)
	}
}

// Pass hands the gradient of output i, as it is, on to input k.
//
//go:noinline
func (c *Context) Pass(i, k int) {
	if c.Has(i) {
		c.give(k, c.setting.Dy[i])
	}
}

func (c *Context) give(i int, v Value) {
	if i < 0 || i >= len(c.set) {
		c.Fail(status.Errorf(status.Internal, "node '%s' has %s, so none of index %d that could have a gradient", c.Node().Name(), status.Count(len(c.set), "input"), i))
		return
	}
	c.set[i] = v
}
