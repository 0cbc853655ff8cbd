package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/wire"
)

// objects was written by TensorFlow 2.21 (testdata/trackable/objects.py). Its saver restores
// other nodes than those that the signature reads: the graphs of objects lead to these,
// by dictionaries, lists and two paths to one layer. Two variables have one name, and
// the table's buckets hold empty and deleted keys.
const objects = "testdata/trackable/objects"

func TestRestoreByObjects(t *testing.T) {
	x, err := session.NewTensor([][]float32{{1, 2}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"actors", "tokens", "messages", "sequential", "seeded:3"} {
		m, err := model.Load(objects, []string{"serve"}, &session.SessionOptions{
			Engine: engine, Files: &session.FilePolicy{},
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Run(t.Context(), "serving_default", map[string]*session.Tensor{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		want, err := literal.Parse("[[9.887595], [14.831392]]", tensor.Float)
		if err != nil {
			t.Fatal(err)
		}
		if err := tensor.Compare(out["y"], want, tensor.Tolerance{RTol: 1e-5}); err != nil {
			t.Errorf("%s: %v: %v", engine, out["y"], err)
		}
		if diff := cmp.Diff([]any{[]int64{70, -1, 90}, int64(2)}, []any{out["found"].Value(), out["size"].Value()}); diff != "" {
			t.Error(engine, diff)
		}
		// Who starts the model without the session has all the steps that it takes.
		if n := len(m.Starts); n != 3 {
			t.Errorf("%d steps start the model", n)
		}
		m.Session.Close()
	}
}

// A graph of objects that is missing, damaged or of another model is an error that
// names the variables.
func TestRestoreByObjectsMistakes(t *testing.T) {
	const key = "_CHECKPOINTABLE_OBJECT_GRAPH"
	for what, c := range map[string]struct {
		graph string
		want  string
	}{
		"damaged":   {"\x0a\xff", "cannot be parsed"},
		"another's": {string(wire.AppendField(nil, 1, "")), "nothing in the checkpoint"},
		"a circle":  {string(wire.AppendField(nil, 1, wire.AppendField(nil, 1, wire.AppendField(nil, 2, "layers")))), "nothing in the checkpoint"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(objects)); err != nil {
			t.Fatal(err)
		}
		prefix := filepath.Join(dir, "variables", "variables")
		r, err := bundle.Open(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		names, err := r.Names()
		if err != nil {
			t.Fatal(err)
		}
		w, err := bundle.Create(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			v, err := r.Read(bundle.Heap, name, nil)
			if name == key {
				v = tensor.Scalar(c.graph)
			}
			if err == nil {
				err = w.Add(name, v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(dir, []string{"serve"}, nil)
		if err == nil {
			m.Session.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
