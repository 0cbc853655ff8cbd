//go:build !race

package nodes_test

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
)

// golden returns the first graph of a file of testdata, after skipping some.
func golden(t *testing.T, file string, skip int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	g, _, _ := strings.Cut(strings.Split("\n"+string(text), "\ngraph\n")[skip+1], "----")
	return g
}

// counter counts to its limit with a branch-free body.
const counter = `
limit = Placeholder() {dtype=DT_INT32}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
e = Enter(zero) {T=DT_INT32, frame_name="L", parallel_iterations=32}
l = Enter(limit) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=32}
u = Enter(one) {T=DT_INT32, frame_name="L", is_constant=true, parallel_iterations=32}
m = Merge(e, n) {N=2, T=DT_INT32}
less = Less(m, l) {T=DT_INT32}
c = LoopCond(less)
s = Switch(m, c) {T=DT_INT32}
add = AddV2(s:1, u) {T=DT_INT32}
n = NextIteration(add) {T=DT_INT32}
out = Exit(s) {T=DT_INT32}
`

// runner runs a program again and again with nothing made again.
func runner(t *testing.T, e nodes.Engine, p *nodes.Program, feeds ...tensor.Value) func() {
	step, fetched := newStep(context.Background()), make([]tensor.Value, len(p.Fetches()))
	return func() {
		if err := e.Run(step, p, feeds, fetched); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutCollector keeps the collector from emptying the pool of steps.
func withoutCollector(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// allocations returns how often a call of f allocates. Actors that begin or end
// meanwhile count as well, so the least of some trials is taken.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(20, f)
	for range 4 {
		least = min(least, testing.AllocsPerRun(20, f))
	}
	return least
}

// TestIterationsAllocateNothing: many iterations allocate no more than few.
func TestIterationsAllocateNothing(t *testing.T) {
	withoutCollector(t)
	for _, c := range []struct {
		name, text, feed, fetch string
	}{
		{"counter", counter, "limit", "out"},
		{"branch", golden(t, "branches", 1), "limit", "out"},
		{"nested", golden(t, "nested", 0), "n", "s.exit"},
	} {
		p := compiled(t, c.text, []string{c.feed}, c.fetch)
		for _, tokens := range []bool{false, true} {
			e := actors.New(actors.Config{Tokens: tokens})
			few := allocations(runner(t, e, p, tensor.Scalar(int32(60))))
			many := allocations(runner(t, e, p, tensor.Scalar(int32(200))))
			if many != few {
				t.Errorf("%s, tokens %v: 60 iterations allocate %v times, 200 %v", c.name, tokens, few, many)
			}
			e.Close()
		}
	}
}

// TestStepAllocatesNothing: a step of a program that was run before allocates
// nothing at all, as long as its values are scalars.
func TestStepAllocatesNothing(t *testing.T) {
	withoutCollector(t)
	p := compiled(t, "x = Placeholder() {dtype=DT_INT32}\ny = Neg(x) {T=DT_INT32}\nz = AddV2(x, y) {T=DT_INT32}\n", []string{"x"}, "z")
	for _, tokens := range []bool{false, true} {
		e := actors.New(actors.Config{Tokens: tokens})
		if n := allocations(runner(t, e, p, tensor.Scalar(int32(60)))); n != 0 {
			t.Errorf("tokens %v: a step allocates %v times", tokens, n)
		}
		e.Close()
	}
}

// TestLongLoopStaysSmall: a million iterations leave the heap as it was.
func TestLongLoopStaysSmall(t *testing.T) {
	e := actors.New(actors.Config{Tokens: true})
	defer e.Close()
	p := compiled(t, counter, []string{"limit"}, "out")
	runner(t, e, p, tensor.Scalar(int32(1000)))()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	runner(t, e, p, tensor.Scalar(int32(1_000_000)))()
	runtime.ReadMemStats(&after) // nothing collected in between counts as kept
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}
