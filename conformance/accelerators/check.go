package accelerators

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A trial is one operation, on a device and on the CPU.
type trial struct {
	op    string
	attrs registry.Attrs
	in    []*tensor.Tensor
	need  need
	write writing
	tol   tensor.Tolerance
	want  []*tensor.Tensor // computed otherwise, where it is not the CPU's kernel
}

// Check compares operations that there is code for with the CPU's: of each group's trials one
// in n.
func Check(t *testing.T, b *Bench, n int) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for i, c := range group.trials() {
				if i%n == 0 {
					c.check(t, b)
				}
			}
		})
	}
}

var groups = []struct {
	name   string
	trials func() []trial
}{
	{"Elementwise", elementwiseTrials}, {"Special", specialTrials}, {"Broadcasting", broadcastingTrials}, {"Cast", castTrials}, {"MatMul", matmulTrials},
	{"Reduce", reduceTrials}, {"Softmax", softmaxTrials}, {"Move", moveTrials}, {"Random", randomTrials}, {"Update", updateTrials}, {"LSTM", lstmTrials},
	{"Window", windowTrials}, {"Normalize", normalizeTrials},
}

// Codes returns all code that the trials and operations use, each function once.
func Codes() (all []*devices.Code, err error) {
	seen := map[*devices.Code]bool{}
	add := func(launches []devices.Launch) {
		for _, l := range launches {
			if !seen[l.Code] {
				seen[l.Code] = true
				all = append(all, l.Code)
			}
		}
	}
	for _, group := range groups {
		for _, c := range group.trials() {
			want := c.want
			if want == nil {
				if want, err = kerneltest.Run(c.op, c.attrs, c.in...); err != nil {
					return nil, err
				}
			}
			out, in := arrays(want), arrays(c.in)
			if c.need != nil {
				if s := c.need(out, in); s.Elements() > 0 {
					out = append(out, s)
				}
			}
			launches, err := c.write(out, in)
			if err != nil {
				return nil, err
			}
			add(launches)
		}
	}
	for _, o := range operations() {
		launches, err := o.launches("GPU")
		if err != nil {
			return nil, err
		}
		add(launches)
	}
	return all, nil
}

// arrays are of tensors' types and shapes, without memory.
func arrays(ts []*tensor.Tensor) (all []code.Array) {
	for _, t := range ts {
		all = append(all, code.Array{Type: t.DType(), Dims: t.Dims()})
	}
	return all
}

func (c *trial) check(t *testing.T, b *Bench) {
	t.Helper()
	name := c.op
	for _, in := range c.in {
		name += fmt.Sprintf(" %v%v", in.DType(), in.Dims())
	}
	want, in := c.want, c.in
	if want == nil {
		var err error
		if want, err = kerneltest.Run(c.op, c.attrs, in...); err != nil {
			t.Errorf("%s: the CPU's kernel: %v", name, err)
			return
		}
	}
	got, err := b.Run(in, want, c.need, c.write)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := range want {
		if err := tensor.Compare(got[i], want[i], c.tol); err != nil {
			t.Errorf("%s: output %d: %v", name, i, err)
		}
	}
}

// near is what functions of floats may differ by.
var near = map[tensor.DType]tensor.Tolerance{
	tensor.Float: {ATol: 1e-6, RTol: 1e-5}, tensor.Double: {ATol: 1e-13, RTol: 1e-12}, tensor.Half: {ATol: 1e-3, RTol: 2e-3}, tensor.Bfloat16: {ATol: 1e-2, RTol: 1e-2},
}

// random returns a tensor of numbers around zero, some of them special.
func random(rng *rand.Rand, dt tensor.DType, dims ...int64) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64() * 3
		if rng.IntN(8) == 0 {
			x[i] = float64(rng.IntN(5) - 2)
		}
	}
	f, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return cast(f, dt)
}

// cast converts by the CPU's kernel.
func cast(t *tensor.Tensor, dt tensor.DType) *tensor.Tensor {
	if t.DType() == dt {
		return t
	}
	if dt == tensor.Uint8 || dt == tensor.Uint32 || dt == tensor.Uint64 || dt == tensor.Uint16 { // not from what is negative
		t = must(kerneltest.Run("Abs", nil, t))[0]
	}
	return must(kerneltest.Run("Cast", registry.Attrs{{Name: "DstT", Value: registry.AttrValue{Kind: registry.KindType, Type: dt}}}, t))[0]
}

// lent returns the memory that a writing got behind so many outputs, or none.
func lent(out []code.Array, outputs int) code.Array {
	if len(out) > outputs {
		return out[outputs]
	}
	return code.Array{}
}

func must(t []*tensor.Tensor, err error) []*tensor.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

func broadcastingTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, shapes := range [][2][]int64{
		{{}, {}}, {{5}, {}}, {{}, {3, 4}}, {{3, 1}, {1, 4}}, {{2, 1, 3, 1}, {5, 1, 7}}, {{0, 3}, {3}}, {{4, 3}, {4, 1}}, {{2, 3, 4, 5}, {3, 1, 5}},
		{{130, 132}, {130, 132}}, {{130, 132}, {132}}, {{130, 1}, {130, 132}}, {{130, 132}, {}}, {{20, 30, 32}, {20, 1, 32}}, {{130, 131}, {131}}, // by packs of four, but the last
	} {
		all = append(all, trial{op: "Sub", in: []*tensor.Tensor{random(rng, tensor.Float, shapes[0]...), random(rng, tensor.Float, shapes[1]...)}, write: mapped("Sub"), tol: near[tensor.Float]})
	}
	return all
}

func matmulTrials() (all []trial) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, c := range []struct {
		dt     tensor.DType
		x, y   []int64
		tx, ty bool
	}{
		{tensor.Float, []int64{3, 5}, []int64{5, 2}, false, false},
		{tensor.Float, []int64{33, 50}, []int64{50, 49}, false, false},
		{tensor.Float, []int64{50, 33}, []int64{50, 49}, true, false},
		{tensor.Float, []int64{33, 50}, []int64{49, 50}, false, true},
		{tensor.Float, []int64{50, 33}, []int64{49, 50}, true, true},
		{tensor.Float, []int64{4, 0}, []int64{0, 3}, false, false},
		{tensor.Float, []int64{1, 300}, []int64{300, 70}, false, false}, // vectors and matrices
		{tensor.Float, []int64{300, 1}, []int64{70, 300}, true, true},
		{tensor.Float, []int64{70, 300}, []int64{300, 3}, false, false},
		{tensor.Float, []int64{300, 70}, []int64{3, 300}, true, true},
		{tensor.Float, []int64{16, 400}, []int64{400, 50}, false, false},   // in splits
		{tensor.Float, []int64{900, 150}, []int64{150, 12}, false, false},  // of narrow blocks
		{tensor.Float, []int64{520, 70}, []int64{516, 70}, false, true},    // of middle blocks
		{tensor.Float, []int64{1400, 40}, []int64{40, 1405}, false, false}, // of large ones
		{tensor.Double, []int64{17, 31}, []int64{31, 18}, false, false},
		{tensor.Double, []int64{600, 70}, []int64{70, 600}, false, false},
		{tensor.Bfloat16, []int64{17, 31}, []int64{31, 18}, false, false},
		{tensor.Half, []int64{17, 200}, []int64{200, 18}, false, false},
		{tensor.Int32, []int64{3, 20}, []int64{20, 3}, false, false},
	} {
		attrs := registry.Attrs{
			{Name: "transpose_a", Value: registry.AttrValue{Kind: registry.KindBool, B: c.tx}},
			{Name: "transpose_b", Value: registry.AttrValue{Kind: registry.KindBool, B: c.ty}},
		}
		tol := tensor.Tolerance{ATol: 1e-4, RTol: 1e-4}
		if c.dt.Size() == 2 {
			tol = tensor.Tolerance{ATol: 0.2, RTol: 1e-2}
		}
		all = append(all, matmulTrial("MatMul", attrs, tol, c.tx, c.ty, random(rng, c.dt, c.x...), random(rng, c.dt, c.y...)))
	}
	all = append(all, matmulTrial("BatchMatMulV2", nil, tensor.Tolerance{}, false, false, random(rng, tensor.Int32, 3, 40, 60), random(rng, tensor.Int32, 3, 60, 1)))
	for _, s := range [][2][]int64{{{3, 4, 5}, {3, 5, 6}}, {{2, 1, 9, 5}, {3, 5, 20}}, {{9, 17}, {3, 17, 7}}, {{2, 1, 2, 9}, {3, 9, 7}}, {{3, 40, 60}, {3, 60, 1}}} {
		all = append(all, matmulTrial("BatchMatMulV2", nil, tensor.Tolerance{ATol: 1e-4, RTol: 1e-4}, false, false, random(rng, tensor.Float, s[0]...), random(rng, tensor.Float, s[1]...)))
	}
	return all
}

func matmulTrial(op string, attrs registry.Attrs, tol tensor.Tolerance, tx, ty bool, in ...*tensor.Tensor) trial {
	return trial{op: op, attrs: attrs, in: in, tol: tol, need: func(out, in []code.Array) code.Array {
		return code.MatMulScratch(out[0], in[0], in[1], tx, ty)
	}, write: func(out, in []code.Array) ([]devices.Launch, error) {
		return code.MatMul(out[0], in[0], in[1], tx, ty, lent(out, 1))
	}}
}
