package accelerators

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func typed(name string, t tensor.DType) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.AttrValue{Kind: registry.KindType, Type: t}}
}

func list[T tensor.Element](x ...T) *tensor.Tensor { return must1(tensor.FromSlice(x, int64(len(x)))) }

func one[T tensor.Element](x T) *tensor.Tensor { return tensor.Scalar(x).Tensor() }

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func must1(t *tensor.Tensor, err error) *tensor.Tensor { return must([]*tensor.Tensor{t}, err)[0] }

// elementwiseTrials tries all formulas, those of one type together, and some as
// functions of their own.
func elementwiseTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 1))
	for arity, ops := range [][]string{code.Unary(), code.Binary()} { // with extremes among the operands
		for _, dt := range []tensor.DType{tensor.Float, tensor.Int32, tensor.Bool} {
			in := []*tensor.Tensor{random(rng, dt, 311)}
			if arity == 1 {
				in = append(in, random(rng, dt, 311))
			}
			if dt == tensor.Float {
				extremes(in)
			}
			var together []string
			var rows []*tensor.Tensor
			for _, op := range ops {
				if takes, _ := code.Takes(op, dt); takes && op != "ApproximateEqual" { // which has another number
					name := op
					if op == "BiasAdd" || op == "BiasAddV1" { // of a vector
						name = "Add"
					}
					if dt == tensor.Int32 && strings.Contains("Div TruncateDiv FloorDiv FloorMod Mod TruncateMod", op) {
						continue // by zero, which the CPU refuses
					}
					together, rows = append(together, op), append(rows, cast(must(kerneltest.Run(name, nil, in...))[0], dt))
				}
			}
			want := must(kerneltest.Run("Pack", nil, rows...))
			all = append(all, trial{op: "all formulas", in: in, want: want, tol: near[dt], write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.Several(together, 0.2, out[0], in...)
			}})
		}
	}
	for _, dt := range []tensor.DType{tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Int8, tensor.Uint8} {
		all = append(all, trial{op: "AddV2", in: []*tensor.Tensor{random(rng, dt, 5, 61), random(rng, dt, 5, 61)}, write: mapped("AddV2"), tol: near[dt]})
	}
	x, y, c := random(rng, tensor.Float, 3, 50), random(rng, tensor.Float, 3, 50), random(rng, tensor.Bool, 3, 1)
	return append(all,
		trial{op: "Tanh", in: []*tensor.Tensor{random(rng, tensor.Double, 99)}, write: mapped("Tanh"), tol: near[tensor.Double]},
		trial{op: "Less", in: []*tensor.Tensor{x, y}, write: mapped("Less")},
		trial{op: "Less", in: []*tensor.Tensor{random(rng, tensor.Half, 130, 132), random(rng, tensor.Half, 132)}, write: mapped("Less")},
		trial{op: "SelectV2", in: []*tensor.Tensor{c, x, y}, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Select(out[0], in[0], in[1], in[2])
		}})
}

// extremes begins the operands with all pairs of what is no ordinary number.
func extremes(operands []*tensor.Tensor) {
	inf := float32(math.Inf(1))
	list := []float32{inf, -inf, float32(math.NaN()), 0, float32(math.Copysign(0, -1)), 1e9, 1}
	for i, t := range operands {
		data := must2(tensor.Data[float32](t))
		for k := range len(list) * len(list) {
			data[k] = list[[2]int{k / len(list), k % len(list)}[i]]
		}
	}
}

// specialTrials tries special functions in double, also where their series, fractions and
// expansions meet.
func specialTrials() (all []trial) {
	try := func(ops []string, tol tensor.Tolerance, in ...*tensor.Tensor) {
		var rows []*tensor.Tensor
		for _, op := range ops {
			rows = append(rows, must(kerneltest.Run(op, nil, in...))...)
		}
		all = append(all, trial{op: "special functions", in: in, want: must(kerneltest.Run("Pack", nil, rows...)), tol: tol, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Several(ops, 0, out[0], in...)
		}})
	}
	close := tensor.Tolerance{ATol: 1e-12, RTol: 1e-9}
	try([]string{"Digamma", "BesselJ0", "BesselJ1", "BesselY0", "BesselY1", "BesselI0", "BesselI1e", "BesselK0", "BesselK1e", "Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"},
		tensor.Tolerance{ATol: 1e-12, RTol: 1e-11}, list(-40, -7.5, -0.4, 1e-3, 0.3, 0.97, 1.6, 3, 9, 24.5, 25.5, 400))
	try([]string{"Erfinv", "Ndtri"}, close, list(1e-300, 1e-12, 0.02, 0.1, 0.3, 0.5, 0.6, 0.9, 0.999, 1-1e-12))
	try([]string{"Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad"}, close, list(1e-5, 0.1, 0.7, 2, 50, 2e7, 3, 30, 0.5, 9), list(1e-6, 0.9, 0.3, 1.5, 60, 2e7+100, 1e-3, 200, 1, 9))
	try([]string{"Zeta", "Polygamma"}, close, list(1.5, 2, 7.25, 3, 30, 0, 1), list(0.2, 8, 30, -2.5, 1, 2.5, -1.5))
	return all
}

func mapped(op string) func(out, in []code.Array) ([]devices.Launch, error) {
	return func(out, in []code.Array) ([]devices.Launch, error) { return code.Map(op, 0.2, out[0], in...) }
}

func castTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, c := range [][2]tensor.DType{
		{tensor.Float, tensor.Int32}, {tensor.Int64, tensor.Float}, {tensor.Bool, tensor.Float}, {tensor.Float, tensor.Bool},
		{tensor.Float, tensor.Half}, {tensor.Half, tensor.Float}, {tensor.Float, tensor.Bfloat16}, {tensor.Uint8, tensor.Double},
	} {
		x := random(rng, c[0], 200)
		if c[0] == tensor.Float && c[1].Size() == 2 { // over the whole range, subnormals too
			v := make([]float32, 2000)
			for i := range v {
				v[i] = float32(math.Ldexp(rng.NormFloat64(), rng.IntN(60)-35))
			}
			x = list(append(v, 0, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 65504, 65520, 1e-8)...)
		}
		all = append(all, trial{op: "Cast", attrs: registry.Attrs{typed("DstT", c[1])}, in: []*tensor.Tensor{x}, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Cast(out[0], in[0])
		}})
	}
	return all
}

func reduceTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 6))
	reduce := func(op string, x *tensor.Tensor, axes ...int) {
		var list32 []int32
		for _, a := range axes {
			list32 = append(list32, int32(a))
		}
		want := must(kerneltest.Run(op, nil, x, list(list32...)))
		all = append(all, trial{op: op, in: []*tensor.Tensor{x}, want: want, tol: near16(x), need: func(out, in []code.Array) code.Array { return code.ReduceScratch(op, out[0], in[0], axes) }, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Reduce(op, out[0], in[0], axes, lent(out, 1))
		}})
	}
	for _, axes := range [][]int{{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
		reduce("Sum", random(rng, tensor.Float, 3, 50, 7), axes...)
	}
	reduce("Sum", random(rng, tensor.Float, 200, 9), 0)
	reduce("Sum", random(rng, tensor.Float, 0, 9), 0)
	reduce("Mean", random(rng, tensor.Float, 9000, 3), 0) // in parts
	reduce("Max", random(rng, tensor.Float, 70000), 0)
	reduce("Sum", random(rng, tensor.Half, 3000, 2), 0)
	for _, op := range []string{"Max", "Min", "Mean", "Prod"} {
		reduce(op, random(rng, tensor.Float, 4, 300), 1)
	}
	for _, op := range []string{"Sum", "Max", "Mean"} { // more than a group's share
		reduce(op, random(rng, tensor.Float, 300, 70), 1)
	}
	reduce("Sum", random(rng, tensor.Half, 300, 70), 1)
	reduce("Max", random(rng, tensor.Int32, 4, 10), 1)
	reduce("Min", random(rng, tensor.Int8, 4, 10), 1)
	reduce("All", random(rng, tensor.Bool, 40, 2), 1)
	reduce("Any", random(rng, tensor.Bool, 40, 2), 1)
	reduce("Sum", random(rng, tensor.Int64, 4, 10), 1)
	for _, c := range []struct {
		op   string
		axis int32
	}{{"ArgMax", 1}, {"ArgMin", 0}} {
		for _, x := range []*tensor.Tensor{random(rng, tensor.Float, 5, 30, 2), random(rng, tensor.Float, 70, 60, 5)} {
			all = append(all, trial{op: c.op, in: []*tensor.Tensor{x}, want: must(kerneltest.Run(c.op, nil, x, one(c.axis))), write: func(out, in []code.Array) ([]devices.Launch, error) {
				return code.ArgExtreme(out[0], in[0], int(c.axis), c.op == "ArgMin")
			}})
		}
	}
	return all
}

// near16 returns how near a long sum must come: those of the CPU's round half to 16 bits as they
// go.
func near16(x *tensor.Tensor) tensor.Tolerance {
	if x.DType() == tensor.Half {
		return tensor.Tolerance{ATol: 0.1, RTol: 0.01}
	}
	return tensor.Tolerance{ATol: 1e-4, RTol: 1e-4}
}

func softmaxTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 7))
	x := random(rng, tensor.Float, 5, 131)
	for _, op := range []string{"Softmax", "LogSoftmax"} {
		all = append(all, trial{op: op, in: []*tensor.Tensor{x}, tol: near[tensor.Float], write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Softmax(out[0], in[0], op == "LogSoftmax")
		}})
	}
	entropy := func(out, in []code.Array) ([]devices.Launch, error) {
		return code.CrossEntropy(out[0], out[1], in[0], in[1])
	}
	long := random(rng, tensor.Float, 70, 131)
	for _, op := range []string{"Softmax", "LogSoftmax"} {
		all = append(all, trial{op: op, in: []*tensor.Tensor{long}, tol: near[tensor.Float], write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Softmax(out[0], in[0], op == "LogSoftmax")
		}})
	}
	labels := must(kerneltest.Run("Softmax", nil, random(rng, tensor.Float, 5, 131)))[0]
	return append(all,
		trial{op: "SoftmaxCrossEntropyWithLogits", in: []*tensor.Tensor{x, labels}, tol: near[tensor.Float], write: entropy},
		trial{op: "SparseSoftmaxCrossEntropyWithLogits", in: []*tensor.Tensor{x, list[int64](0, 130, 7, 99, 1)}, tol: near[tensor.Float], write: entropy})
}

func moveTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 8))
	x := random(rng, tensor.Float, 4, 5, 6)
	add := func(op string, attrs registry.Attrs, in, on []*tensor.Tensor, write func(out, in []code.Array) ([]devices.Launch, error)) {
		all = append(all, trial{op: op, in: on, want: must(kerneltest.Run(op, attrs, in...)), write: write})
	}
	for _, perm := range [][]int32{{2, 0, 1}, {0, 2, 1}, {0, 1, 2}} {
		add("Transpose", nil, []*tensor.Tensor{x, list(perm...)}, []*tensor.Tensor{x}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Transpose(out[0], in[0], []int{int(perm[0]), int(perm[1]), int(perm[2])})
		})
	}
	for _, c := range []struct {
		dims []int64
		perm []int32
	}{{[]int64{130, 141}, []int32{1, 0}}, {[]int64{3, 50, 70}, []int32{2, 0, 1}}, {[]int64{3, 50, 70}, []int32{0, 2, 1}}, {[]int64{4, 40, 3, 36}, []int32{0, 2, 1, 3}}, {[]int64{9, 10, 11, 12}, []int32{3, 1, 2, 0}}} {
		x, perm := random(rng, tensor.Float, c.dims...), make([]int, len(c.perm))
		for i, p := range c.perm {
			perm[i] = int(p)
		}
		add("Transpose", nil, []*tensor.Tensor{x, list(c.perm...)}, []*tensor.Tensor{x}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Transpose(out[0], in[0], perm)
		})
	}
	wide := random(rng, tensor.Half, 130, 140)
	add("ConcatV2", nil, []*tensor.Tensor{wide, wide, one(int32(1))}, []*tensor.Tensor{wide}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Concat(out[0], 1, in[0], in[0])
	})
	bytes := random(rng, tensor.Uint8, 4, 5)
	add("Transpose", nil, []*tensor.Tensor{bytes, list[int32](1, 0)}, []*tensor.Tensor{bytes}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Transpose(out[0], in[0], []int{1, 0})
	})
	add("StridedSlice", nil, []*tensor.Tensor{x, list[int32](1, 4, 0), list[int32](4, 0, 6), list[int32](2, -2, 1)}, []*tensor.Tensor{x}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Slice(out[0], in[0], []int64{1, 4, 0}, []int64{2, -2, 1})
	})
	y := random(rng, tensor.Float, 4, 2, 6)
	add("ConcatV2", nil, []*tensor.Tensor{x, y, x, one(int32(1))}, []*tensor.Tensor{x, y}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Concat(out[0], 1, in[0], in[1], in[0])
	})
	add("PadV2", nil, []*tensor.Tensor{x, must1(tensor.FromSlice([]int32{1, 2, 0, 1, 3, 0}, 3, 2)), one(float32(7))}, []*tensor.Tensor{x}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Pad(out[0], in[0], []int64{1, 0, 3}, uint64(math.Float32bits(7)))
	})
	add("BroadcastTo", nil, []*tensor.Tensor{y, list[int32](3, 4, 2, 6)}, []*tensor.Tensor{y}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.BroadcastTo(out[0], in[0])
	})
	add("Tile", nil, []*tensor.Tensor{y, list[int32](2, 3, 1)}, []*tensor.Tensor{y}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Tile(out[0], in[0])
	})
	indices := list[int32](3, 0, 3, 1)
	for axis := range 3 {
		add("GatherV2", nil, []*tensor.Tensor{x, indices, one(int32(axis))}, []*tensor.Tensor{x, indices}, func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Gather(out[0], in[0], in[1], axis, 0)
		})
	}
	segments := list[int64](2, 0, 2, -1)
	add("UnsortedSegmentSum", nil, []*tensor.Tensor{x, segments, one(int32(4))}, []*tensor.Tensor{x, segments}, func(out, in []code.Array) ([]devices.Launch, error) {
		return code.Segments("Add", out[0], in[0], in[1], 0)
	})
	return all
}

func randomTrials() (all []trial) {
	key, counter := uint64(0x1234567890abcdef), [2]uint64{math.MaxUint64 - 2, 77} // which carries
	for _, c := range []struct {
		op   string
		draw code.Draw
		dt   tensor.DType
		tol  tensor.Tolerance
	}{
		{"StatelessRandomUniformV2", code.Uniform, tensor.Float, tensor.Tolerance{Exact: true}},
		{"StatelessRandomUniformFullIntV2", code.Bits, tensor.Int32, tensor.Tolerance{Exact: true}},
		{"StatelessRandomNormalV2", code.Normal, tensor.Float, tensor.Tolerance{ATol: 1e-5, RTol: 1e-5}},
	} {
		want := must(kerneltest.Run(c.op, registry.Attrs{typed("dtype", c.dt)}, list[int32](1023), list(key), list(counter[:]...), one(int32(1))))
		all = append(all, trial{op: c.op, want: want, tol: c.tol, write: func(out, in []code.Array) ([]devices.Launch, error) {
			return code.Random(out[0], c.draw, [2]uint32{uint32(key), uint32(key >> 32)},
				[4]uint32{uint32(counter[0]), uint32(counter[0] >> 32), uint32(counter[1]), uint32(counter[1] >> 32)})
		}})
	}
	return all
}

// updateTrials compares with loops in float64, as the operations work on variables. Half of
// the updates are made where the states are, half into other memory.
func updateTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 9))
	sqrt := math.Sqrt
	moments := func(v []float64, g float64) (rate float64) { // of Adam: powers .5 and .6, betas .9 and .99
		v[1], v[2] = 0.9*v[1]+0.1*g, 0.99*v[2]+0.01*g*g
		return 0.1 * sqrt(1-0.6) / (1 - 0.5)
	}
	adam := []float64{0.5, 0.6, 0.1, 0.9, 0.99, 1e-3}
	sign := func(x float64) float64 { return float64(cmp.Compare(x, 0)) }
	ftrl := func(v []float64, g, shrinkage, scale, divide float64) { // lr .1, l1 .2, l2 .3, power -.6
		sum := v[1] + g*g
		grown := math.Pow(sum, 0.6) - math.Pow(v[1], 0.6)
		v[2] += (g+2*shrinkage*v[0])*scale - grown/divide*v[0]
		v[1] = sum
		v[0] = 0
		if math.Abs(v[2]) > 0.2*scale {
			v[0] = (0.2*scale*sign(v[2]) - v[2]) / (math.Pow(sum, 0.6)/divide + 2*0.3*scale)
		}
	}
	for k, c := range []struct {
		rule    string
		states  int
		numbers []float64
		step    func(v []float64, g float64)
	}{
		{"GradientDescent", 1, []float64{0.1}, func(v []float64, g float64) { v[0] -= 0.1 * g }},
		{"ProximalGradientDescent", 1, []float64{0.1, 0.2, 0.3}, func(v []float64, g float64) {
			x := v[0] - 0.1*g
			v[0] = sign(x) * max(math.Abs(x)-0.02, 0) / 1.03
		}},
		{"Momentum", 2, []float64{0.1, 0.9}, func(v []float64, g float64) { v[1] = 0.9*v[1] + g; v[0] -= 0.1 * v[1] }},
		{"MomentumNesterov", 2, []float64{0.1, 0.9}, func(v []float64, g float64) { v[1] = 0.9*v[1] + g; v[0] -= 0.1*g + 0.1*0.9*v[1] }},
		{"KerasMomentum", 2, []float64{0.1, 0.9}, func(v []float64, g float64) { v[1] = 0.9*v[1] - 0.1*g; v[0] += v[1] }},
		{"KerasMomentumNesterov", 2, []float64{0.1, 0.9}, func(v []float64, g float64) { v[1] = 0.9*v[1] - 0.1*g; v[0] += 0.9*v[1] - 0.1*g }},
		{"Adagrad", 2, []float64{0.1}, func(v []float64, g float64) { v[1] += g * g; v[0] -= 0.1 * g / sqrt(v[1]) }},
		{"AdagradKept", 2, []float64{0.1}, func(v []float64, g float64) { v[0] -= 0.1 * g / sqrt(v[1]) }},
		{"AdagradV2", 2, []float64{0.1, 0.2}, func(v []float64, g float64) { v[1] += g * g; v[0] -= 0.1 * g / (sqrt(v[1]) + 0.2) }},
		{"AdagradV2Kept", 2, []float64{0.1, 0.2}, func(v []float64, g float64) { v[0] -= 0.1 * g / (sqrt(v[1]) + 0.2) }},
		{"Adadelta", 3, []float64{0.1, 0.9, 1e-3}, func(v []float64, g float64) {
			v[1] = 0.9*v[1] + 0.1*g*g
			by := g * sqrt((v[2]+1e-3)/(v[1]+1e-3))
			v[0] -= 0.1 * by
			v[2] = 0.9*v[2] + 0.1*by*by
		}},
		{"RMSProp", 3, []float64{0.1, 0.9, 0.5, 1e-3}, func(v []float64, g float64) {
			v[1] = 0.9*v[1] + 0.1*g*g
			v[2] = 0.5*v[2] + 0.1*g/sqrt(v[1]+1e-3)
			v[0] -= v[2]
		}},
		{"CenteredRMSProp", 4, []float64{0.1, 0.9, 0.5, 2}, func(v []float64, g float64) {
			v[1], v[2] = 0.9*v[1]+0.1*g, 0.9*v[2]+0.1*g*g
			v[3] = 0.5*v[3] + 0.1*g/sqrt(v[2]-v[1]*v[1]+2)
			v[0] -= v[3]
		}},
		{"Adam", 3, adam, func(v []float64, g float64) { v[0] -= moments(v, g) * v[1] / (sqrt(v[2]) + 1e-3) }},
		{"AdamNesterov", 3, adam, func(v []float64, g float64) {
			rate := moments(v, g)
			v[0] -= rate * (0.9*v[1] + 0.1*g) / (sqrt(v[2]) + 1e-3)
		}},
		{"AdamWithAmsgrad", 4, adam, func(v []float64, g float64) {
			rate := moments(v, g)
			v[3] = max(v[2], v[3])
			v[0] -= rate * v[1] / (sqrt(v[3]) + 1e-3)
		}},
		{"AdaMax", 3, []float64{0.5, 0.1, 0.9, 0.99, 1e-3}, func(v []float64, g float64) {
			v[1], v[2] = 0.9*v[1]+0.1*g, max(0.99*v[2], math.Abs(g))
			v[0] -= 0.2 * v[1] / (v[2] + 1e-3)
		}},
		{"AddSign", 2, []float64{0.1, 0.5, 0.7, 0.9}, func(v []float64, g float64) {
			v[1] = 0.9*v[1] + 0.1*g
			v[0] -= 0.1 * g * (0.5 + 0.7*sign(g)*sign(v[1]))
		}},
		{"PowerSign", 2, []float64{0.1, 0.5, 0.7, 0.9}, func(v []float64, g float64) {
			v[1] = 0.9*v[1] + 0.1*g
			v[0] -= 0.1 * g * math.Exp(0.5*0.7*sign(g)*sign(v[1]))
		}},
		{"Ftrl", 3, []float64{0.1, 0.2, 0.3, -0.6}, func(v []float64, g float64) { ftrl(v, g, 0, 1, 0.1) }},
		{"FtrlByLR", 3, []float64{0.1, 0.2, 0.3, -0.6}, func(v []float64, g float64) { ftrl(v, g, 0, 0.1, 1) }},
		{"FtrlV2", 3, []float64{0.1, 0.2, 0.3, 0.4, -0.6}, func(v []float64, g float64) { ftrl(v, g, 0.4, 1, 0.1) }},
		{"FtrlV2ByLR", 3, []float64{0.1, 0.2, 0.3, 0.4, -0.6}, func(v []float64, g float64) { ftrl(v, g, 0.4, 0.1, 1) }},
	} {
		const n = 300
		in, want := make([][]float32, c.states+1), make([][]float32, c.states)
		for range n {
			var v []float64
			for s := range in {
				x := float32(rng.Float64() + 0.1)
				if s == c.states { // the gradient
					x -= 0.6
				}
				in[s], v = append(in[s], x), append(v, float64(x))
			}
			c.step(v, v[c.states])
			for s := range want {
				want[s] = append(want[s], float32(v[s]))
			}
		}
		tr := trial{op: "Apply" + c.rule, tol: tensor.Tolerance{ATol: 1e-5, RTol: 1e-4}}
		for _, x := range in {
			tr.in = append(tr.in, list(x...))
		}
		for _, x := range c.numbers {
			tr.in = append(tr.in, one(float32(x)))
		}
		for _, x := range want {
			tr.want = append(tr.want, list(x...))
		}
		tr.write = func(out, in []code.Array) (all []devices.Launch, err error) {
			now := in[:c.states]
			if k%2 == 0 {
				now = out
				for i := range out {
					l, err := code.Map("Identity", 0, out[i], in[i])
					if err != nil {
						return nil, err
					}
					all = append(all, l...)
				}
			}
			l, err := code.Update(c.rule, out, now, in[c.states], in[c.states+1:])
			return append(all, l...), err
		}
		all = append(all, tr)
	}
	return all
}

func lstmTrials() []trial {
	rng := rand.New(rand.NewPCG(1, 10))
	const batch, inputs, size = 3, 4, 5
	x, cs, h := random(rng, tensor.Float, batch, inputs), random(rng, tensor.Float, batch, size), random(rng, tensor.Float, batch, size)
	w, b, peep := random(rng, tensor.Float, inputs+size, 4*size), random(rng, tensor.Float, 4*size), random(rng, tensor.Float, size)
	want := must(kerneltest.Run("LSTMBlockCell", nil, x, cs, h, w, peep, peep, peep, b))
	joined := must(kerneltest.Run("ConcatV2", nil, x, h, one(int32(1))))
	gates := must(kerneltest.Run("BiasAdd", nil, must(kerneltest.Run("MatMul", nil, joined[0], w))[0], b))[0]
	return []trial{{op: "LSTMBlockCell", in: []*tensor.Tensor{gates, cs}, want: want, tol: tensor.Tolerance{ATol: 1e-5, RTol: 1e-5}, write: func(out, in []code.Array) ([]devices.Launch, error) {
		return code.LSTM(code.Cell{Gates: in[0], CS: in[1], Out: [7]code.Array(out), CellVariant: code.CellVariant{ForgetBias: 1, Clip: 3}}, batch*size, size)
	}}}
}
