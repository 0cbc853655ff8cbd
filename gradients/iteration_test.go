package gradients_test

import (
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/status"
)

// iterated is a loop of four iterations, v = 0.9v+0.1 from b, with a loop within that
// multiplies: w = wvc three times from v. What hole has is added up.
const iterated = `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
three = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
four = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 4>}
shrink = Const() {dtype=DT_DOUBLE, value=Tensor<type: double shape: [] values: 0.9>}
shift = Const() {dtype=DT_DOUBLE, value=Tensor<type: double shape: [] values: 0.1>}
nothing = Const() {dtype=DT_DOUBLE, value=Tensor<type: double shape: [] values: 0>}
x = Placeholder() {dtype=DT_DOUBLE, shape=shape []}
b = Placeholder() {dtype=DT_DOUBLE, shape=shape []}
c = Square(x)
i_in = Enter(zero) {frame_name="L"}
v_in = Enter(b) {frame_name="L"}
a_in = Enter(nothing) {frame_name="L"}
one_ = Enter(one) {frame_name="L", is_constant=true}
three_ = Enter(three) {frame_name="L", is_constant=true}
zero_ = Enter(zero) {frame_name="L", is_constant=true}
four_ = Enter(four) {frame_name="L", is_constant=true}
shrink_ = Enter(shrink) {frame_name="L", is_constant=true}
shift_ = Enter(shift) {frame_name="L", is_constant=true}
c_ = Enter(c) {frame_name="L", is_constant=true}
i = Merge(i_in, i_back)
vm = Merge(v_in, v_back)
a = Merge(a_in, a_back)
less = Less(i, four_)
on = LoopCond(less)
i_s = Switch(i, on)
v_s = Switch(vm, on)
a_s = Switch(a, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
v = Identity(v_s:1)
less_v = Mul(v, shrink_)
v1 = AddV2(less_v, shift_)
v_back = NextIteration(v1)
vc = Mul(v, c_)
sin = Sin(vc)
y = Mul(sin, v)
k_in = Enter(zero_) {frame_name="M"}
w_in = Enter(v) {frame_name="M"}
k = Merge(k_in, k_back)
wm = Merge(w_in, w_back)
k_three = Enter(three_) {frame_name="M", is_constant=true}
k_one = Enter(one_) {frame_name="M", is_constant=true}
k_vc = Enter(vc) {frame_name="M", is_constant=true}
k_less = Less(k, k_three)
k_on = LoopCond(k_less)
k_s = Switch(k, k_on)
w_s = Switch(wm, k_on)
k1 = AddV2(k_s:1, k_one)
k_back = NextIteration(k1)
w1 = Mul(w_s:1, k_vc)
w_back = NextIteration(w1)
w_out = Exit(w_s)
hole = ZerosLike(v)
a1 = AddV2(a_s:1, hole)
a_back = NextIteration(a1)
a_out = Exit(a_s)
`

// Gradients of an iteration are those of what it computes, in each iteration.
func TestIterations(t *testing.T) {
	const x, b = 0.7, 1.3
	c := x * x
	for _, test := range []struct {
		name, ys, xs string
		plain        func(v float64) float64
	}{
		{"a value of the iteration", "y", "v", func(v float64) float64 { return math.Sin(v*c) + v*c*math.Cos(v*c) }},
		{"a variable", "y", "v_s:1", func(v float64) float64 { return math.Sin(v*c) + v*c*math.Cos(v*c) }},
		{"what all iterations have", "y", "c", func(v float64) float64 { return v * v * math.Cos(v*c) }},
		{"what that is made of", "y", "x", func(v float64) float64 { return v * v * math.Cos(v*c) * 2 * x }},
		{"several", "y w_out", "vc", func(v float64) float64 { return v*math.Cos(v*c) + 3*v*math.Pow(v*c, 2) }},
		{"through a loop within", "w_out", "v", func(v float64) float64 { return 4 * math.Pow(v*c, 3) }},
		{"through a loop within, of what all iterations have", "w_out", "x", func(v float64) float64 { return 3 * math.Pow(v, 4) * c * c * 2 * x }},
		{"of nothing between", "vc", "sin", func(float64) float64 { return 0 }},
	} {
		g := parse(t, iterated)
		dx, err := gradients.Dense(g, outputs(t, g, test.ys), outputs(t, g, test.xs), gradients.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		e := g.Edit()
		if err := e.SetInput(e.Node("a1"), 1, e.Copy(dx[0].Op).Output(dx[0].Index)); err != nil {
			t.Fatal(err)
		}
		if g, err = e.Done(); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		want, v := 0.0, b
		for range 4 {
			want += test.plain(v)
			v = 0.9*v + 0.1
		}
		for _, engine := range engines {
			got := run(t, engine, g, outputs(t, g, "x b"), []float64{x, b}, outputs(t, g, "a_out"))[0]
			if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s on %s: %v, want %v", test.name, engine, got, want)
			}
		}
	}
}

// What no iteration can say is told.
func TestIterationsRefused(t *testing.T) {
	for _, test := range []struct{ ys, xs, want string }{
		{"y", "b", "initial value of a loop variable"},
		{"a_out", "v", "is inside the loop 'L', and no y is"},
		{"y w1", "v", "different frames"},
	} {
		g := parse(t, iterated)
		_, err := gradients.Dense(g, outputs(t, g, test.ys), outputs(t, g, test.xs), gradients.Options{})
		if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s by %s: %v, want %q", test.ys, test.xs, err, test.want)
		}
	}
}
