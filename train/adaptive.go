package train

import tf "github.com/troupe-go/troupe/session"

// Adam keeps means of gradients, m, and of their squares, v:
//
//	m = Beta1·m + (1-Beta1)·g, v = Beta2·v + (1-Beta2)·g²,
//	w -= rate·√(1-Beta2ᵗ)/(1-Beta1ᵗ) · m/(√v + Epsilon)
//
// for update t, counted from 1. Rows of a sparse gradient count as a whole tensor,
// for m moves all of them. (Kingma and Ba, 2015.)
type Adam struct {
	Rate         Schedule
	Beta1, Beta2 float64 // 0.9, 0.999
	Epsilon      float64 // 1e-7
	Nesterov     bool    // m one update ahead
	AMSGrad      bool    // the greatest v so far in place of v (Reddi et al., 2018)
}

// Schedule returns the learning rate.
func (o Adam) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o Adam) Update(u *Update) {
	beta1, beta2 := setting(o.Beta1, 0.9), setting(o.Beta2, 0.999)
	a := apply{
		op: "Adam", slots: []*Variable{u.Slot("m", 0), u.Slot("v", 0)}, attrs: map[string]any{"use_nesterov": o.Nesterov},
		before: []tf.Output{u.Power(beta1), u.Power(beta2), u.Rate, u.Number(beta1), u.Number(beta2), u.Number(setting(o.Epsilon, 1e-7))},
	}
	if o.AMSGrad {
		a.op, a.attrs = "AdamWithAmsgrad", nil
		a.slots = append(a.slots, u.Slot("vhat", 0))
	}
	u.apply(a)
}

// AdamW is [Adam] with weight decay: see [Update.Decay]. (Loshchilov and Hutter, 2019.)
type AdamW struct {
	Adam
	Decay float64 // 0.004
}

// Update adds the update of one variable.
func (o AdamW) Update(u *Update) {
	u.Decay(setting(o.Decay, 0.004))
	o.Adam.Update(u)
}

// Adamax is [Adam] with the decaying maximum of the absolute gradient in place of the
// root of v: v = max(Beta2·v, |g|), w -= rate/(1-Beta1ᵗ)·m/(v + Epsilon).
type Adamax struct {
	Rate         Schedule
	Beta1, Beta2 float64 // 0.9, 0.999
	Epsilon      float64 // 1e-7
}

// Schedule returns the learning rate.
func (o Adamax) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o Adamax) Update(u *Update) {
	beta1, beta2 := setting(o.Beta1, 0.9), setting(o.Beta2, 0.999)
	u.apply(apply{
		op: "AdaMax", slots: []*Variable{u.Slot("m", 0), u.Slot("v", 0)},
		before: []tf.Output{u.Power(beta1), u.Rate, u.Number(beta1), u.Number(beta2), u.Number(setting(o.Epsilon, 1e-7))},
	})
}

// Adagrad keeps the sum of squared gradients, a += g², and divides by its root:
// w -= rate·g/(√a + Epsilon). (Duchi et al., 2011.)
type Adagrad struct {
	Rate    Schedule
	Initial float64 // of the sum: 0.1
	Epsilon float64 // 1e-7
}

// Schedule returns the learning rate.
func (o Adagrad) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o Adagrad) Update(u *Update) {
	u.apply(apply{
		op: "AdagradV2", sparse: true, slots: []*Variable{u.Slot("accumulator", setting(o.Initial, 0.1))},
		before: []tf.Output{u.Rate, u.Number(setting(o.Epsilon, 1e-7))},
	})
}

// ProximalAdagrad is [Adagrad], without Epsilon, with L1 and L2 penalties.
type ProximalAdagrad struct {
	Rate    Schedule
	Initial float64 // of the sum: 0.1
	L1, L2  float64
}

// Schedule returns the learning rate.
func (o ProximalAdagrad) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o ProximalAdagrad) Update(u *Update) {
	u.apply(apply{
		op: "ProximalAdagrad", slots: []*Variable{u.Slot("accumulator", setting(o.Initial, 0.1))},
		before: []tf.Output{u.Rate, u.Number(o.L1), u.Number(o.L2)},
	})
}

// Adadelta scales a gradient by the mean of past steps over the mean of past
// gradients. (Zeiler, 2012.)
type Adadelta struct {
	Rate    Schedule
	Rho     float64 // how much of a mean stays: 0.95
	Epsilon float64 // 1e-7
}

// Schedule returns the learning rate.
func (o Adadelta) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o Adadelta) Update(u *Update) {
	u.apply(apply{
		op: "Adadelta", sparse: true, slots: []*Variable{u.Slot("gradients", 0), u.Slot("steps", 0)},
		before: []tf.Output{u.Rate, u.Number(setting(o.Rho, 0.95)), u.Number(setting(o.Epsilon, 1e-7))},
	})
}

// RMSProp divides by the root of r, the mean of squared gradients: w -= rate·g/√(r +
// Epsilon); if Centered, the square of the mean gradient is subtracted from r. With
// momentum, m = Momentum·m + rate·g/√(r + Epsilon) is subtracted. (Tieleman and Hinton,
// 2012.)
type RMSProp struct {
	Rate     Schedule
	Rho      float64 // how much of a mean stays: 0.9
	Momentum float64
	Epsilon  float64 // 1e-7
	Centered bool
	Initial  float64 // of r; 1 is what TensorFlow 1 has
}

// Schedule returns the learning rate.
func (o RMSProp) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o RMSProp) Update(u *Update) {
	a := apply{
		op: "RMSProp", sparse: true, slots: []*Variable{u.Slot("squares", o.Initial), u.Slot("momentum", 0)},
		before: []tf.Output{u.Rate, u.Number(setting(o.Rho, 0.9)), u.Number(o.Momentum), u.Number(setting(o.Epsilon, 1e-7))},
	}
	if o.Centered {
		a.op, a.sparse = "CenteredRMSProp", false
		a.slots = append([]*Variable{u.Slot("mean", 0)}, a.slots...)
	}
	u.apply(a)
}

// FTRL is follow the regularized leader, for sparse linear models. (McMahan et al.,
// 2013.)
type FTRL struct {
	Rate      Schedule
	Power     float64 // of the rate's decay, at most 0: -0.5
	Initial   float64 // of the sum of squares: 0.1
	L1, L2    float64
	Shrinkage float64 // a penalty on squares that is part of the gradient
}

// Schedule returns the learning rate.
func (o FTRL) Schedule() Schedule { return o.Rate }

// Update adds the update of one variable.
func (o FTRL) Update(u *Update) {
	power := o.Power
	if power == 0 {
		power = -0.5
	}
	u.apply(apply{
		op: "FtrlV2", sparse: true, slots: []*Variable{u.Slot("accumulator", setting(o.Initial, 0.1)), u.Slot("linear", 0)},
		after: []tf.Output{u.Rate, u.Number(o.L1), u.Number(o.L2), u.Number(o.Shrinkage), u.Number(power)},
	})
}
