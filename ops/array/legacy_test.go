package array_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/prototext"
)

// TestLegacyPlaceholder: in graphs up to version 21 nobody knows the shape of a
// placeholder whose attribute is that of a scalar, as TensorFlow 2.21 says of these.
func TestLegacyPlaceholder(t *testing.T) {
	for version, want := range map[string]int{"21": -1, "22": 0, "24": 0} {
		def, err := prototext.Parse([]byte(strings.ReplaceAll(`
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { } } } }
node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: VERSION }
`, "VERSION", version)))
		if err != nil {
			t.Fatal(err)
		}
		g := graph.New()
		if err := g.Import(def, ""); err != nil {
			t.Fatal(err)
		}
		for _, g := range []*graph.Graph{g, g.Clone()} {
			if got := g.Operation("y").Output(0).Shape().NumDimensions(); got != want {
				t.Errorf("version %s: y has rank %d, want %d", version, got, want)
			}
		}
	}
}
