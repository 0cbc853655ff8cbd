package model_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"

	_ "github.com/troupe-go/troupe/ops/all"
)

// With -keep the models stay, with what they answer, for
// conformance/tensorflow/savedmodels.py to ask TensorFlow the same.
var keep = flag.String("keep", "", "write the models into this `directory`")

// A model is written, read back and asked.
type written struct {
	model.Export
	inputs  map[string]any            // by the names of inputs
	outputs map[string]map[string]any // by signature: what a plain calculation gives
}

func tensorOf(t *testing.T, value any) *tf.Tensor {
	t.Helper()
	x, err := tf.NewTensor(value)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func variable(s *op.Scope, name string, dims ...int64) (handle, value tf.Output) {
	handle = s.AddOperation(tf.OpSpec{Type: "VarHandleOp", Name: name, Attrs: map[string]any{
		"dtype": tf.Float, "shape": tf.MakeShape(dims...), "shared_name": name,
	}}).Output(0)
	return handle, op.ReadVariableOp(s, handle, tf.Float)
}

func placeholder(s *op.Scope, name string, dt tf.DataType, dims ...int64) tf.Output {
	return s.AddOperation(tf.OpSpec{Type: "Placeholder", Name: name, Attrs: map[string]any{
		"dtype": dt, "shape": tf.MakeShape(dims...),
	}}).Output(0)
}

func finish(t *testing.T, s *op.Scope) *graph.Graph {
	t.Helper()
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// dense has variables behind resources, a signature that needs only one of them, and
// one that no signature needs.
func dense(t *testing.T) written {
	s := op.NewScope().WithUniqueNames()
	x := placeholder(s, "x", tf.Float, -1, 2)
	_, w := variable(s, "layer/w", 2, 3)
	_, b := variable(s, "layer/b", 3)
	variable(s, "unused", 7)
	y := op.Relu(s, op.BiasAdd(s, op.MatMul(s, x, w), b))
	norm := op.L2Loss(s, w)
	return written{
		Export: model.Export{
			Graph: finish(t, s),
			Variables: map[string]*tf.Tensor{
				"layer/w": tensorOf(t, [][]float32{{1, 2, -3}, {4, -5, 6}}), "layer/b": tensorOf(t, []float32{0.5, 1, -1}),
			},
			Signatures: map[string]model.ExportSignature{
				"serving_default": {Inputs: map[string]tf.Output{"x": x}, Outputs: map[string]tf.Output{"y": y}},
				"norm":            {Outputs: map[string]tf.Output{"half the squares": norm}},
			},
		},
		inputs: map[string]any{"x": [][]float32{{1, 1}, {2, -1}}},
		outputs: map[string]map[string]any{
			"serving_default": {"y": [][]float32{{5.5, 0, 2}, {0, 10, 0}}},
			"norm":            {"half the squares": float32(45.5)},
		},
	}
}

// references has a variable as TensorFlow 1 has them.
func references(t *testing.T) written {
	s := op.NewScope().WithUniqueNames()
	x := placeholder(s, "x", tf.Float, -1)
	v := s.AddOperation(tf.OpSpec{Type: "VariableV2", Name: "scale", Attrs: map[string]any{"dtype": tf.Float, "shape": tf.ScalarShape()}}).Output(0)
	y := op.Mul(s, x, s.AddOperation(tf.OpSpec{Type: "Identity", Name: "read", Input: []tf.Input{v}}).Output(0))
	return written{
		Export: model.Export{
			Graph:      finish(t, s),
			Variables:  map[string]*tf.Tensor{"scale": tensorOf(t, float32(3))},
			Signatures: map[string]model.ExportSignature{"serving_default": {Inputs: map[string]tf.Output{"x": x}, Outputs: map[string]tf.Output{"y": y}}},
		},
		inputs:  map[string]any{"x": []float32{1, 2}},
		outputs: map[string]map[string]any{"serving_default": {"y": []float32{3, 6}}},
	}
}

// loop multiplies with a variable n times.
func loop(t *testing.T) written {
	s := op.NewScope().WithUniqueNames()
	n := placeholder(s, "n", tf.Int32)
	_, w := variable(s, "w")
	zero, one := op.Const(s, int32(0)), op.Const(s, int32(1))
	results := op.While(s, []tf.Output{zero, op.Const(s, float32(1))},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, v[0], one), op.Mul(s, v[1], w)}
		})
	return written{
		Export: model.Export{
			Graph:      finish(t, s),
			Variables:  map[string]*tf.Tensor{"w": tensorOf(t, float32(2))},
			Signatures: map[string]model.ExportSignature{"serving_default": {Inputs: map[string]tf.Output{"n": n}, Outputs: map[string]tf.Output{"power": results[1]}}},
		},
		inputs:  map[string]any{"n": int32(10)},
		outputs: map[string]map[string]any{"serving_default": {"power": float32(1024)}},
	}
}

// function calls one of the library, which reads the variable itself.
func function(t *testing.T) written {
	s := op.NewScope().WithUniqueNames()
	x := placeholder(s, "x", tf.Float, -1)
	handle, _ := variable(s, "w")
	body := op.NewScope().WithUniqueNames()
	arg := placeholder(body, "x", tf.Float)
	handleArg := body.AddOperation(tf.OpSpec{Type: "Placeholder", Name: "handle", Attrs: map[string]any{"dtype": handle.DataType()}}).Output(0)
	product := op.Mul(body, arg, op.ReadVariableOp(body, handleArg, tf.Float))
	f, err := finish(t, body).MakeFunction(graph.FunctionSpec{
		Name: "scaled", Inputs: []tf.Output{arg, handleArg}, Outputs: []tf.Output{product}, InputNames: []string{"x", "w"}, OutputNames: []string{"y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := finish(t, s)
	if err := g.AddFunction(f, nil); err != nil {
		t.Fatal(err)
	}
	call, err := g.AddOperation(tf.OpSpec{Type: "scaled", Name: "call", Input: []tf.Input{x, handle}})
	if err != nil {
		t.Fatal(err)
	}
	return written{
		Export: model.Export{
			Graph:      g,
			Variables:  map[string]*tf.Tensor{"w": tensorOf(t, float32(5))},
			Signatures: map[string]model.ExportSignature{"serving_default": {Inputs: map[string]tf.Output{"x": x}, Outputs: map[string]tf.Output{"y": call.Output(0)}}},
		},
		inputs:  map[string]any{"x": []float32{1, 2}},
		outputs: map[string]map[string]any{"serving_default": {"y": []float32{5, 10}}},
	}
}

// table has no variables, but a table that is filled from a file.
func table(t *testing.T) written {
	words := filepath.Join(t.TempDir(), "words.txt")
	if err := os.WriteFile(words, []byte("no\nyes\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := op.NewScope().WithUniqueNames()
	x := placeholder(s, "x", tf.String, -1)
	file := op.Const(s, "words")
	handle := op.HashTableV2(s, tf.String, tf.Int64, op.HashTableV2SharedName("words"))
	init := op.InitializeTableFromTextFileV2(s, handle, file, -2, -1)
	y := op.LookupTableFindV2(s, handle, x, op.Const(s, int64(-1)))
	return written{
		Export: model.Export{
			Graph:      finish(t, s),
			Init:       init,
			Assets:     map[tf.Output]string{file: words},
			Signatures: map[string]model.ExportSignature{"serving_default": {Inputs: map[string]tf.Output{"x": x}, Outputs: map[string]tf.Output{"y": y}}},
		},
		inputs:  map[string]any{"x": []string{"yes", "no", "perhaps"}},
		outputs: map[string]map[string]any{"serving_default": {"y": []int64{1, 0, -1}}},
	}
}

func TestWrite(t *testing.T) {
	for name, build := range map[string]func(*testing.T) written{
		"dense": dense, "references": references, "loop": loop, "function": function, "table": table,
	} {
		t.Run(name, func(t *testing.T) {
			m := build(t)
			parent := *keep
			if parent == "" {
				parent = t.TempDir()
			}
			dir := filepath.Join(parent, name)
			if err := model.Write(dir, m.Export); err != nil {
				t.Fatal(err)
			}
			if *keep != "" {
				b, err := json.MarshalIndent(map[string]any{"inputs": m.inputs, "outputs": m.outputs}, "", " ")
				if err == nil {
					err = os.WriteFile(dir+".json", b, 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			expect(t, dir, m)
			if left, err := filepath.Glob(dir + ".temp*"); len(left) > 0 || err != nil {
				t.Errorf("%v is left, %v", left, err)
			}
			if err := model.Write(dir, m.Export); status.CodeOf(err) != status.AlreadyExists {
				t.Errorf("written twice: %v", err)
			}
		})
	}
}

// expect loads the model and compares its answers.
func expect(t *testing.T, dir string, m written) {
	t.Helper()
	loaded, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Session.Close()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(m.Signatures)), slices.Sorted(maps.Keys(loaded.Signatures))); diff != "" {
		t.Error(diff)
	}
	for key, sig := range loaded.Signatures {
		find := func(info model.TensorInfo) tf.Output {
			o, err := loaded.Graph.Find(info.Name)
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		feeds := map[tf.Output]*tf.Tensor{}
		for name, info := range sig.Inputs {
			feeds[find(info)] = tensorOf(t, m.inputs[name])
		}
		for name, info := range sig.Outputs {
			out, err := loaded.Session.Run(feeds, []tf.Output{find(info)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m.outputs[key][name], out[0].Value()); diff != "" {
				t.Errorf("%s of %s: %s", name, key, diff)
			}
			if got := m.Signatures[key].Outputs[name]; info.DType != got.DataType() || info.Shape.String() != got.Shape().String() {
				t.Errorf("%s of %s is said to be of type %v and shape %v", name, key, info.DType, info.Shape)
			}
		}
	}
	if n := loaded.Graph.Operation("unused"); n != nil {
		t.Error("a variable that nothing needs was written")
	}
}

func TestWriteMistakes(t *testing.T) {
	other := op.NewScope()
	stranger := op.Const(other, float32(1))
	for name, test := range map[string]struct {
		change func(m *model.Export)
		code   status.Code
		text   string
	}{
		"no graph":        {func(m *model.Export) { m.Graph = nil }, status.InvalidArgument, "no graph"},
		"no signatures":   {func(m *model.Export) { m.Signatures = nil }, status.InvalidArgument, "no signatures"},
		"value missing":   {func(m *model.Export) { delete(m.Variables, "layer/b") }, status.NotFound, "layer/b"},
		"other type":      {func(m *model.Export) { m.Variables["layer/b"] = tensorOf(t, []int32{1, 2, 3}) }, status.InvalidArgument, "layer/b"},
		"other graph":     {func(m *model.Export) { m.Signatures["norm"].Outputs["z"] = stranger }, status.InvalidArgument, `output "z" of signature "norm"`},
		"no output":       {func(m *model.Export) { m.Signatures["norm"].Outputs["z"] = tf.Output{} }, status.InvalidArgument, `output "z" of signature "norm"`},
		"nothing fetched": {func(m *model.Export) { m.Signatures["empty"] = model.ExportSignature{} }, status.InvalidArgument, `"empty" has no outputs`},
		"missing file": {func(m *model.Export) {
			m.Assets = map[tf.Output]string{m.Signatures["serving_default"].Inputs["x"]: "no such file"}
		}, status.NotFound, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			m := dense(t)
			test.change(&m.Export)
			dir := t.TempDir()
			err := model.Write(filepath.Join(dir, "model"), m.Export)
			if status.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v; want %v with %q", err, test.code, test.text)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}
