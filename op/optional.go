package op

import tf "github.com/troupe-go/troupe/session"

// An optionalAttr is the attributes of an operation that is to be added. Options
// write their value into it.
type optionalAttr map[string]any

// with is attrs, to which options have been applied.
func with[Option ~func(optionalAttr)](attrs optionalAttr, options []Option) optionalAttr {
	for _, set := range options {
		set(attrs)
	}
	return attrs
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
