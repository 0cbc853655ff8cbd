package lower_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/lower"
)

// FuzzFunctions lowers any graph that can be imported. What comes out is a graph
// without anything to lower but calls that were left.
func FuzzFunctions(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder of the fuzzer's
		}
		for _, test := range strings.Split(string(text), "\n\n") {
			_, test, _ = strings.Cut(test, "lower fetch=")
			_, test, ok := strings.Cut(test, "\n")
			if !ok {
				continue
			}
			text, _, _ := strings.Cut(test, "----")
			g := graph.New()
			if err := notation.Add(g, text); err != nil {
				f.Fatalf("%v\n%s", err, text)
			}
			def, err := g.GraphDef(graph.ExportOptions{})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(def)
		}
	}
	f.Fuzz(func(t *testing.T, def []byte) {
		g := graph.New()
		if g.Import(def, "") != nil {
			return
		}
		l, err := lower.Functions(context.Background(), g, g.Nodes(), nil)
		if err != nil {
			return
		}
		for _, n := range l.Nodes() {
			if lower.Lowers(n) && n.Callee() == nil {
				t.Fatalf("%v is left", n)
			}
		}
	})
}
