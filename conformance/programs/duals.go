package programs

import (
	"fmt"
	"math"

	"github.com/troupe-go/troupe/tensor"
)

// Programs can be evaluated with dual numbers: every float has beside its value a
// slope, the derivative of the value in one direction, that is, when the elements of
// one input, or what is read of one variable, change as the direction says. What moves
// elements about moves their slopes; what computes has its partial derivatives here.
// Where a function has none, the choice is TensorFlow's: of equal numbers Maximum and
// Minimum take the first, Max and Min share.

// A slope is the derivative of a number, and the sum of what the derivative is the sum
// of, without signs: a computation with rounding is exact to some parts of that.
type slope struct{ by, size float64 }

// plus is the slope of z by the chain rule, where dx and dy are the partial derivatives
// by x and y.
func (x slope) plus(dx float64, y slope, dy float64) slope {
	x, y = x.times(dx), y.times(dy)
	return slope{x.by + y.by, x.size + y.size}
}

func (x slope) times(d float64) slope {
	if x.size == 0 { // whatever d is
		return slope{}
	}
	return slope{x.by * d, x.size * math.Abs(d)}
}

// smooth is the types of programs that are differentiated: halves are rounded too much
// to tell a mistake from rounding.
var smooth = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Bool}

// partials2 is the partial derivatives of operations on pairs; those that are not here
// have none but 0.
var partials2 = map[string]func(x, y float64) (dx, dy float64){
	"AddV2":             func(x, y float64) (dx, dy float64) { return 1, 1 },
	"Sub":               func(x, y float64) (dx, dy float64) { return 1, -1 },
	"Mul":               func(x, y float64) (dx, dy float64) { return y, x },
	"SquaredDifference": func(x, y float64) (dx, dy float64) { return 2 * (x - y), -2 * (x - y) },
	"RealDiv":           func(x, y float64) (dx, dy float64) { return 1 / y, -x / (y * y) },
	"DivNoNan": func(x, y float64) (dx, dy float64) {
		if y == 0 {
			return 0, 0
		}
		return 1 / y, -x / (y * y)
	},
	"Maximum": func(x, y float64) (dx, dy float64) {
		if x >= y {
			return 1, 0
		}
		return 0, 1
	},
	"Minimum": func(x, y float64) (dx, dy float64) {
		if x <= y {
			return 1, 0
		}
		return 0, 1
	},
}

// partials1 is the derivatives of operations on single elements.
var partials1 = map[string]func(x float64) float64{
	"Neg":    func(x float64) float64 { return -1 },
	"Square": func(x float64) float64 { return 2 * x },
	"Abs":    func(x float64) float64 { return float64(sign(number{re: x})) },
}

// share gives what Max or Min made of x the slopes of all that are the largest or least.
func (r *reduction) share(x, made *Array, stays []int) {
	if !isFloat(x.Type) {
		return
	}
	sum, n := make([]slope, len(made.elems)), make([]float64, len(made.elems))
	to := make([]int, len(x.Dims))
	eachIndex(x.Dims, func(k int, index []int) {
		for i := range to {
			to[i] = min(index[i], stays[i]-1)
		}
		if at := place(stays, to); equal(x.elems[k], made.elems[at]) {
			sum[at] = sum[at].plus(1, x.elems[k].slope, 1)
			n[at]++
		}
	})
	for i := range sum {
		made.elems[i].slope = sum[i].times(1 / n[i])
	}
}

// level is the array without slopes.
func (a *Array) level() *Array {
	o := newArray(a.Type, a.Dims)
	for i, e := range a.elems {
		e.slope = slope{}
		o.elems[i] = e
	}
	return o
}

// along is the array with the slopes of a direction in which it changes.
func (a *Array) along(direction *Array) *Array {
	o := a.level()
	for i, d := range direction.elems {
		o.elems[i].slope = slope{d.re, math.Abs(d.re)}
	}
	return o
}

// read is the value of a variable, with slopes if what is read of it has some.
func (o *Object) read() *Array {
	if o.along == nil {
		return o.now.level()
	}
	return o.now.along(o.along)
}

// Smooth is the inputs, handles of variables and results that are floats: what may be
// differentiated by, and what.
func (p *Program) Smooth() (xs, ys []Var) {
	is := func(v Var) bool { t := p.Types[v]; return t.DType == tensor.Float || t.DType == tensor.Double }
	for _, v := range p.Inputs {
		if is(v) {
			xs = append(xs, v)
		}
	}
	for _, v := range p.Variables {
		if is(v.Handle) {
			xs = append(xs, v.Handle)
		}
	}
	for _, v := range p.Results {
		if is(v) {
			ys = append(ys, v)
		}
	}
	return xs, ys
}

// Narrow says whether anything in the program is a float of 32 bits, and coarse
// whether anything is one of fewer, or complex.
func (p *Program) Narrow() (narrow, coarse bool) {
	for _, t := range p.Types {
		switch {
		case t.DType == tensor.Float:
			narrow = true
		case t.DType != tensor.Double && isFloat(t.DType), isComplex(t.DType):
			coarse = true
		}
	}
	return narrow, coarse
}

// Slope is the derivative of the sum of the results ys, each element times that of a
// weight, when x, an input or the handle of a variable, changes in a direction; and
// the sum of the sizes of what the derivative is the sum of.
func (p *Program) Slope(inputs []*Array, memory Memory, x Var, direction *Array, ys []Var, weights []*Array) (by, size float64, err error) {
	e := &evaluation{types: p.Types, env: make([]Value, len(p.Types))}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unclear:
			err = fmt.Errorf("unclear: %s", r)
		default:
			panic(r)
		}
	}()
	for i, v := range p.Inputs {
		e.env[v] = inputs[i]
		if v == x {
			e.env[v] = inputs[i].along(direction)
		}
	}
	for i, v := range p.Variables {
		o := &Object{Of: p.Types[v.Handle], now: memory[i]}
		if v.Handle == x {
			o.along = direction
		}
		e.env[v.Handle], e.env[v.Flow] = o, flow
	}
	e.block(p.Body)
	var all slope
	for i, y := range ys {
		for k, el := range e.array(y).elems {
			all = all.plus(1, el.slope, weights[i].elems[k].re)
		}
	}
	return all.by, all.size, nil
}

// Dot is the sum of the products of the elements of two arrays of floats.
func Dot(a, b *Array) float64 {
	sum := 0.0
	for i, x := range a.elems {
		sum += x.re * b.elems[i].re
	}
	return sum
}

// Direction draws an array of floats in which hardly two are alike.
func Direction(src Source, dt tensor.DType, dims []int) *Array {
	a := newArray(dt, dims)
	for i := range a.elems {
		a.elems[i].re = float64(src.Int("direction", 1, 4096)) / 1024
		if src.Int("sign", 0, 1) == 1 {
			a.elems[i].re *= -1
		}
	}
	return a
}
