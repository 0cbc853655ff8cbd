package nodes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// A loop whose variables go round in a circle needs one register more than there are
// variables. Where there are as many as registers, the island is given up.
func TestCircles(t *testing.T) {
	all := engines(t, 0)
	for n := 250; n <= 257; n++ {
		var w strings.Builder
		add := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
		add("limit = Placeholder() {dtype=DT_INT32}")
		for i := range n {
			add("c%d = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: %d>}", i, i)
			add(`e%d = Enter(c%d) {T=DT_INT32, frame_name="L"}`, i, i)
			add("m%d = Merge(e%d, n%d) {N=2, T=DT_INT32}", i, i, i)
			add("s%d = Switch(m%d, go) {T=DT_INT32}", i, i)
			add("n%d = NextIteration(s%d:1) {T=DT_INT32}", i, (i+1)%n)
			add("x%d = Exit(s%d:0) {T=DT_INT32}", i, i)
		}
		add(`l = Enter(limit) {T=DT_INT32, frame_name="L", is_constant=true}`)
		add("less = Less(m0, l) {T=DT_INT32}")
		add("go = LoopCond(less)")
		var fetches []string
		for i := range n {
			fetches = append(fetches, fmt.Sprintf("x%d", i))
		}
		p := compiled(t, w.String(), []string{"limit"}, fetches...)
		const turns = 5
		for _, e := range all {
			got, err := run(context.Background(), e, p, tensor.Scalar(int32(turns)))
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				if v := tensor.At0[int32](&got[i]); int(v) != (i+turns)%n {
					t.Errorf("%s: variable %d of %d is %d after %d iterations", e.label, i, n, v, turns)
				}
			}
		}
	}
}
