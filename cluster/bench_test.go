package cluster_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// twoProcesses starts two worker processes and a session on them.
func twoProcesses(b *testing.B, g *session.Graph) *session.Session {
	var target string
	for i := range 2 {
		target += fmt.Sprintf(",%s", startProcess(b, processOptions{Task: i, Bound: bound}).address)
	}
	return newSession(b, "troupe://"+target[1:], g, "none")
}

// BenchmarkLoop goes round a loop whose body is on another process: an operation is an
// iteration.
func BenchmarkLoop(b *testing.B) {
	g := text(b, endless)
	s := twoProcesses(b, g)
	loop := func(n int) {
		if _, err := run(b.Context(), s, g, map[string]*tensor.Tensor{"n": tensor.FromScalar(int32(n))}, []string{"exit"}, nil); err != nil {
			b.Fatal(err)
		}
	}
	loop(10)
	b.ResetTimer()
	loop(b.N)
}

// BenchmarkNull runs a step that does nothing.
func BenchmarkNull(b *testing.B) {
	g := text(b, "none = NoOp()\n")
	s := twoProcesses(b, g)
	if _, err := run(b.Context(), s, g, nil, nil, []string{"none"}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := run(b.Context(), s, g, nil, nil, []string{"none"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVariable reads a variable of another process: its first element is fetched.
func BenchmarkVariable(b *testing.B) {
	for _, mb := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("mb=%d", mb), func(b *testing.B) {
			n := mb << 18
			g := text(b, fmt.Sprintf(`
w = VarHandleOp() @/job:worker/task:1 {container="", dtype=DT_FLOAT, shape=shape [%d], shared_name="w"}
dims = Const() @/job:worker/task:1 {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: %d>}
five = Const() @/job:worker/task:1 {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 5>}
fill = Fill(dims, five) @/job:worker/task:1 {T=DT_FLOAT, index_type=DT_INT32}
assign = AssignVariableOp(w, fill) @/job:worker/task:1 {dtype=DT_FLOAT}
read = ReadVariableOp(w) @/job:worker/task:1 {dtype=DT_FLOAT}
size = Size(read) @/job:worker/task:0 {T=DT_FLOAT, out_type=DT_INT32}
`, n, n))
			s := twoProcesses(b, g)
			if _, err := run(b.Context(), s, g, nil, nil, []string{"assign"}); err != nil {
				b.Fatal(err)
			}
			if _, err := run(b.Context(), s, g, nil, []string{"size"}, nil); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(n) * 4)
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				began := time.Now()
				if _, err := run(b.Context(), s, g, nil, []string{"size"}, nil); err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(began))
			}
			b.ReportMetric(float64(n)*4/1e9/best.Seconds(), "GB/s-best")
		})
	}
}
