package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// FuzzInstantiate: a FunctionDef is refused or becomes a body that is sound, of
// which a function can be made whose body is the same.
func FuzzInstantiate(f *testing.F) {
	paths, err := filepath.Glob("testdata/functions/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, fn := range functionsIn(string(text)) {
			f.Add(fn.Def, uint8(2), uint8(tensor.Float))
			f.Add(fn.Def, uint8(3), uint8(tensor.Int32))
		}
	}
	f.Fuzz(func(t *testing.T, def []byte, n, dt uint8) {
		fn, err := UnmarshalFunction(def)
		if err != nil {
			return
		}
		g := New()
		if err := g.AddFunction(fn, nil); err != nil {
			return
		}
		call := &registry.Func{Name: fn.Name}
		for i := range fn.Signature.Attrs {
			a := &fn.Signature.Attrs[i]
			v := registry.AttrValue{Kind: a.Kind, I: int64(n), Type: tensor.DType(dt)}
			switch a.Kind {
			case registry.KindFunc:
				v.Func = &registry.Func{Name: fn.Name}
			case registry.KindType | registry.ListOf:
				for range n {
					v.List = append(v.List, registry.TypeAttr(tensor.DType(dt)))
				}
			}
			call.Attrs = call.Attrs.With(a.Name, v)
		}
		b, err := g.Instantiate(call)
		if err != nil {
			if status.CodeOf(err) == status.Internal {
				t.Fatal(err)
			}
			return
		}
		checkBodySound(t, b)
		_, _ = b.Infer(nil)
		_ = textOf(g, textOptions{MaxElements: 100})
		again, err := b.Function("Again", nil)
		if err == nil {
			err = g.AddFunction(again, nil)
		}
		if err != nil {
			return // nodes that are arguments of another function, or a name in use
		}
		c, err := g.Instantiate(&registry.Func{Name: "Again"})
		if err != nil {
			t.Fatalf("a function made of a body: %v\n%s", err, textOf(g, textOptions{MaxElements: 100}))
		}
		if c.Graph.NumNodes() != b.Graph.NumNodes() || len(c.Args) != len(b.Args) || len(c.Results) != len(b.Results) {
			t.Fatalf("%d nodes became %d", b.Graph.NumNodes(), c.Graph.NumNodes())
		}
	})
}

// functionsIn returns the functions in the texts of a file of commands.
func functionsIn(file string) []*Function {
	var list []*Function
	for text := range strings.SplitSeq(file, "\n\n") {
		for _, start := range []string{"func ", "stateful "} {
			at := strings.Index(text, start)
			if at < 0 || at > 0 && text[at-1] != '\n' {
				continue
			}
			if end := strings.Index(text[at:], "\n}"); end >= 0 {
				g := New()
				if addText(g, text[at:at+end+2]) == nil {
					list = append(list, g.Functions()...)
				}
			}
		}
	}
	return list
}

func checkBodySound(t *testing.T, b *Body) {
	for i, n := range b.Graph.Nodes() {
		if n.ID() != i || len(n.Inputs()) != len(n.InputTypes()) || len(n.OutputShapes()) != n.NumOutputs() {
			t.Fatalf("node %d is %v, with %d inputs and %d shapes", i, n, len(n.Inputs()), len(n.OutputShapes()))
		}
		for k, from := range n.Inputs() {
			if !from.Exists() || from.Op.Graph() != b.Graph || from.Op.ID() >= i && !n.IsBackEdge(k) {
				t.Fatalf("%v input %d is %v", n, k, from)
			}
		}
	}
	for i, n := range b.Args {
		if n.Class() != ClassArg || n.position() != int64(i) {
			t.Fatalf("argument %d is %v", i, n)
		}
	}
	for i, n := range b.Results {
		if n.Class() != ClassRetval || n.position() != int64(i) {
			t.Fatalf("result %d is %v", i, n)
		}
	}
}
