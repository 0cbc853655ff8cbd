package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// What programs are charged is no less than the heap that they take, and not much more:
// of nodes that stay as they are, of those that passes make, and of bodies.
func TestProgramsAreOnAccount(t *testing.T) {
	if testing.Short() {
		t.Skip("figures of memory, which the race detector changes")
	}
	const n = 400
	kinds := map[string]func(s *op.Scope, x tf.Output) tf.Output{
		"chain": func(s *op.Scope, x tf.Output) tf.Output {
			y := x
			for range n {
				y = op.Add(s.SubScope("s"), y, x)
			}
			return y
		},
		"fused": func(s *op.Scope, x tf.Output) tf.Output {
			y := x
			for range n {
				y = op.Relu(s.SubScope("s"), op.MatMul(s.SubScope("s"), y, x))
			}
			return y
		},
		"loops": func(s *op.Scope, x tf.Output) tf.Output {
			limit := op.Const(s.SubScope("c"), float32(100))
			y := x
			for range n / 8 {
				y = op.While(s.SubScope("s"), []tf.Output{y}, func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
					func(s *op.Scope, v []tf.Output) []tf.Output { return []tf.Output{op.Add(s, v[0], x)} })[0]
			}
			return y
		},
	}
	for name, build := range kinds {
		s := op.NewScope()
		x := op.Placeholder(s, tf.Float)
		y := build(s, x)
		g, err := s.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { chargesProgram(t, g, x, y) })
	}
	var b strings.Builder
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT}\ny = StatefulPartitionedCall(x) {Tin=[DT_FLOAT], Tout=[DT_FLOAT], f=func F}\n")
	b.WriteString("func F(x: float) -> (y: float) {\n  a0 = Add(x, x) {T=DT_FLOAT}\n")
	for i := range n {
		fmt.Fprintf(&b, "  a%d = Add(a%d:z:0, x) {T=DT_FLOAT}\n", i+1, i)
	}
	fmt.Fprintf(&b, "  return y = a%d:z:0\n}\n", n)
	def, err := notation.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	t.Run("function", func(t *testing.T) {
		chargesProgram(t, g, g.Operation("x").Output(0), g.Operation("y").Output(0))
	})
}

func chargesProgram(t *testing.T, g *tf.Graph, x, y tf.Output) {
	compiled := func(o *tf.SessionOptions) (*tf.Session, error) {
		s, err := tf.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.MakeCallable([]tf.Output{x}, []tf.Output{y}, nil)
		return s, err
	}
	first, err := compiled(nil) // the graph keeps what it was asked for
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil || first.ProgramMemory() != 0 {
		t.Errorf("%v, and %d bytes are left", err, first.ProgramMemory())
	}
	// The heap also shrinks by what tests before this one left: one measurement of
	// several has to be right.
	var s *tf.Session
	var charged int64
	right := false
	for range 8 {
		if s != nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		before := heapInUse()
		if s, err = compiled(nil); err != nil {
			t.Fatal(err)
		}
		heap := heapInUse() - before
		charged = s.ProgramMemory()
		t.Logf("%d bytes of heap, %d charged", heap, charged)
		if right = charged >= heap*9/10-64<<10 && charged <= 3*heap+64<<10; right {
			break
		}
	}
	if !right {
		t.Error("what a program is charged is not what it takes")
	}
	if used := s.MemoryInUse(); used != 0 {
		t.Errorf("%d bytes are on the account of tensors", used)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s, err = compiled(&tf.SessionOptions{MemoryLimit: charged - 1})
	if status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("with a byte less: %v", err)
	}
	if s.ProgramMemory() != 0 {
		t.Errorf("%d bytes are charged for a program that was refused", s.ProgramMemory())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
