package graph

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/graph/prototext"
)

// seeds are the GraphDefs of the recorded imports and the golden texts.
func seeds(f *testing.F) (defs [][]byte, texts []string) {
	files, err := zip.OpenReader("testdata/imports.zip")
	if err != nil {
		f.Fatal(err)
	}
	defer files.Close()
	paths, err := fs.Glob(files, "*/*.pb")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		def, err := fs.ReadFile(files, path)
		if err != nil {
			f.Fatal(err)
		}
		defs = append(defs, def)
	}
	golden, err := filepath.Glob("testdata/golden/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range golden {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return defs, texts
}

// FuzzImport: whatever is imported is sound, and survives export and import.
func FuzzImport(f *testing.F) {
	defs, _ := seeds(f)
	for _, def := range defs {
		f.Add(def, "")
		f.Add(def, "p")
	}
	f.Fuzz(func(t *testing.T, def []byte, prefix string) {
		g := New()
		if err := g.Import(def, prefix); err != nil {
			if g.NumNodes() > 0 || len(g.Functions()) > 0 {
				t.Fatalf("a failed import left something: %v", err)
			}
			return
		}
		checkSound(t, g)
		out, err := g.GraphDef(ExportOptions{StripDefaults: true})
		if err != nil {
			t.Fatal(err)
		}
		again := New()
		if err := again.Import(out, ""); err != nil {
			t.Fatalf("an exported graph does not import: %v", err)
		}
		if again.NumNodes() != g.NumNodes() {
			t.Fatalf("%d nodes became %d", g.NumNodes(), again.NumNodes())
		}
		_, _ = g.Frames()
		_, _ = dotOf(g)
		_ = textOf(g, textOptions{Grouped: true})
	})
}

// checkSound holds what the package promises of every graph.
func checkSound(t *testing.T, g *Graph) {
	for i, n := range g.Nodes() {
		if n.ID() != i || g.Operation(n.Name()) != n || !ValidName(n.Name()) {
			t.Fatalf("node %d is %v of id %d", i, n, n.ID())
		}
		if len(n.Inputs()) != len(n.InputTypes()) || len(n.OutputShapes()) != n.NumOutputs() {
			t.Fatalf("%v has %d inputs of %d types, %d outputs of %d shapes", n, len(n.Inputs()), len(n.InputTypes()), n.NumOutputs(), len(n.OutputShapes()))
		}
		for k, from := range n.Inputs() {
			if !from.Exists() || from.Op.Graph() != g {
				t.Fatalf("%v input %d is %v", n, k, from)
			}
			if from.Op.ID() >= i && !n.IsBackEdge(k) {
				t.Fatalf("%v takes %v, which comes later", n, from)
			}
		}
	}
}

// FuzzText: whatever parses prints, and parses to the same again.
func FuzzText(f *testing.F) {
	_, texts := seeds(f)
	for _, text := range texts {
		f.Add(text)
	}
	f.Add("y = f(x)\nx = Placeholder() {dtype=DT_INT32}\nstateful func f[T: type = DT_INT32, N: int](x: T {a=\"}\"}) -> (y: T) {b=1} {\n  return y = x, ^c = n # comment\n  n = NoOp(^x) {f=func f[T=$T, N=$N]}\n}\ngradient f = f")
	f.Add("a = NoOp(^b) @/device:CPU:0 {s=\"}\\\"#\"}\nb = NoOp() # comment")
	f.Fuzz(func(t *testing.T, text string) {
		g := New()
		if err := addText(g, text); err != nil {
			return
		}
		for _, n := range g.Nodes() {
			for _, a := range n.Attrs() {
				if a.Value.Tensor != nil && a.Value.Tensor.NumElements() > 1000 {
					return // right, but too slow to print
				}
			}
		}
		printed := textOf(g, textOptions{})
		again := New()
		if err := addText(again, printed); err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, printed)
		}
		if got := textOf(again, textOptions{}); got != printed {
			t.Fatalf("printed again:\n%s\ninstead of\n%s", got, printed)
		}
	})
}

// FuzzProtoText: protocol buffer text is parsed or refused.
func FuzzProtoText(f *testing.F) {
	defs, _ := seeds(f)
	for _, def := range defs {
		if text, err := prototext.Format(def); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if def, err := prototext.Parse(text); err == nil {
			_ = New().Import(def, "")
		}
	})
}
