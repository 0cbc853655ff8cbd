package unit_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes/unit"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Probe").Input("x: float").Output("y: float").Doc("Passes x on, and counts how.")
	shape.Register(func(c *shape.Context) error { c.Outputs[0] = c.Inputs[0]; return nil }, "Probe")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return probe{}, nil }, "Probe")
}

// A probe counts how often it runs, and how often when it was prepared.
type probe struct{}

var probed struct{ run, prepared int }

func (probe) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	probed.run++
	v, err := ctx.Alloc(tensor.Float, in[0].Dims())
	if err == nil {
		v.CopyFrom(in[0])
		out[0] = v
	}
	return err
}

func (probe) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	return kernel.OneOut(tensor.Float, in[0].Dims(), func(_ *kernel.Context, in, out []tensor.Value) {
		probed.prepared++
		out[0].CopyFrom(in[0])
	})
}

// cell is a recurrent network's step in a loop of nine iterations: what is made in
// the chain and used there, a part that is there after it, a variable that is
// written in place, one that stays as it is in the first half, and a sum of products.
const cell = `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
nine = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 9>}
unit = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
x = Placeholder() {dtype=DT_FLOAT}
h = Placeholder() {dtype=DT_FLOAT}
w = Placeholder() {dtype=DT_FLOAT}
b = Placeholder() {dtype=DT_FLOAT}
i_in = Enter(zero) {frame_name="L"}
h_in = Enter(h) {frame_name="L"}
c_in = Enter(h) {frame_name="L"}
g_in = Enter(h) {frame_name="L"}
s_in = Enter(w) {frame_name="L"}
nine_ = Enter(nine) {frame_name="L", is_constant=true}
one_ = Enter(one) {frame_name="L", is_constant=true}
unit_ = Enter(unit) {frame_name="L", is_constant=true}
x_ = Enter(x) {frame_name="L", is_constant=true}
w_ = Enter(w) {frame_name="L", is_constant=true}
b_ = Enter(b) {frame_name="L", is_constant=true}
i = Merge(i_in, i_back)
hm = Merge(h_in, h_back)
c = Merge(c_in, c_back)
g = Merge(g_in, g_back)
s = Merge(s_in, s_back)
less = Less(i, nine_)
on = LoopCond(less)
i_s = Switch(i, on)
h_s = Switch(hm, on)
c_s = Switch(c, on)
g_s = Switch(g, on)
s_s = Switch(s, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
joined = ConcatV2(x_, h_s:1, one_) {N=2}
product = MatMul(joined, w_)
gates = AddV2(product, b_)
parts = Split(one_, gates) {num_split=4}
in = Sigmoid(parts)
new = Tanh(parts:1)
shifted = AddV2(parts:2, unit_)
forget = Sigmoid(shifted)
out = Sigmoid(parts:3)
kept = Mul(forget, c_s:1)
added = Mul(in, new)
c1 = AddV2(kept, added)
c_back = NextIteration(c1)
seen = Probe(c1)
t = Tanh(seen)
h1 = Mul(out, t)
h_back = NextIteration(h1)
positive = Greater(h1, g_s:1)
g1 = SelectV2(positive, parts:3, g_s:1)
g_back = NextIteration(g1)
grown = MatMul(joined, product) {transpose_a=true}
s1 = AddV2(s_s:1, grown)
s_back = NextIteration(s1)
h_out = Exit(h_s)
c_out = Exit(c_s)
g_out = Exit(g_s)
s_out = Exit(s_s)
`

// Chains give what tokens give, to the bit, and the same errors, whether they are
// prepared or not.
func TestChains(t *testing.T) {
	s := newScalars(t)
	rng := rand.New(rand.NewPCG(3, 4))
	matrix := func(dims ...int64) tensor.Value {
		v, err := tensor.New(tensor.Float, dims...)
		if err != nil {
			t.Fatal(err)
		}
		w := tensor.ValueOf(v)
		for i := range tensor.Of[float32](&w) {
			tensor.Of[float32](&w)[i] = float32(rng.NormFloat64())
		}
		return tensor.ValueOf(v)
	}
	for _, c := range []struct {
		batch, in, n int64
		bias         []int64
		prepared     bool
		fails        bool
	}{
		{1, 3, 4, []int64{16}, true, false},
		{1, 64, 64, []int64{1, 256}, true, false},
		{2, 3, 5, []int64{20}, true, false},
		{3, 1, 16, []int64{3, 1}, true, false},
		{7, 9, 33, nil, true, false},
		{0, 3, 4, []int64{16}, false, false},      // nothing to do
		{1, 3, 1100, []int64{4400}, false, false}, // too large
		{2, 3, 5, []int64{2, 2, 20}, false, true}, // parts that do not fit
		{2, 3, 5, []int64{7}, false, true},
	} {
		p := s.compile(cell, []string{"x", "h", "w", "b"}, []string{"h_out", "c_out", "g_out", "s_out"})
		s.has(p, "chain")
		name := fmt.Sprintf("%d×%d to %d, bias %v", c.batch, c.in, c.n, c.bias)
		feeds := []tensor.Value{matrix(c.batch, c.in), matrix(c.batch, c.n), matrix(c.in+c.n, 4*c.n), matrix(c.bias...)}
		var want []tensor.Value
		var failure error
		for i, e := range []*actors.Engine{s.tokens, s.units, s.units} {
			probed.run, probed.prepared = 0, 0
			step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
			got := make([]tensor.Value, 4)
			err := e.Run(step, p, feeds, got)
			switch {
			case i == 0:
				want, failure = got, err
				if (err != nil) != c.fails {
					t.Errorf("%s: %v", name, err)
				}
				continue
			case fmt.Sprint(err) != fmt.Sprint(failure):
				t.Errorf("%s: unit: %v, tokens: %v", name, err, failure)
			case err == nil:
				for k := range got {
					if !tensor.SameShape(got[k], want[k]) || !bytes.Equal(tensor.Bytes(&got[k]), tensor.Bytes(&want[k])) {
						t.Errorf("%s: fetch %d is %v, with tokens %v", name, k, got[k].Tensor().Value(), want[k].Tensor().Value())
					}
				}
				if probed.run+probed.prepared != 9 || (probed.prepared > 0) != c.prepared {
					t.Errorf("%s: a kernel ran %d times, and %d times prepared", name, probed.run, probed.prepared)
				}
			}
		}
	}
}

// A loop over shapes that change is played with calls, and in between prepared.
func TestChainsOfChangingShapes(t *testing.T) {
	s := newScalars(t)
	p := s.compile(cell, []string{"x", "h", "w", "b"}, []string{"h_out", "c_out", "g_out"})
	ones := func(dims ...int64) tensor.Value {
		v, err := tensor.New(tensor.Float, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(v)
	}
	probed.run, probed.prepared = 0, 0
	for k := range 20 {
		n := int64(2 + k/10)
		step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
		got := make([]tensor.Value, 3)
		if err := s.units.Run(step, p, []tensor.Value{ones(1, n), ones(1, n), ones(2*n, 4*n), ones(4 * n)}, got); err != nil || got[0].Dim(1) != int(n) {
			t.Fatal(got[0], err)
		}
	}
	// Once for the first shapes, twice for the second; never where invariants are
	// checked, as all is prepared at once then.
	// Under the race detector a call now and then takes so long that it is measured.
	if probed.run+probed.prepared != 180 || probed.run > 20 {
		t.Errorf("a kernel ran %d times, and %d times prepared", probed.run, probed.prepared)
	}
}

// Verify objects to a chain that is not in one piece.
func TestVerifyChains(t *testing.T) {
	s := newScalars(t)
	p := s.compile(cell, []string{"x", "h", "w", "b"}, []string{"h_out"})
	f, reason, err := unit.NewCompiler(p.Flow(), nil).Form(0)
	if f == nil {
		t.Fatal(reason, err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	code, members := f.Loops[0].Body.Code, 0
	for i := range code {
		if chain := code[i].Chain; chain > 0 {
			members++
			inner := i > 0 && code[i-1].Chain == chain && i < len(code)-1 && code[i+1].Chain == chain
			code[i].Chain = 0
			if err := f.Verify(); (err != nil) != inner {
				t.Errorf("without instruction %d: %v", i, err)
			}
			code[i].Chain = chain
		}
	}
	if members < 15 {
		t.Errorf("only %d instructions are in the chain:\n%v", members, f)
	}
}
