package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/wire"

	_ "github.com/troupe-go/troupe/ops/all"
)

// The model was written by TensorFlow 2.21: words to numbers through a table
// that is filled from an asset when the model is initialized, and rows of a
// variable. vocabulary.pbtxt is its saved_model.pb as text.
const vocabulary = "testdata/vocabulary"

// find returns the output that a signature names.
func find(t *testing.T, m *model.SavedModel, infos map[string]model.TensorInfo, key string) session.Output {
	t.Helper()
	o, err := m.Graph.Find(infos[key].Name)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// expectVocabulary runs the model and compares with what TensorFlow gave.
func expectVocabulary(t *testing.T, dir string) {
	t.Helper()
	m, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	sig, ok := m.Signatures["serving_default"]
	if !ok || sig.MethodName != "tensorflow/serving/predict" {
		t.Errorf("signatures %v", m.Signatures)
	}
	in := sig.Inputs["text"]
	if in.Name != "text:0" || in.DType != session.String || in.Shape.String() != "[?]" {
		t.Errorf("input %+v", in)
	}
	text, err := session.NewTensor([]string{"cat", "alpha", "mat", "zzz", "gamma"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Session.Run(
		map[session.Output]*session.Tensor{find(t, m, sig.Inputs, "text"): text},
		[]session.Output{find(t, m, sig.Outputs, "ids"), find(t, m, sig.Outputs, "size"), find(t, m, sig.Outputs, "mean")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]int64{1, 5, 4, 5, 5}, int64(7)}, []any{got[0].Value(), got[1].Value()}); diff != "" {
		t.Error(diff)
	}
	mean, err := literal.Parse("[0.25479588, -0.00259738, 0.6058734]", tensor.Float)
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.Compare(got[2], mean, tensor.Tolerance{RTol: 1e-4, ATol: 1e-5}); err != nil {
		t.Errorf("%v: %v", got[2], err)
	}
}

func TestSavedModel(t *testing.T) { expectVocabulary(t, vocabulary) }

func TestSavedModelAsText(t *testing.T) {
	dir := copyModel(t)
	text, err := os.ReadFile(vocabulary + ".pbtxt")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "saved_model.pbtxt"), text, 0o666)
	}
	if err == nil {
		err = os.Remove(filepath.Join(dir, "saved_model.pb"))
	}
	if err != nil {
		t.Fatal(err)
	}
	expectVocabulary(t, dir)
}

func copyModel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(dir, os.DirFS(vocabulary)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSavedModelErrors(t *testing.T) {
	damage := func(name string, change func([]byte) []byte) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := copyModel(t)
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, change(b), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	remove := func(name string) func(*testing.T) string {
		return func(t *testing.T) string {
			dir := copyModel(t)
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			return dir
		}
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	same := func(*testing.T) string { return vocabulary }
	serve := []string{"serve"}
	for _, c := range []struct {
		what    string
		dir     func(*testing.T) string
		tags    []string
		code    session.Code
		message string
	}{
		{"no model", func(*testing.T) string { return "nowhere" }, serve, session.NotFound,
			"Could not find SavedModel .pb or .pbtxt at supplied export directory path: nowhere."},
		{"other tags", same, []string{"train", "gpu"}, session.NotFound,
			"Could not find meta graph def matching supplied tags: { train gpu }."},
		{"a file", func(*testing.T) string { return vocabulary + "/saved_model.pb" }, serve, session.NotFound, " There is one in " + vocabulary + "."},
		{"a folder within", func(*testing.T) string { return vocabulary + "/variables" }, serve, session.NotFound, " There is one in " + vocabulary + "."},
		{"the folder around", func(*testing.T) string { return filepath.Dir(vocabulary) }, serve, session.NotFound, " There is one in " + vocabulary + "."},
		{"no tags", same, nil, session.NotFound, "Could not find meta graph def matching supplied tags: {  }."},
		{"too many tags", same, []string{"serve", "gpu"}, session.NotFound, "{ serve gpu }"},
		{"cut off", damage("saved_model.pb", func(b []byte) []byte { return b[:len(b)/2] }), serve, session.DataLoss, ": the SavedModel cannot be parsed: "},
		{"no data", remove("variables/variables.data-00000-of-00001"), serve, session.NotFound, "No such file or directory"},
		{"damaged data", damage("variables/variables.data-00000-of-00001", flip(3)), serve, session.DataLoss, "Checksum does not match"},
		{"damaged index", damage("variables/variables.index", flip(3)), serve, session.DataLoss, "checksum mismatch"},
		{"no asset", remove("assets/vocab.txt"), serve, session.NotFound, "vocab.txt; No such file or directory"},
	} {
		t.Run(c.what, func(t *testing.T) {
			m, err := model.Load(c.dir(t), c.tags, nil)
			if session.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v, want %v: %s", err, c.code, c.message)
			}
			if m != nil {
				t.Error("a model and an error")
			}
		})
	}
}

// A model whose checkpoint has nothing for a variable that a signature needs is refused
// when it is loaded, and so is one without its checkpoint. Variables that no signature
// needs may stay without a value.
func TestSavedModelWithoutVariables(t *testing.T) {
	for _, c := range []struct {
		what, index, want string
		change            func(*wire.MetaGraphDef)
	}{
		{what: "no checkpoint", want: " does not exist for "},
		{what: "nothing restores it", index: "keep", want: "nothing in the checkpoint ", change: func(m *wire.MetaGraphDef) {
			m.SaverDef.RestoreOpName = "Const" // which restores nothing
		}},
		{what: "nobody needs it", change: func(m *wire.MetaGraphDef) {
			delete(m.SignatureDef["serving_default"].Outputs, "mean")
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := copyModel(t)
			if c.change != nil {
				changeModel(t, dir, c.change)
			}
			if c.index == "" {
				if err := os.RemoveAll(filepath.Join(dir, "variables")); err != nil {
					t.Fatal(err)
				}
			}
			m, err := model.Load(dir, []string{"serve", "serve"}, nil)
			if c.want != "" {
				if session.CodeOf(err) != session.NotFound || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "'E', which the graph declares") {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer m.Session.Close()
			out := m.Signatures["serving_default"].Outputs
			if got, err := m.Session.Run(nil, []session.Output{find(t, m, out, "size")}, nil); err != nil || got[0].Value() != int64(7) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// changeModel changes what a model says of its graph.
func changeModel(t *testing.T, dir string, change func(*wire.MetaGraphDef)) {
	t.Helper()
	name := filepath.Join(dir, "saved_model.pb")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var m wire.SavedModel
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	change(m.MetaGraphs[0])
	if b, err = proto.Marshal(&m); err == nil {
		err = os.WriteFile(name, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An output of a signature that is an operation is run, and has no result: Keras saves
// what initializes a model so.
func TestSignatureOfOperation(t *testing.T) {
	dir := copyModel(t)
	changeModel(t, dir, func(m *wire.MetaGraphDef) {
		m.SignatureDef["__saved_model_init_op"] = &wire.SignatureDef{
			Outputs: map[string]*wire.TensorInfo{"__saved_model_init_op": {
				Encoding: &wire.TensorInfo_Name{Name: "init"}, TensorShape: &wire.TensorShapeProto{UnknownRank: true},
			}},
		}
	})
	m, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	if out, err := m.Run(t.Context(), "__saved_model_init_op", nil); err != nil || len(out) != 0 {
		t.Errorf("%v, %v", out, err)
	}
}

// Whatever the file holds, finding a graph in it ends with bytes of it or an
// error.
func FuzzSavedModelGraph(f *testing.F) {
	b, err := os.ReadFile(filepath.Join(vocabulary, "saved_model.pb"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:100])
	f.Fuzz(func(t *testing.T, b []byte) {
		if def, err := model.GraphDef(b, []string{"serve"}); err == nil && len(def) > len(b) {
			t.Error("more than there was")
		}
	})
}

// TestSignatures: a signature is run by its names, from many goroutines, and what does
// not fit it is told by them.
func TestSignatures(t *testing.T) {
	m, err := model.Load(vocabulary, []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	tensorOf := func(x any) *session.Tensor {
		v, err := session.NewTensor(x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	words := tensorOf([]string{"cat", "alpha", "mat"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			out, err := m.Run(t.Context(), "serving_default", map[string]*session.Tensor{"text": words})
			if err != nil {
				t.Error(err)
				return
			}
			if diff := cmp.Diff([]int64{1, 5, 4}, out["ids"].Value()); diff != "" || len(out) != 3 {
				t.Error(len(out), diff)
			}
		})
	}
	all.Wait()
	for _, c := range []struct {
		signature string
		inputs    map[string]*session.Tensor
		code      status.Code
		says      string
	}{
		{"classify", nil, status.NotFound, "no signature 'classify'; it has 'serving_default'"},
		{"serving_default", nil, status.InvalidArgument, "needs the input 'text' (string [?])"},
		{"serving_default", map[string]*session.Tensor{"text": nil}, status.InvalidArgument, "input 'text' of signature 'serving_default' is nil"},
		{"serving_default", map[string]*session.Tensor{"Text": words}, status.InvalidArgument, "no input 'Text' (did you mean 'text'?)"},
		{"serving_default", map[string]*session.Tensor{"text": words, "txt": words}, status.InvalidArgument, "no input 'txt' (did you mean 'text'?); its input is 'text' (string [?])"},
		{"serving_default", map[string]*session.Tensor{"text": tensorOf("cat")}, status.InvalidArgument, "has shape [], but must have [?]"},
		{"serving_default", map[string]*session.Tensor{"text": tensorOf([]int32{1})}, status.InvalidArgument, "is int32, but must be string"},
	} {
		_, err := m.Run(t.Context(), c.signature, c.inputs)
		if status.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.signature, err, c.says)
		}
	}
	c, err := m.Prepare(t.Context(), "serving_default")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"text"}, {"ids", "mean", "size"}}, [][]string{c.Inputs(), c.Outputs()}); diff != "" {
		t.Error(diff)
	}
}

// What stands in place of a model's files and is no file, or larger than a message
// can be, is told, and not waited for.
func TestSavedModelOfNoFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "saved_model.pb")
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Load(dir, nil, nil); err == nil {
		t.Error("a directory was loaded")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", name); err != nil {
		t.Skip(err)
	}
	if _, err := model.Load(dir, nil, nil); err == nil {
		t.Error("a device was loaded")
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name) // with nothing in it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip(err)
	}
	if _, err := model.Load(dir, nil, nil); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("of a terabyte: %v", err)
	}
}
