package all

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Definitions beyond those that TensorFlow exports are as in TensorFlow 2.21's
// Python package, whose list registry/testdata/more.pb.gz holds without
// documentation.
func TestFurtherDefinitionsEqualTensorFlow(t *testing.T) {
	exported, err := os.ReadFile("../../registry/testdata/ops.pb")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../../registry/testdata/more.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	more, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*registry.OpDef{}
	for _, list := range [][]byte{exported, more} {
		defs, err := registry.UnmarshalOpList(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range defs {
			known[d.Name] = d
		}
	}
	// What the rewriting of programs writes and TensorFlow has no name for.
	own := map[string]bool{"_FusedElementwise": true, "_FusedUpdate": true}
	for _, got := range registry.Global.Defs(true) {
		want := known[got.Name]
		if want == nil && own[got.Name] {
			continue
		}
		if want == nil {
			t.Errorf("%s is no operation of TensorFlow", got.Name)
			continue
		}
		if diff := cmp.Diff(undocumented(want), undocumented(got), sameTensors); diff != "" {
			t.Errorf("%s (-TensorFlow +registered):\n%s", want.Name, diff)
		}
	}
}

// sameTensors compares defaults that are tensors.
var sameTensors = cmp.Comparer(func(a, b *tensor.Tensor) bool {
	if a == nil || b == nil {
		return a == b
	}
	return tensor.Compare(a, b, tensor.Tolerance{Exact: true}) == nil
})
