package programs

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A binary is an operation on pairs of elements, with broadcasting.
type binary struct {
	name  string
	types []tensor.DType
	out   tensor.DType // of the result; Invalid: that of the arguments
	f     func(dt tensor.DType, a, b number) number
	whole bool // of integers: an error if the second is 0
	op    *Op
}

// A unary is an operation on single elements.
type unary struct {
	name  string
	types []tensor.DType
	out   func(dt tensor.DType) tensor.DType // nil: that of the argument
	f     func(dt tensor.DType, x number) number
	op    *Op
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func divided(f func(dt tensor.DType, a, b int64) int64, u func(a, b uint64) uint64) func(tensor.DType, number, number) number {
	return func(dt tensor.DType, a, b number) number {
		switch {
		case isUnsigned(dt):
			return number{i: int64(u(uint64(a.i), uint64(b.i)))}
		case b.i == -1 && a.i == -1<<(bits(dt)-1):
			panic(unclear("the least integer divided by -1"))
		}
		return number{i: f(dt, a.i, b.i)}
	}
}

func floorDiv(_ tensor.DType, a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

var binaries = []*binary{
	{name: "AddV2", types: numbers, f: func(dt tensor.DType, a, b number) number {
		return fit(dt, number{i: a.i + b.i, re: a.re + b.re, im: a.im + b.im})
	}},
	{name: "Sub", types: numbers, f: func(dt tensor.DType, a, b number) number {
		return fit(dt, number{i: a.i - b.i, re: a.re - b.re, im: a.im - b.im})
	}},
	{name: "Mul", types: numbers, f: times},
	{name: "Maximum", types: reals, f: func(dt tensor.DType, a, b number) number {
		clearOf(a, b)
		return pick(less(dt, a, b), b, a)
	}},
	{name: "Minimum", types: reals, f: func(dt tensor.DType, a, b number) number {
		clearOf(a, b)
		return pick(less(dt, a, b), a, b)
	}},
	{name: "SquaredDifference", types: []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64}, f: func(dt tensor.DType, a, b number) number {
		d := fit(dt, number{i: a.i - b.i, re: a.re - b.re})
		return times(dt, d, d)
	}},
	{name: "RealDiv", types: floats, f: func(dt tensor.DType, a, b number) number {
		if b.re == 0 {
			panic(unclear("the sign of a zero"))
		}
		return fit(dt, number{re: a.re / b.re})
	}},
	{name: "DivNoNan", types: floats, f: func(dt tensor.DType, a, b number) number {
		if b.re == 0 {
			return number{}
		}
		return fit(dt, number{re: a.re / b.re})
	}},
	{name: "FloorDiv", types: ints, whole: true, f: divided(floorDiv, func(a, b uint64) uint64 { return a / b })},
	{name: "FloorMod", types: ints, whole: true, f: divided(
		func(dt tensor.DType, a, b int64) int64 { return a - floorDiv(dt, a, b)*b },
		func(a, b uint64) uint64 { return a % b })},
	{name: "TruncateDiv", types: ints, whole: true, f: divided(
		func(_ tensor.DType, a, b int64) int64 { return a / b }, func(a, b uint64) uint64 { return a / b })},
	{name: "TruncateMod", types: []tensor.DType{tensor.Int32, tensor.Int64}, whole: true, f: divided(
		func(_ tensor.DType, a, b int64) int64 { return a % b }, nil)},
	{name: "BitwiseAnd", types: ints, f: func(dt tensor.DType, a, b number) number { return number{i: a.i & b.i} }},
	{name: "BitwiseOr", types: ints, f: func(dt tensor.DType, a, b number) number { return number{i: a.i | b.i} }},
	{name: "BitwiseXor", types: ints, f: func(dt tensor.DType, a, b number) number { return number{i: a.i ^ b.i} }},
	{name: "LogicalAnd", types: bools, f: func(dt tensor.DType, a, b number) number { return number{i: a.i & b.i} }},
	{name: "LogicalOr", types: bools, f: func(dt tensor.DType, a, b number) number { return number{i: a.i | b.i} }},
	{name: "Less", types: reals, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number { return truth(less(dt, a, b)) }},
	{name: "Greater", types: reals, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number { return truth(less(dt, b, a)) }},
	{name: "LessEqual", types: reals, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number {
		return truth(less(dt, a, b) || equal(a, b))
	}},
	{name: "GreaterEqual", types: reals, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number {
		return truth(less(dt, b, a) || equal(a, b))
	}},
	{name: "Equal", types: anyType, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number { return truth(equal(a, b)) }},
	{name: "NotEqual", types: anyType, out: tensor.Bool, f: func(dt tensor.DType, a, b number) number { return truth(!equal(a, b)) }},
}

func equal(a, b number) bool { return a.i == b.i && a.re == b.re && a.im == b.im }

func times(dt tensor.DType, a, b number) number {
	if !isComplex(dt) {
		return fit(dt, number{i: a.i * b.i, re: a.re * b.re})
	}
	by := func(x, y float64) float64 { return exactProduct(part(dt), number{re: x}, number{re: y}).re }
	return number{re: exactSum(dt, by(a.re, b.re), -by(a.im, b.im)), im: exactSum(dt, by(a.re, b.im), by(a.im, b.re))}
}

// negated keeps a zero as it is: which zero it is, nothing asks.
func negated(dt tensor.DType, x number) number { return fit(dt, number{i: -x.i, re: -x.re, im: -x.im}) }

var unaries = []*unary{
	{name: "Neg", types: slices.Concat(signed, complexes), f: negated},
	{name: "Abs", types: signed, f: func(dt tensor.DType, x number) number {
		if x.i < 0 {
			return negated(dt, x)
		}
		return number{i: x.i, re: math.Abs(x.re)}
	}},
	{name: "Square", types: numbers, f: func(dt tensor.DType, x number) number { return times(dt, x, x) }},
	{name: "Sign", types: signed, f: func(dt tensor.DType, x number) number {
		clearOf(x)
		return of(dt, float64(sign(x)))
	}},
	{name: "Invert", types: ints, f: func(dt tensor.DType, x number) number { return fit(dt, number{i: ^x.i}) }},
	{name: "LogicalNot", types: bools, f: func(dt tensor.DType, x number) number { return number{i: 1 - x.i} }},
	{name: "Floor", types: floats, f: func(dt tensor.DType, x number) number { return number{re: math.Floor(x.re)} }},
	{name: "Ceil", types: floats, f: func(dt tensor.DType, x number) number { return number{re: math.Ceil(x.re)} }},
	{name: "Rint", types: []tensor.DType{tensor.Float, tensor.Double}, f: func(dt tensor.DType, x number) number {
		return number{re: math.RoundToEven(x.re)}
	}},
	{name: "Conj", types: complexes, f: func(dt tensor.DType, x number) number { return number{re: x.re, im: -x.im} }},
	{name: "Real", types: complexes, out: part, f: func(dt tensor.DType, x number) number { return number{re: x.re} }},
	{name: "Imag", types: complexes, out: part, f: func(dt tensor.DType, x number) number { return number{re: x.im} }},
	{name: "ZerosLike", types: anyType, f: func(dt tensor.DType, x number) number { return number{} }},
	{name: "OnesLike", types: anyType, f: func(dt tensor.DType, x number) number { return of(dt, 1) }},
	{name: "IsNan", types: floats, out: func(tensor.DType) tensor.DType { return tensor.Bool }, f: func(dt tensor.DType, x number) number {
		return truth(math.IsNaN(x.re))
	}},
}

func sign(x number) int {
	switch {
	case x.i > 0 || x.re > 0:
		return 1
	case x.i < 0 || x.re < 0:
		return -1
	}
	return 0
}

func init() {
	for _, b := range binaries {
		b.op = &Op{Name: b.name, eval: b.eval, lower: plain}
	}
	for _, u := range unaries {
		u.op = &Op{Name: u.name, eval: u.eval, lower: func(s *scope, a *Apply) []output {
			attr := attrs{}
			if u.name == "Real" || u.name == "Imag" {
				attr["Tout"] = s.type1(a.To[0])
			}
			return s.apply(a, u.name, attr, s.args(a))
		}}
	}
}

// plain writes one node of the operation's name for the arguments.
func plain(s *scope, a *Apply) []output { return s.apply(a, a.Op.Name, nil, s.pair(a)) }

func (b *binary) eval(_ *Apply, in []Value) []Value {
	x, y := together(in[0].(*Array), in[1].(*Array))
	// The kernel looks at the divisors it was given, broadcast or not.
	if b.whole && slices.ContainsFunc(in[1].(*Array).elems, func(e number) bool { return e.i == 0 }) {
		if len(x.elems) == 0 {
			panic(unclear("no element divided by 0"))
		}
		panic(thrown{status.InvalidArgument, "Integer division by zero", b.name})
	}
	return []Value{zip(b.result(x.Type), x, y, func(p, q number) number {
		z := b.f(x.Type, p, q)
		z.slope = nil
		if by := slopes2[b.name]; by != nil && isFloat(x.Type) {
			z.slope = by(p, q)
		}
		return z
	})}
}

func (b *binary) result(dt tensor.DType) tensor.DType {
	if b.out != tensor.Invalid {
		return b.out
	}
	return dt
}

func zip(dt tensor.DType, x, y *Array, f func(p, q number) number) *Array {
	o := newArray(dt, x.Dims)
	for i := range o.elems {
		o.elems[i] = f(x.elems[i], y.elems[i])
	}
	return o
}

func (u *unary) result(dt tensor.DType) tensor.DType {
	if u.out != nil {
		return u.out(dt)
	}
	return dt
}

func (u *unary) eval(_ *Apply, in []Value) []Value {
	x := in[0].(*Array)
	o := newArray(u.result(x.Type), x.Dims)
	for i, e := range x.elems {
		o.elems[i] = u.f(x.Type, e)
		o.elems[i].slope = nil
		if by := slopes1[u.name]; by != nil && isFloat(x.Type) {
			o.elems[i].slope = by(e)
		}
	}
	return []Value{o}
}

// cast is Cast to the type that Params[0] numbers.
var cast = &Op{Name: "Cast",
	eval: func(a *Apply, in []Value) []Value {
		x, to := in[0].(*Array), tensor.DType(a.Params[0])
		o := newArray(to, x.Dims)
		for i, e := range x.elems {
			o.elems[i] = converted(x.Type, to, e)
			if o.elems[i].slope = nil; isFloat(x.Type) && isFloat(to) {
				o.elems[i].slope = e.slope
			}
		}
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "Cast", attrs{"DstT": tensor.DType(a.Params[0])}, s.args(a))
	},
}

func converted(from, to tensor.DType, x number) number {
	switch {
	case from == to:
		return x
	case to == tensor.Bool:
		clearOf(x)
		return truth(x.i != 0 || x.re != 0) // the imaginary part is lost
	case isInt(to):
		if isInt(from) || from == tensor.Bool {
			return fit(to, x)
		}
		t := math.Trunc(x.re)
		y := number{i: int64(t)}
		if !(math.Abs(t) < 1<<53) || fit(to, y) != y {
			panic(unclear("a float that an integer type does not hold"))
		}
		return y
	case isInt(from) || from == tensor.Bool:
		f := float64(x.i)
		if from == tensor.Uint64 {
			f = float64(uint64(x.i))
		}
		if math.Abs(f) >= 1<<24 {
			panic(unclear("a large integer as a float")) // may be rounded twice
		}
		return fit(to, number{re: f})
	}
	y := number{re: x.re}
	if isComplex(from) && isComplex(to) {
		y.im = x.im
	}
	return fit(to, y)
}

// selectV2 is SelectV2, and Select where the shapes are equal: Params[0] is 1.
var selects = &Op{Name: "Select",
	eval: func(a *Apply, in []Value) []Value {
		c, x, y := in[0].(*Array), in[1].(*Array), in[2].(*Array)
		x, y = together(x, y)
		c, x = together(c, x)
		y = spread(y, x.Dims)
		o := newArray(x.Type, x.Dims)
		for i := range o.elems {
			o.elems[i] = pick(c.elems[i].i != 0, x.elems[i], y.elems[i])
		}
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, pick(a.Params[0] == 1, "Select", "SelectV2"), nil, s.args(a))
	},
}

// addN is AddN of two or three tensors of one shape.
var addN = &Op{Name: "AddN",
	eval: func(a *Apply, in []Value) []Value {
		all := in[0].(*Array)
		for _, v := range in[1:] {
			x := v.(*Array)
			if !slices.Equal(x.Dims, all.Dims) {
				panic(unclear("shapes of AddN"))
			}
			all = zip(all.Type, all, x, func(p, q number) number { return sum(all.Type, p, q) })
		}
		return []Value{all}
	},
	lower: func(s *scope, a *Apply) []output { return s.apply(a, "AddN", nil, outputList(s.args(a))) },
}

// complexOf is Complex.
var complexOf = &Op{Name: "Complex",
	eval: func(a *Apply, in []Value) []Value {
		x, y := together(in[0].(*Array), in[1].(*Array))
		to := pick(x.Type == tensor.Float, tensor.Complex64, tensor.Complex128)
		return []Value{zip(to, x, y, func(p, q number) number { return number{re: p.re, im: q.re} })}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "Complex", attrs{"Tout": s.type1(a.To[0])}, s.args(a))
	},
}
