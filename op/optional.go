package op

import (
	"slices"
	"unsafe"

	tf "github.com/troupe-go/troupe/session"
)

// An attr is an attribute of an operation that is to be added.
type attr struct {
	_     [0]func() // nobody compares them, so nothing is compiled that does
	name  string
	value any
}

// A pointer is to the options of one operation, a slice of a type that is defined as attr.
type pointer = unsafe.Pointer

// with is attributes, and after them those that options set. It is not generic, as it
// would be compiled for each of the hundreds of types of options, and not inlined.
//
//go:noinline
func with(options pointer, own ...attr) []attr {
	return append(slices.Clip(own), *(*[]attr)(options)...)
}

// attrs is attributes alone.
func attrs(own ...attr) []attr { return own }

// add adds an operation; it returns nil after an error. The last of several values of an
// attribute counts.
func (s *Scope) add(op string, attrs []attr, inputs ...tf.Input) *tf.Operation {
	if s.Err() != nil {
		return nil
	}
	values := make(map[string]any, len(attrs))
	for _, a := range attrs {
		values[a.name] = a.value
	}
	return s.AddOperation(tf.OpSpec{Type: op, Input: inputs, Attrs: values})
}

// node is add for operations whose inputs are single tensors. They become [tf.Input]s here:
// where they are passed, each would be converted by code of its own, hundreds of times.
func (s *Scope) node(op string, attrs []attr, inputs ...tf.Output) *tf.Operation {
	list := make([]tf.Input, len(inputs))
	for i, in := range inputs {
		list[i] = in
	}
	return s.add(op, attrs, list...)
}

// outputs splits the outputs of an operation into those of the definition.
func (s *Scope) outputs(op *tf.Operation) *outputs { return &outputs{scope: s, op: op} }

// An outputs gives the outputs of an operation, nil after an error, in order.
type outputs struct {
	scope *Scope
	op    *tf.Operation
	next  int
}

// one returns the next output.
func (o *outputs) one() tf.Output {
	o.next++
	return o.op.Output(o.next - 1)
}

// list returns the next output, which is a list, by its name.
func (o *outputs) list(name string) []tf.Output {
	if o.op == nil {
		return nil
	}
	n, err := o.op.OutputListSize(name)
	if err != nil {
		o.scope.UpdateErr(o.op.Type(), err)
		return nil
	}
	list := make([]tf.Output, n)
	for i := range list {
		list[i] = o.one()
	}
	return list
}
