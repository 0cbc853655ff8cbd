package gradients_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/gradients"
)

// headed is a loop whose test squares the variable, of which the body uses both:
//
//	for i < 4 { v = 0.9 v + 0.1 v² }
const headed = `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
four = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 4>}
shrink = Const() {dtype=DT_DOUBLE, value=Tensor<type: double shape: [] values: 0.9>}
share = Const() {dtype=DT_DOUBLE, value=Tensor<type: double shape: [] values: 0.1>}
b = Placeholder() {dtype=DT_DOUBLE, shape=shape []}
i_in = Enter(zero) {frame_name="L"}
v_in = Enter(b) {frame_name="L"}
one_ = Enter(one) {frame_name="L", is_constant=true}
four_ = Enter(four) {frame_name="L", is_constant=true}
shrink_ = Enter(shrink) {frame_name="L", is_constant=true}
share_ = Enter(share) {frame_name="L", is_constant=true}
i = Merge(i_in, i_back)
vm = Merge(v_in, v_back)
square = Square(vm)
less = Less(i, four_)
on = LoopCond(less)
i_s = Switch(i, on)
v_s = Switch(vm, on)
square_s = Switch(square, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
less_v = Mul(v_s:1, shrink_)
part = Mul(square_s:1, share_)
v1 = AddV2(less_v, part)
v_back = NextIteration(v1)
v_out = Exit(v_s)
`

// What the test of a loop computes of a variable adds to what the body does with it.
func TestHead(t *testing.T) {
	g := parse(t, headed)
	dx, err := gradients.Dense(g, outputs(t, g, "v_out"), outputs(t, g, "b"), gradients.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, dv := 1.3, 1.0
	for range 4 {
		v, dv = 0.9*v+0.1*v*v, (0.9+0.2*v)*dv
	}
	for _, engine := range engines {
		got := run(t, engine, g, outputs(t, g, "b"), []float64{1.3}, dx)[0]
		if math.Abs(got-dv) > 1e-12*dv {
			t.Errorf("on %s: %v, want %v", engine, got, dv)
		}
	}
}
