package train

import (
	"fmt"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/registry"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// An Optimizer is a rule by which gradients change variables. The optimizers of this
// package are structs in which a field of 0 means the default; to set a field to 0 where
// the default is another number, use a negative one.
type Optimizer interface {
	// Schedule is the learning rate.
	Schedule() Schedule
	// Update adds the nodes that update one variable.
	Update(u *Update)
}

// An Update is passed to an [Optimizer] for each variable.
type Update struct {
	// Scope is the scope for the update's operations, which run after all gradients have
	// been computed.
	Scope    *op.Scope
	Variable *Variable
	// Rate is the learning rate, a scalar of the variable's type.
	Rate tf.Output

	goal     *Goal
	gradient gradient.Value
	name     string // of the optimizer, in names of slots
	last     []*tf.Operation
}

// Number returns a scalar of the variable's type.
func (u *Update) Number(x float64) tf.Output { return number(u.Scope, u.Variable.DType, x) }

// Power is x to the power of the number of updates, this one included: a scalar of
// the variable's type.
func (u *Update) Power(x float64) tf.Output { return u.goal.power(x, u.Variable.DType) }

// Slot returns an optimizer variable of the same type and shape as the variable, filled with
// first initially.
func (u *Update) Slot(name string, first float64) *Variable {
	v := u.Variable
	slot := &Variable{Name: v.Name + "/" + u.goal.prefix + u.name + "/" + name, DType: v.DType, Shape: v.Shape, of: v}
	return u.goal.model.add(slot, Filled(first))
}

// Decay shrinks the variable before it is updated: w -= rate·factor·w. It applies to
// kernels only: variables with fewer than two dimensions (biases, scales) are unchanged.
func (u *Update) Decay(factor float64) {
	v, s := u.Variable, u.goal.scope
	if factor == 0 || len(v.Shape) < 2 {
		return
	}
	share := op.Cast(s, op.Mul(s, u.goal.rate, op.Const(s, factor)), v.DType)
	if n := v.change(u.Scope, "Sub", op.Mul(s, v.Value, share)); n != nil {
		u.Scope = u.Scope.WithControlDependencies(n)
	}
}

// Dense returns the gradient as a tensor of the variable's shape.
func (u *Update) Dense() tf.Output {
	if u.gradient.Rows != nil {
		u.gradient = gradient.Value{Dense: u.goal.dense(u.gradient.Rows)}
	}
	return u.gradient.Dense
}

// Rows returns the gradient as rows with distinct indices, all other rows being 0; ok is
// false if the gradient is not known to be sparse.
func (u *Update) Rows() (rows, indices tf.Output, ok bool) {
	if u.gradient.Rows == nil {
		return rows, indices, false
	}
	return u.gradient.Rows.Values, u.gradient.Rows.Indices, true
}

// Done declares that the variable has been updated when ops have run.
func (u *Update) Done(ops ...*tf.Operation) {
	for _, n := range ops {
		if n != nil {
			u.last = append(u.last, n)
		}
	}
}

// An apply is a call of one of the registry's Apply operations.
type apply struct {
	op     string // without ResourceApply, Apply and their Sparse forms
	sparse bool   // whether there is a form for rows
	attrs  map[string]any
	slots  []*Variable
	before []tf.Output // between the slots and the gradient
	after  []tf.Output // behind the gradient and its indices
}

// apply adds the operation, in the form that the variable and its gradient need.
func (u *Update) apply(a apply) {
	prefix := "Resource"
	if u.Variable.isRef() {
		prefix = ""
	}
	kind := "Apply"
	rows, indices, sparse := u.Rows()
	if sparse = sparse && a.sparse; sparse {
		kind = "SparseApply"
	}
	in := []tf.Input{u.Variable.Handle}
	for _, slot := range a.slots {
		in = append(in, slot.Handle)
	}
	for _, x := range a.before {
		in = append(in, x)
	}
	if sparse {
		in = append(in, rows, indices)
	} else {
		in = append(in, u.Dense())
	}
	for _, x := range a.after {
		in = append(in, x)
	}
	s := u.Scope
	if s.Err() != nil {
		return
	}
	name := prefix + kind + a.op
	if _, err := registry.Global.Lookup(name); err != nil {
		s.UpdateErr(name, status.Errorf(status.Unimplemented, "%s cannot update variable %s, which is a reference (VariableV2): operation %s does not exist; use a resource variable, as train.Model makes them", u.name, u.Variable.Name, name))
		return
	}
	u.Done(s.AddOperation(tf.OpSpec{Type: name, Input: in, Attrs: a.attrs}))
}

// setting is x, or the default if it is 0, or 0 if it is negative.
func setting(x, usual float64) float64 {
	switch {
	case x == 0:
		return usual
	case x < 0:
		return 0
	}
	return x
}

// nameOf returns the optimizer's type without its package.
func nameOf(o Optimizer) string {
	name := fmt.Sprintf("%T", o)
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}
