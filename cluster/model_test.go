package cluster_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// SavedModels whose variables are workers' return what they return in one process, whatever
// restores them: TensorFlow's saver, its graph of objects, or the saver of a model with a
// reference variable.
func TestSavedModels(t *testing.T) {
	_, target := startWorkers(t, 2)
	dir := t.TempDir()
	for name, from := range map[string]string{"objects": "trackable/objects", "vocabulary": "vocabulary"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("../model/testdata/"+from)); err != nil {
			t.Fatal(err)
		}
	}
	g := text(t, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape []}
v = VariableV2() @/job:worker/task:1 {dtype=DT_FLOAT, shape=shape []}
w = VarHandleOp() @/job:worker/task:1 {dtype=DT_FLOAT, shape=shape [], shared_name="w"}
read = ReadVariableOp(w) @/job:worker/task:1 {dtype=DT_FLOAT}
both = Mul(v, read) @/job:worker/task:1 {T=DT_FLOAT}
y = AddV2(both, x)
`)
	signature := model.ExportSignature{
		Inputs:  map[string]graph.Output{"x": g.Operation("x").Output(0)},
		Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)},
	}
	if err := model.Write(filepath.Join(dir, "reference"), model.Export{
		Graph: g, Signatures: map[string]model.ExportSignature{"serving_default": signature},
		Variables: map[string]*tensor.Tensor{"v": tensor.FromScalar(float32(3)), "w": tensor.FromScalar(float32(5))},
	}); err != nil {
		t.Fatal(err)
	}
	away := session.SessionOptions{Target: target, Cluster: session.ClusterOptions{Bound: bound, Isolated: true}}
	rows, err := tensor.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	words, err := tensor.FromSlice([]string{"a", "b", "the"}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]*tensor.Tensor{"objects": rows, "vocabulary": words, "reference": tensor.FromScalar(float32(7))} {
		var results []map[string]*tensor.Tensor
		for _, o := range []session.SessionOptions{{}, away} {
			m, err := model.Load(filepath.Join(dir, name), []string{"serve"}, &o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			defer m.Session.Close()
			sig := m.Signatures["serving_default"]
			feeds := map[string]*tensor.Tensor{}
			for in := range sig.Inputs {
				feeds[in] = x
			}
			out, err := m.Run(t.Context(), "serving_default", feeds)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			results = append(results, out)
		}
		for out, want := range results[0] {
			if got := results[1][out]; got == nil || got.String() != want.String() {
				t.Errorf("%s, %s: %v on workers, and %v", name, out, got, want)
			}
		}
	}

	if err := os.Remove(filepath.Join(dir, "reference", "variables", "variables.index")); err != nil {
		t.Fatal(err)
	}
	_, err = model.Load(filepath.Join(dir, "reference"), []string{"serve"}, &away)
	wants(t, err, status.NotFound, "'v', 'w', which the graph declares")
}
