package functional_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph/notation"
)

var export = flag.String("export", "", "write the graphs of testdata/calls to this `DIR`, for testdata/record.py")

// right is the answers that differ from TensorFlow's: it does not give attributes
// of functions their defaults, looks for the second tensor of a list argument that
// is returned in the node of the first, and takes the body of the first call for
// calls with other attributes.
var right = map[string][]string{
	"default_attribute": {"x: [2,3]", "z: [2,3]"},
	"list_argument":     {"x: [2,?]", "y: [?,3]", "z: [2,3]; [2,?]; [?,3]"},
	"polymorphic":       {"x: [2,3]", "a: [2,2,3]", "b: [2,3,2]"},
}

// TestHandmadeCalls compares what is inferred of the graphs in testdata/calls,
// of which each is there for one rule, with what TensorFlow infers
// (testdata/calls.txt).
func TestHandmadeCalls(t *testing.T) {
	want := answers(t, "testdata/calls.txt")
	defs := map[string][]byte{}
	datadriven.RunTest(t, "testdata/calls", func(t *testing.T, d *datadriven.TestData) string {
		def, err := notation.Parse(d.Input)
		if err != nil {
			return err.Error()
		}
		defs[d.Cmd] = def
		if *export != "" {
			if err := os.WriteFile(filepath.Join(*export, d.Cmd+".pb"), def, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return ""
	})
	if len(defs) != len(want) {
		t.Errorf("%d graphs, %d answers", len(defs), len(want))
	}
	for name, def := range defs {
		if known := right[name]; known != nil {
			want[name] = known
		}
		compare(t, name, want[name], inferred(def))
	}
}
