package session_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
)

// A loop gives back at once what nothing reads of a node's outputs, however many they
// are.
func TestUnreadOutputsAreGivenBack(t *testing.T) {
	const row, turns = 256, 400
	onEveryEngine(t, func(t *testing.T, o session.SessionOptions) {
		for _, parts := range []int{1, 63, 64, 65, 130} {
			g := session.NewGraph()
			if err := notation.Add(g, fmt.Sprintf(`
limit = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: %d>}
x = Placeholder() {dtype=DT_FLOAT}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
i_in = Enter(zero) {frame_name="L", parallel_iterations=1}
x_in = Enter(x) {frame_name="L", parallel_iterations=1}
limit_ = Enter(limit) {frame_name="L", is_constant=true, parallel_iterations=1}
one_ = Enter(one) {frame_name="L", is_constant=true, parallel_iterations=1}
axis_ = Enter(zero) {frame_name="L", is_constant=true, parallel_iterations=1}
i = Merge(i_in, i_back)
a = Merge(x_in, a_back)
less = Less(i, limit_)
on = LoopCond(less)
i_s = Switch(i, on)
a_s = Switch(a, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
sq = Square(a_s:1)
parts = Split(axis_, sq) {num_split=%d}
first = Sum(parts:0, axis_)
a1 = AddV2(a_s:1, first)
a_back = NextIteration(a1)
a_out = Exit(a_s)
`, turns, parts)); err != nil {
				t.Fatal(err)
			}
			rows := make([][]float32, parts)
			for i := range rows {
				rows[i] = make([]float32, row)
			}
			o.MemoryLimit, o.Rewrite = 1<<20+int64(8*parts*row*4), "none"
			s, err := session.NewSession(g, &o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Run(feeds{g.Operation("x").Output(0): tensorOf(t, rows)}, []session.Output{g.Operation("a_out").Output(0)}, nil)
			s.Close()
			if err != nil {
				t.Errorf("%d outputs: %v", parts, err)
			}
		}
	})
}
