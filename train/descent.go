package train

import (
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// SGD is gradient descent: w -= rate·g. With momentum it is a = momentum·a + g and w -=
// rate·a, or with Nesterov w -= rate·(g + momentum·a).
type SGD struct {
	Rate     Schedule
	Momentum float64
	Nesterov bool
}

// Schedule returns the learning rate.
func (o SGD) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o SGD) Update(u *Update) {
	if o.Momentum != 0 {
		u.apply(apply{
			op: "Momentum", sparse: true, attrs: map[string]any{"use_nesterov": o.Nesterov},
			slots:  []*Variable{u.Slot("momentum", 0)},
			before: []tf.Output{u.Rate}, after: []tf.Output{u.Number(o.Momentum)},
		})
		return
	}
	rows, indices, ok := u.Rows()
	if !ok {
		u.apply(apply{op: "GradientDescent", before: []tf.Output{u.Rate}})
		return
	}
	step := op.Mul(u.Scope, rows, u.Rate)
	if u.Scope.Err() != nil {
		return
	}
	name := "ResourceScatterSub"
	if u.Variable.isRef() {
		name = "ScatterSub"
	}
	u.Done(u.Scope.AddOperation(tf.OpSpec{Type: name, Input: []tf.Input{u.Variable.Handle, indices, step}}))
}

// ProximalSGD is gradient descent with L1 and L2 penalties; the L1 penalty makes
// elements exactly 0. (Duchi and Singer, 2009.)
type ProximalSGD struct {
	Rate   Schedule
	L1, L2 float64
}

// Schedule returns the learning rate.
func (o ProximalSGD) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o ProximalSGD) Update(u *Update) {
	u.apply(apply{op: "ProximalGradientDescent", before: []tf.Output{u.Rate, u.Number(o.L1), u.Number(o.L2)}})
}

// AddSign enlarges the step if the gradient has the sign of its mean. (Bello et al.,
// 2017.)
type AddSign struct {
	Rate        Schedule
	Alpha, Beta float64 // 1, 0.9
	SignDecay   float64 // 1
}

// Schedule returns the learning rate.
func (o AddSign) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o AddSign) Update(u *Update) {
	u.apply(apply{
		op: "AddSign", slots: []*Variable{u.Slot("m", 0)},
		before: []tf.Output{u.Rate, u.Number(setting(o.Alpha, 1)), u.Number(setting(o.SignDecay, 1)), u.Number(setting(o.Beta, 0.9))},
	})
}

// PowerSign is [AddSign] with a power of Base in place of a sum. (Bello et al., 2017.)
type PowerSign struct {
	Rate      Schedule
	LogBase   float64 // 1: the base is e
	Beta      float64 // 0.9
	SignDecay float64 // 1
}

// Schedule returns the learning rate.
func (o PowerSign) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o PowerSign) Update(u *Update) {
	u.apply(apply{
		op: "PowerSign", slots: []*Variable{u.Slot("m", 0)},
		before: []tf.Output{u.Rate, u.Number(setting(o.LogBase, 1)), u.Number(setting(o.SignDecay, 1)), u.Number(setting(o.Beta, 0.9))},
	})
}
