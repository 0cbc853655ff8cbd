package model_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// fields returns a message by the numbers of its fields; numbers as they are written.
func fields(t *testing.T, b []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := map[protowire.Number][][]byte{}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		value := b[n : n+size]
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		all[num] = append(all[num], value)
		b = b[n+size:]
	}
	return all
}

func number(b [][]byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	n, _ := protowire.ConsumeVarint(b[0])
	return n
}

// paths is each node that can be reached from node 0 by the names of children, as "node
// KIND" or, of a variable and a function, what it says.
func paths(t *testing.T, nodes [][]byte, say func(node map[protowire.Number][][]byte) string) map[string]string {
	all := map[string]string{}
	var walk func(at uint64, path string)
	walk = func(at uint64, path string) {
		node := fields(t, nodes[at])
		all[path] = say(node)
		for _, c := range node[1] {
			ref := fields(t, c)
			walk(number(ref[1]), strings.TrimPrefix(path+"."+string(ref[2][0]), "."))
		}
	}
	walk(0, "")
	return all
}

// TestObjects reads the object graph of a model, and that of its checkpoint, by the
// numbers that TensorFlow's messages have, and calls the functions of its signatures with
// what they are bound to.
func TestObjects(t *testing.T) {
	m := dense(t)
	dir := filepath.Join(t.TempDir(), "model")
	if err := model.Write(dir, m.Export); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "saved_model.pb"))
	if err != nil {
		t.Fatal(err)
	}
	objects := fields(t, fields(t, fields(t, b)[2][0])[7][0])
	got := paths(t, objects[1], func(n map[protowire.Number][][]byte) string {
		switch {
		case n[4] != nil:
			return string(fields(t, n[4][0])[1][0])
		case n[7] != nil:
			return "variable " + string(fields(t, n[7][0])[6][0])
		case n[8] != nil:
			return "function " + string(fields(t, n[8][0])[1][0])
		}
		return "?"
	})
	const served, norm = "__inference_signature_wrapper_serving_default_0", "__inference_signature_wrapper_norm_0"
	want := map[string]string{
		"": "_generic_user_object", "layer": "_generic_user_object", "layer.b": "variable layer/b", "layer.w": "variable layer/w",
		"variables": "trackable_list_wrapper", "variables.0": "variable layer/b", "variables.1": "variable layer/w",
		"trainable_variables": "trackable_list_wrapper", "trainable_variables.0": "variable layer/b", "trainable_variables.1": "variable layer/w",
		"signatures": "signature_map", "signatures.serving_default": "function " + served, "signatures.norm": "function " + norm,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	r, err := bundle.Open(nil, filepath.Join(dir, "variables", "variables"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func(name string) *tensor.Tensor {
		v, err := r.Read(bundle.Heap, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.Tensor()
	}
	kept := fields(t, []byte(read("_CHECKPOINTABLE_OBJECT_GRAPH").Value().(string)))
	if len(kept[1]) != len(objects[1]) {
		t.Errorf("the checkpoint has %d objects, the model %d", len(kept[1]), len(objects[1]))
	}
	for path, key := range paths(t, kept[1], func(n map[protowire.Number][][]byte) string {
		if n[2] == nil {
			return ""
		}
		return string(fields(t, n[2][0])[3][0])
	}) {
		name, ok := strings.CutPrefix(want[path], "variable ")
		if !ok != (key == "") || ok && !cmp.Equal(read(key).Value(), m.Variables[name].Value()) {
			t.Errorf("%s is of the key %q, and is %q", path, key, want[path])
		}
	}

	loaded, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Session.Close()
	for _, entry := range objects[2] {
		e := fields(t, entry)
		name := string(e[1][0])
		key := map[string]string{served: "serving_default", norm: "norm"}[name]
		spec := graph.OpSpec{Type: name}
		if key == "serving_default" {
			spec.Input = append(spec.Input, loaded.Graph.Operation("x").Output(0))
		}
		bound := fields(t, e[2][0])[2][0]
		for len(bound) > 0 {
			id, n := protowire.ConsumeVarint(bound)
			bound = bound[n:]
			variable := fields(t, fields(t, objects[1][id])[7][0])
			spec.Input = append(spec.Input, loaded.Graph.Operation(string(variable[6][0])).Output(0))
		}
		call, err := loaded.Graph.AddOperation(spec)
		if err != nil {
			t.Fatal(err)
		}
		out, err := loaded.Session.Run(map[tf.Output]*tf.Tensor{loaded.Graph.Operation("x").Output(0): tensorOf(t, m.inputs["x"])}, []tf.Output{call.Output(0)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range m.outputs[key] {
			if diff := cmp.Diff(want, out[0].Value()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// TestObjectNames places variables whose paths meet.
func TestObjectNames(t *testing.T) {
	s := op.NewScope().WithUniqueNames()
	names := []string{"a", "a/b", "a_b", "signatures/w", "variables", "x/y/z"}
	variables := map[string]*tf.Tensor{}
	var sum []tf.Output
	for _, name := range names {
		_, v := variable(s, name)
		sum = append(sum, v)
		variables[name] = tensorOf(t, float32(1))
	}
	y := op.AddN(s, sum)
	dir := filepath.Join(t.TempDir(), "model")
	if err := model.Write(dir, model.Export{
		Graph: finish(t, s), Variables: variables,
		Signatures: map[string]model.ExportSignature{"serving_default": {Outputs: map[string]tf.Output{"y": y}}},
	}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "saved_model.pb"))
	if err != nil {
		t.Fatal(err)
	}
	objects := fields(t, fields(t, fields(t, b)[2][0])[7][0])
	var found []string
	for path, name := range paths(t, objects[1], func(n map[protowire.Number][][]byte) string {
		if n[7] == nil {
			return ""
		}
		return string(fields(t, n[7][0])[6][0])
	}) {
		if name != "" && !strings.HasPrefix(path, "trainable_variables.") {
			found = append(found, path+" is "+name)
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff([]string{
		"a is a", "a_b is a/b", "a_b_1 is a_b", "signatures_w is signatures/w", "variables is variables", "x.y.z is x/y/z",
	}, found); diff != "" {
		t.Error(diff)
	}
}
