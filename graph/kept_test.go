package graph

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/troupe-go/troupe/registry"
)

// TestLargeBodiesAreReleased: a library holds small bodies, and of large ones only what has
// been inferred of calls; they are made again when they are needed.
func TestLargeBodiesAreReleased(t *testing.T) {
	for _, nodes := range []int{mostKeptNodes - 2, mostKeptNodes - 1} { // with argument and result one over
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			large := nodes+2 > mostKeptNodes
			g := mustText(t, chainFunction(nodes)+"x = Placeholder() {dtype=DT_FLOAT, shape=shape [3]}\nc = F(x)\n")
			f := &registry.Func{Name: "F"}
			before := func() (weak.Pointer[Body], []byte, weak.Pointer[Body]) {
				b, err := g.Instantiate(f)
				if err != nil {
					t.Fatal(err)
				}
				again, _ := g.Instantiate(f)
				if again != b {
					t.Error("a function has two bodies at a time")
				}
				if b.Graph.library != g.library {
					t.Error("the body that the import has made does not know the graph's functions")
				}
				return weak.Make(b), exported(t, b.Graph), weak.Make(again)
			}
			old, def, _ := before()
			runtime.GC()
			if gone := old.Value() == nil; gone != large {
				t.Errorf("a body of %d nodes has been released: %v", nodes+2, gone)
			}
			granted, written := g.library.granted, g.library.written
			b, err := g.Instantiate(f)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(exported(t, b.Graph), def) || len(b.Args) != 1 || len(b.Results) != 1 || b.Graph.library != g.library {
				t.Error("the body that was made again is another")
			}
			if g.library.granted != granted || g.library.written != written {
				t.Error("a body that is made again is charged again")
			}
			if len(b.calls.byShape) == 0 {
				t.Error("what was inferred has been forgotten")
			}
			spent := g.library.spent
			if err := addText(g, "y = Placeholder() {dtype=DT_FLOAT, shape=shape [3]}\nd = F(y)\n"); err != nil {
				t.Fatal(err)
			}
			if g.library.spent != spent {
				t.Error("a call like the one before is inferred again")
			}
			if got := g.Operation("d").OutputShapes()[0].String(); got != "[3]" {
				t.Errorf("the call is of shape %s", got)
			}
		})
	}
}

// TestManyCallsOfLargeBody: the body used last stays while a graph is imported, however often it
// is collected; others are released.
func TestManyCallsOfLargeBody(t *testing.T) {
	var b strings.Builder
	b.WriteString(chainFunction(2 * mostKeptNodes))
	b.WriteString(strings.Replace(chainFunction(2*mostKeptNodes), "F(", "G(", 1))
	b.WriteString("x = Placeholder() {dtype=DT_FLOAT}\n")
	g := mustText(t, b.String())
	l := g.library.stage()
	body := func(name string) weak.Pointer[Body] {
		body, err := l.instantiate(&registry.Func{Name: name}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return weak.Make(body)
	}
	last := body("F")
	runtime.GC()
	if last.Value() == nil {
		t.Error("the body used last has been released")
	}
	body("G")
	runtime.GC()
	if last.Value() != nil {
		t.Error("a large body that nobody uses is held")
	}
	runtime.KeepAlive(l)
}

func exported(t *testing.T, g *Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := g.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
