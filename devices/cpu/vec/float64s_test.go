package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// float64Functions are the functions on float64, and their values to 40 digits where these are
// normal numbers.
var float64Functions = []struct {
	name  string
	many  func(dst, x []float64)
	one   func(x float64) float64
	exact func(x float64) *big.Float
	ulps  float64
}{
	{"Exp", ExpFloat64s, ExpFloat64, bigExp, 1.1},
	{"Tanh", TanhFloat64s, TanhFloat64, func(x float64) *big.Float {
		e := bigExp(2 * x)
		return e.Quo(plus(e, -1), plus(e, 1))
	}, 2.5},
	{"Sigmoid", SigmoidFloat64s, SigmoidFloat64, func(x float64) *big.Float { return wide().Quo(plus(wide(), 1), plus(bigExp(-x), 1)) }, 2.5},
	{"Log", LogFloat64s, LogFloat64, func(x float64) *big.Float { // a step of Newton's method
		y := math.Log(x)
		e := bigExp(-y)
		return plus(plus(e.Mul(e, wide().SetFloat64(x)), -1), y)
	}, 1},
}

func wide() *big.Float                        { return new(big.Float).SetPrec(160) }
func plus(x *big.Float, y float64) *big.Float { return wide().Add(x, wide().SetFloat64(y)) }

// bigExp is the series of e^(x/2^12), squared twelve times.
func bigExp(x float64) *big.Float {
	r := wide().SetMantExp(wide().SetFloat64(x), -12)
	sum, term := plus(wide(), 1), plus(wide(), 1)
	for i := 1.0; i < 25; i++ {
		term.Mul(term, r).Quo(term, wide().SetFloat64(i))
		sum.Add(sum, term)
	}
	for range 12 {
		sum.Mul(sum, sum)
	}
	return sum
}

func TestFloat64sAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, f := range float64Functions {
		worst, at := 0.0, 0.0
		for i := range 1600 {
			x := (rng.Float64() - 0.5) * []float64{0.5, 2, 40, 1400}[i%4]
			if f.name == "Log" {
				x = math.Exp(x / 2)
				if i%4 == 1 {
					x = 1 + (rng.Float64()-0.5)*math.Exp2(-float64(rng.IntN(50)))
				}
			}
			want := f.exact(x)
			exponent := want.MantExp(nil)
			if exponent < -1021 || exponent > 1024 {
				continue
			}
			difference, _ := wide().Sub(wide().SetFloat64(f.one(x)), want).Float64()
			if e := math.Abs(math.Ldexp(difference, 53-exponent)); e > worst {
				worst, at = e, x
			}
		}
		t.Logf("%s: %.3f ulp at %v", f.name, worst, at)
		if !(worst <= f.ulps) {
			t.Errorf("%s is wrong by %v ulp at %v, documented are %v", f.name, worst, at, f.ulps)
		}
	}
}

func TestFloat64sSpecial(t *testing.T) {
	inf, nan, zero, tiny := math.Inf(1), math.NaN(), math.Copysign(0, -1), math.SmallestNonzeroFloat64
	for _, c := range []struct {
		f       func(float64) float64
		name    string
		x, want float64
	}{
		{ExpFloat64, "Exp", inf, inf}, {ExpFloat64, "Exp", -inf, 0}, {ExpFloat64, "Exp", nan, nan}, {ExpFloat64, "Exp", zero, 1}, {ExpFloat64, "Exp", tiny, 1},
		{ExpFloat64, "Exp", 709.782712893384, 1.7976931348622732e+308}, {ExpFloat64, "Exp", 709.782712893385, inf}, {ExpFloat64, "Exp", -745.13, tiny}, {ExpFloat64, "Exp", -745.14, 0},
		{TanhFloat64, "Tanh", inf, 1}, {TanhFloat64, "Tanh", -inf, -1}, {TanhFloat64, "Tanh", nan, nan}, {TanhFloat64, "Tanh", zero, zero}, {TanhFloat64, "Tanh", -tiny, -tiny}, {TanhFloat64, "Tanh", 300, 1},
		{SigmoidFloat64, "Sigmoid", inf, 1}, {SigmoidFloat64, "Sigmoid", -inf, 0}, {SigmoidFloat64, "Sigmoid", nan, nan}, {SigmoidFloat64, "Sigmoid", zero, 0.5}, {SigmoidFloat64, "Sigmoid", -800, 0},
		{LogFloat64, "Log", inf, inf}, {LogFloat64, "Log", -inf, nan}, {LogFloat64, "Log", nan, nan}, {LogFloat64, "Log", 0, -inf}, {LogFloat64, "Log", zero, -inf}, {LogFloat64, "Log", -tiny, nan},
		{LogFloat64, "Log", tiny, -744.4400719213812}, {LogFloat64, "Log", 1, 0}, {LogFloat64, "Log", math.MaxFloat64, 709.782712893384},
	} {
		if got := c.f(c.x); !sameFloat64s([]float64{got}, []float64{c.want}) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

// An element has the bits of the function of one number, in any place of slices of any length,
// with any instruction set.
func TestFloat64sPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	long := make([]float64, 20000)
	for i := range long {
		switch i % 3 {
		case 0:
			long[i] = math.Float64frombits(rng.Uint64())
		case 1:
			long[i] = (rng.Float64() - 0.5) * 1600
		default:
			long[i] = rng.NormFloat64()
		}
	}
	for i, v := range special {
		long[i] = float64(v)
	}
	copy(long[len(special):], []float64{math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1023, math.MaxFloat64, 709.5, 709.79, -708.5, -740, -745.2, math.Sqrt2 / 2})
	eachISA(t, func(t *testing.T) {
		for _, f := range float64Functions {
			want, got := make([]float64, len(long)), make([]float64, len(long))
			for i, v := range long {
				want[i] = f.one(v)
			}
			f.many(got, long)
			for i, v := range long {
				if !sameFloat64s(got[i:i+1], want[i:i+1]) {
					t.Fatalf("%s(%v) is %v in a slice, %v alone", f.name, v, got[i], want[i])
				}
			}
			for n := range 70 {
				x, y := guarded[float64](t, n), guarded[float64](t, n)
				copy(x, long[n:])
				f.many(y, x)
				f.many(x, x)
				if !sameFloat64s(y, want[n:2*n]) || !sameFloat64s(x, y) {
					t.Errorf("%s of %d elements differs", f.name, n)
				}
			}
		}
	})
}

// sameFloat64s compares bits, but takes all NaN for one.
func sameFloat64s(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	})
}
