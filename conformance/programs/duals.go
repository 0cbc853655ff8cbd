package programs

import (
	"fmt"
	"math"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// Programs can be evaluated with dual numbers: every float has a slope in addition to
// its value, the derivatives of the value in some directions, that is, when the elements
// of inputs, or what is read of variables, change as the directions say. What moves
// elements about moves their slopes; what computes has its derivatives here. Where a
// function has none, the choice is TensorFlow's: of equal numbers Maximum and Minimum
// take the first, Max and Min share.

// MaxOrder is how often a program can be differentiated.
const MaxOrder = 3

// A slope is the derivatives of a number in up to MaxOrder directions e0, e1 and e2:
// the coefficients of the products of the ei, of which each is 0 when squared. Nil
// stands for zeros.
type slope = *derivatives

// The derivatives are by sets of directions, as bits: 0b11 is the mixed derivative in
// e0 and e1. Size is the sum of what a derivative is the sum of, without signs: a
// computation with rounding is exact to some parts of that. Element 0 is not used.
type derivatives struct{ by, size [1 << MaxOrder]float64 }

// plus returns the slope of dx·x + dy·y.
func (x slope) plus(dx float64, y slope, dy float64) slope {
	x, y = x.times(dx), y.times(dy)
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	for set := range x.by {
		x.by[set] += y.by[set]
		x.size[set] += y.size[set]
	}
	return x
}

// times returns the slope of d·x, a new one. That of a constant is one whatever d is.
func (x slope) times(d float64) slope {
	if x == nil {
		return nil
	}
	z := &derivatives{}
	for set := range x.by {
		if x.size[set] != 0 {
			z.by[set], z.size[set] = x.by[set]*d, x.size[set]*math.Abs(d)
		}
	}
	return z
}

// product2 returns the slope of x·y.
func product2(x, y number) slope {
	z := x.slope.plus(y.re, y.slope, x.re)
	if x.slope == nil || y.slope == nil {
		return z
	}
	for set := range z.by {
		for part := (set - 1) & set; part > 0; part = (part - 1) & set {
			z.by[set] += x.slope.by[part] * y.slope.by[set&^part]
			z.size[set] += x.slope.size[part] * y.slope.size[set&^part]
		}
	}
	return z
}

// through returns the slope of f(x), where f has those first, second and third derivatives
// at the value of x.
func (x slope) through(f ...float64) slope {
	if x == nil {
		return nil
	}
	z := &derivatives{}
	for set := 1; set < len(z.by); set++ {
		z.by[set], z.size[set] = x.chain(set, f)
		if !(x.factors(set, len(f)) < TooLarge) {
			z.size[set] = math.Inf(1)
		}
	}
	return z
}

// TooLarge is a size from which on single precision may overflow, though the result does not:
// a backward graph may multiply derivatives of x with each other before it multiplies them
// with a small one of the function.
const TooLarge = 1e30

// factors returns the largest product of the sizes of at most n derivatives of x that chain
// multiplies.
func (x slope) factors(set, n int) (largest float64) {
	rest := set & (set - 1)
	for others := rest; ; others = (others - 1) & rest {
		product := x.size[set&^others]
		if others != 0 && n > 1 {
			product *= x.factors(others, n-1)
		}
		if others == 0 || n > 1 {
			largest = max(largest, product)
		}
		if others == 0 {
			return largest
		}
	}
}

// chain returns the sum over the partitions of a set of the product of the derivatives of
// x by the parts and a derivative of the function (Faà di Bruno).
func (x slope) chain(set int, f []float64) (by, size float64) {
	rest := set & (set - 1)
	for others := rest; ; others = (others - 1) & rest { // the parts besides the one with the first direction
		if part := set &^ others; x.size[part] != 0 {
			left, leftSize := 1.0, 1.0
			switch {
			case others != 0 && len(f) > 1:
				left, leftSize = x.chain(others, f[1:])
			case others != 0:
				left, leftSize = 0, 0
			default:
				left, leftSize = f[0], math.Abs(f[0])
			}
			by += x.by[part] * left
			size += x.size[part] * leftSize
		}
		if others == 0 {
			return by, size
		}
	}
}

// smooth is the types of programs that are differentiated: halves are rounded too much
// to tell a mistake from rounding.
var smooth = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Bool}

// weighted multiplies a matrix in sight with the last input, which is one.
func (m *maker) weighted() bool {
	w := m.p.Inputs[len(m.p.Inputs)-1]
	t := m.p.Types[w]
	x, ok := m.pick(func(_ Var, u Type) bool {
		return u.Kind == Tensor && u.DType == t.DType && len(u.Dims) == 2 && u.known() && u.Dims[1] == t.Dims[0]
	})
	if ok {
		m.apply(matMul, []Type{m.p.Types[x]}, []int{0, m.src.Int("transposed", 0, 1)}, x, w)
	}
	return ok
}

// curve applies an operation that has a second derivative to floats in sight.
func (m *maker) curve() bool {
	x, t, ok := m.among([]tensor.DType{tensor.Double, tensor.Float}, 0)
	if !ok {
		return false
	}
	if m.one(4) {
		square := unaries[slices.IndexFunc(unaries, func(u *unary) bool { return u.name == "Square" })].op
		m.apply(square, []Type{t}, nil, x)
		return true
	}
	y := m.partner(x, t, false)
	dims, _ := broadcast(t, m.p.Types[y], x == y)
	m.apply(binaryOp([]string{"Mul", "Mul", "SquaredDifference", "DivNoNan"}[m.src.Int("curve", 0, 3)]), []Type{tensorType(t.DType, dims...)}, nil, x, y)
	return true
}

// bend returns a choice between functions of a float, of which most have a second derivative
// and some are choices again.
func (m *maker) bend(x Var, depth int) Var {
	t := m.p.Types[x]
	st := &Choice{Multi: m.one(2)}
	n := 2
	if st.Multi {
		st.Index, n = m.count(), m.src.Int("branches", 2, 4)
	} else {
		st.Index = m.predicate()
	}
	for range n {
		y := x
		st.Blocks = append(st.Blocks, m.within(func() {
			for range m.src.Int("functions", 0, 2) {
				if depth > 0 && m.one(4) {
					y = m.bend(y, depth-1)
					continue
				}
				z, ok := m.pick(func(_ Var, u Type) bool {
					dims, fits := broadcast(t, u, false)
					return u.Kind == Tensor && u.DType == t.DType && fits && slices.Equal(dims, t.Dims)
				})
				if !ok {
					z = y
				}
				y = m.must(m.apply(binaryOp([]string{"Mul", "AddV2", "Sub", "SquaredDifference"}[m.src.Int("function", 0, 3)]), []Type{t}, nil, y, z))
			}
		}))
		st.Outs = append(st.Outs, []Var{y})
	}
	st.To = m.freshes([]Type{t})
	m.emit(st)
	m.see(st.To...)
	return st.To[0]
}

// slopes2 is the slopes of operations on pairs; those of others are 0.
var slopes2 = map[string]func(x, y number) slope{
	"AddV2": func(x, y number) slope { return x.slope.plus(1, y.slope, 1) },
	"Sub":   func(x, y number) slope { return x.slope.plus(1, y.slope, -1) },
	"Mul":   product2,
	"SquaredDifference": func(x, y number) slope {
		return x.slope.plus(1, y.slope, -1).through(2*(x.re-y.re), 2)
	},
	"RealDiv":  quotient,
	"DivNoNan": quotient,
	"Maximum": func(x, y number) slope {
		if x.re >= y.re {
			return x.slope
		}
		return y.slope
	},
	"Minimum": func(x, y number) slope {
		if x.re <= y.re {
			return x.slope
		}
		return y.slope
	},
}

// prodOfTwo returns a product of a Prod. Of the third derivatives where two factors are 0
// the backward graph gives a part: see docs/gaps.md. Elsewhere it divides by factors,
// and adds up parts of which some cancel.
func prodOfTwo(dt tensor.DType, x, y number) number {
	if x.slope != nil && y.slope != nil && x.re == 0 && y.re == 0 {
		panic(unclear("a product of two zeros that change"))
	}
	return exactProduct(dt, x.divided(), y.divided())
}

// divided returns a number whose slope has the sizes of what exp(log|x|) is the sum of.
func (x number) divided() number {
	if x.slope == nil || x.re == 0 {
		return x
	}
	by := 1 / x.re
	sizes := x.slope.through(by, -by*by, 2*by*by*by).through(x.re, x.re, x.re)
	x.slope = &derivatives{by: x.slope.by, size: sizes.size}
	return x
}

// quotient returns the slope of x/y, and 0 where y is.
func quotient(x, y number) slope {
	if y.re == 0 {
		return nil
	}
	by := 1 / y.re
	return product2(x, number{re: by, slope: y.slope.through(-by*by, 2*by*by*by, -6*by*by*by*by)})
}

// slopes1 is the slopes of operations on single elements.
var slopes1 = map[string]func(x number) slope{
	"Neg":    func(x number) slope { return x.slope.times(-1) },
	"Square": func(x number) slope { return x.slope.through(2*x.re, 2) },
	"Abs":    func(x number) slope { return x.slope.times(float64(sign(x))) },
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

// checkSmall panics where products of some numbers may overflow: what they are multiplied
// with may be 0.
func (a *Array) checkSmall() {
	for _, e := range a.elems {
		if isFloat(a.Type) && !(math.Abs(e.re) < 1e30) {
			panic(unclear("a large number"))
		}
	}
}

// level returns the array without slopes.
func (a *Array) level() *Array {
	o := newArray(a.Type, a.Dims)
	for i, e := range a.elems {
		e.slope = nil
		o.elems[i] = e
	}
	return o
}

// along returns the array with the slopes of the directions in which it changes; nil: it
// does not change in that one.
func (a *Array) along(directions []*Array) *Array {
	o := a.level()
	for k, direction := range directions {
		if direction == nil {
			continue
		}
		for i, d := range direction.elems {
			if o.elems[i].slope == nil {
				o.elems[i].slope = &derivatives{}
			}
			o.elems[i].slope.by[1<<k], o.elems[i].slope.size[1<<k] = d.re, math.Abs(d.re)
		}
	}
	return o
}

// read returns the value of a variable, with slopes if what is read of it has some.
func (o *Object) read() *Array {
	if o.along == nil {
		return o.now.level()
	}
	return o.now.along(o.along)
}

// Smooth returns the inputs, handles of variables and results that are floats: what may be
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

// Narrow reports whether anything in the program is a float of 32 bits, and coarse
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

// Slope returns the mixed derivative of the sum of the results ys, each element times that
// of a weight, in directions in which inputs and variables change, by their handles;
// and the sum of the sizes of what the derivative is the sum of.
func (p *Program) Slope(inputs []*Array, memory Memory, directions []map[Var]*Array, ys []Var, weights []*Array) (by, size float64, err error) {
	e := &evaluation{types: p.Types, env: make([]Value, len(p.Types)), small: true}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unclear:
			err = fmt.Errorf("unclear: %s", r)
		default:
			panic(r)
		}
	}()
	of := func(v Var) []*Array {
		list := make([]*Array, len(directions))
		for k, d := range directions {
			list[k] = d[v]
		}
		return list
	}
	for i, v := range p.Inputs {
		e.env[v] = inputs[i].along(of(v))
	}
	for i, v := range p.Variables {
		e.env[v.Handle], e.env[v.Flow] = &Object{Of: p.Types[v.Handle], now: memory[i], along: of(v.Handle)}, flow
	}
	e.block(p.Body)
	var all slope
	for i, y := range ys {
		for k, el := range e.array(y).elems {
			all = all.plus(1, el.slope, weights[i].elems[k].re)
		}
	}
	if all == nil {
		return 0, 0, nil
	}
	set := 1<<len(directions) - 1
	return all.by[set], all.size[set], nil
}

// Dot returns the sum of the products of the elements of two arrays of floats.
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
