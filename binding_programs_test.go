package troupe_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Programs as people write them for TensorFlow's Go binding, with nothing changed but
// the import. What they answer is held by recordings of TensorFlow, or by plain loops.

// recorded puts a recorded model into a folder.
func recorded(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader("conformance/testdata/models.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files, err := fs.Sub(z, name+"/saved_model")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A classifier of images: one graph prepares the picture, as the network wants it,
// another, of which only a frozen file is there, scores it; labels stand in a text file.
func TestProgramImages(t *testing.T) {
	dir := t.TempDir()
	picture := image.NewNRGBA(image.Rect(0, 0, 4, 2)) // red on the left, blue on the right
	for x := range 4 {
		for y := range 2 {
			picture.Set(x, y, []color.Color{color.NRGBA{200, 0, 0, 255}, color.NRGBA{0, 0, 100, 255}}[x/2])
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	labelsFile := filepath.Join(dir, "labels.txt")
	if err := os.WriteFile(labelsFile, []byte("reddish\ngreenish\nbluish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	frozen := filepath.Join(dir, "frozen.pb")
	{ // what a program in Python would have left: the mean of each channel, as probabilities
		s := op.NewScope()
		input := op.Placeholder(s.SubScope("input"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 2, 4, 3)))
		op.Softmax(s.SubScope("output"), op.Mean(s, input, op.Const(s, []int32{1, 2})))
		g, err := s.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		var def bytes.Buffer
		if _, err := g.WriteTo(&def); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(frozen, def.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	normalize := func(format string) (graph *tf.Graph, input, output tf.Output, err error) {
		const (
			H, W  = 2, 4
			Mean  = float32(100)
			Scale = float32(50)
		)
		s := op.NewScope()
		input = op.Placeholder(s, tf.String)
		var decoded tf.Output
		if format == "png" {
			decoded = op.DecodePng(s, input, op.DecodePngChannels(3))
		} else {
			decoded = op.DecodeJpeg(s, input, op.DecodeJpegChannels(3))
		}
		output = op.Div(s,
			op.Sub(s,
				op.ResizeBilinear(s,
					op.ExpandDims(s, op.Cast(s, decoded, tf.Float), op.Const(s.SubScope("make_batch"), int32(0))),
					op.Const(s.SubScope("size"), []int32{H, W})),
				op.Const(s.SubScope("mean"), Mean)),
			op.Const(s.SubScope("scale"), Scale))
		graph, err = s.Finalize()
		return graph, input, output, err
	}
	tensor, err := tf.NewTensor(file.String())
	if err != nil {
		t.Fatal(err)
	}
	graph, input, output, err := normalize("png")
	if err != nil {
		t.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	normalized, err := session.Run(map[tf.Output]*tf.Tensor{input: tensor}, []tf.Output{output}, nil)
	if err != nil {
		t.Fatal(err)
	}

	model, err := os.ReadFile(frozen)
	if err != nil {
		t.Fatal(err)
	}
	graph = tf.NewGraph()
	if err := graph.Import(model, ""); err != nil {
		t.Fatal(err)
	}
	scorer, err := tf.NewSession(graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer scorer.Close()
	scores, err := scorer.Run(
		map[tf.Output]*tf.Tensor{graph.Operation("input/Placeholder").Output(0): normalized[0]},
		[]tf.Output{graph.Operation("output/Softmax").Output(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	probabilities := scores[0].Value().([][]float32)[0]
	best := 0
	for i, p := range probabilities {
		if p > probabilities[best] {
			best = i
		}
	}
	opened, err := os.Open(labelsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	var labels []string
	for scanner := bufio.NewScanner(opened); scanner.Scan(); {
		labels = append(labels, scanner.Text())
	}
	// Means of red, green and blue are 100, 0 and 50; normalized 0, -2 and -1.
	sum := 1 + math.Exp(-2) + math.Exp(-1)
	for i, want := range []float64{1 / sum, math.Exp(-2) / sum, math.Exp(-1) / sum} {
		if math.Abs(float64(probabilities[i])-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", labels[i], probabilities[i], want)
		}
	}
	if labels[best] != "reddish" {
		t.Errorf("it is %s", labels[best])
	}
}

// An exported Keras model, asked by the names of its signature's tensors.
func TestProgramSavedModel(t *testing.T) {
	model, err := tf.LoadSavedModel(recorded(t, "keras_mlp"), []string{"serve"}, &tf.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Session.Close()
	signature := model.Signatures["serving_default"]
	if signature.MethodName != "tensorflow/serving/predict" || signature.Inputs["x"].DType != tf.Float || signature.Inputs["x"].Shape.String() != "[?, 10]" {
		t.Errorf("%+v", signature)
	}
	find := func(name string) tf.Output { // "operation:0"
		operation, _, _ := strings.Cut(name, ":")
		return model.Graph.Operation(operation).Output(0)
	}
	contents := []byte("9\xc6\x80\xbe\xc1{Q\xbf!Z\xa4>\xd5\xe8\\?\n\xeb\x15\xbf^6\x85>V\xae\xce\xbe\x10\x8f\xf7>,\x7f\xe3>\x88\x04\x10\xbf")
	x, err := tf.ReadTensor(tf.Float, []int64{1, 10}, bytes.NewReader(contents))
	if err != nil {
		t.Fatal(err)
	}
	result, err := model.Session.Run(
		map[tf.Output]*tf.Tensor{find(signature.Inputs["x"].Name): x},
		[]tf.Output{find(signature.Outputs["output_0"].Name)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{0.399192, 0.260781, 0.34002} { // TensorFlow's
		if got := result[0].Value().([][]float32)[0][i]; math.Abs(float64(got-want)) > 1e-4 {
			t.Errorf("class %d: %v, want %v", i, got, want)
		}
	}
	if _, err := tf.LoadSavedModel(recorded(t, "keras_mlp"), []string{"train"}, nil); err == nil {
		t.Error("tags that the model does not have: no error")
	}
}

// Strings go through a table whose vocabulary is a file of the model.
func TestProgramStrings(t *testing.T) {
	model, err := tf.LoadSavedModel(recorded(t, "v1_vocabulary"), []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Session.Close()
	words, err := tf.NewTensor([]string{"cat", "alpha", "mat", "zzz", "gamma"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := model.Session.Run(
		map[tf.Output]*tf.Tensor{model.Graph.Operation("text").Output(0): words},
		[]tf.Output{model.Graph.Operation("hash_table_Lookup/SelectV2").Output(0), model.Graph.Operation("Mean").Output(0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ids := result[0].Value().([]int64); !slices.Equal(ids, []int64{1, 5, 4, 5, 5}) { // TensorFlow's
		t.Errorf("ids %v", ids)
	}
	if shape := result[1].Shape(); !slices.Equal(shape, []int64{3}) {
		t.Errorf("the mean's shape is %v", shape)
	}
}

// A graph is made in a loop, a polynomial by Horner's rule, and run for many inputs.
func TestProgramLoopOfNodes(t *testing.T) {
	coefficients := []float32{2, -3, 0.5, 1}
	s := op.NewScope()
	x := op.Placeholder(s.SubScope("x"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	y := op.ZerosLike(s, x)
	for i, c := range coefficients {
		step := s.SubScope(fmt.Sprintf("step%d", i))
		y = op.Add(step, op.Mul(step, y, x), op.Const(step, c))
	}
	gradients := op.Gradients(s, []tf.Output{y}, []tf.Output{x})
	graph, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	session, err := tf.NewSession(graph, &tf.SessionOptions{Config: []byte{0x10, 2, 0x28, 2, 0x38, 1}}) // threads, soft placement
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	in := []float32{-1, 0, 0.5, 3}
	tensor, _ := tf.NewTensor(in)
	out, err := session.Run(map[tf.Output]*tf.Tensor{x: tensor}, []tf.Output{y, gradients[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range in {
		value, slope := float32(0), float32(0)
		for _, c := range coefficients {
			value, slope = value*v+c, slope*v+value
		}
		if got := out[0].Value().([]float32)[i]; got != value {
			t.Errorf("at %v: %v, want %v", v, got, value)
		}
		if got := out[1].Value().([]float32)[i]; math.Abs(float64(got-slope)) > 1e-5 {
			t.Errorf("slope at %v: %v, want %v", v, got, slope)
		}
	}
	if devices, err := session.ListDevices(); err != nil || len(devices) == 0 || !strings.Contains(devices[0].String(), `type CPU`) {
		t.Errorf("%v, %v", devices, err)
	}
}

// Tensors travel as bytes without a header, several in one file.
func TestProgramFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "weights")
	weights, _ := tf.NewTensor([2][3]float64{{1, 2, 3}, {4, 5, 6}})
	biases, _ := tf.NewTensor([]int16{-1, 7})
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range []*tf.Tensor{weights, biases} {
		if _, err := tensor.WriteContentsTo(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err = os.Open(name); err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := tf.ReadTensor(tf.Double, []int64{3, 2}, file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := tf.ReadTensor(tf.Int16, []int64{2}, file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(w.Value(), [][]float64{{1, 2}, {3, 4}, {5, 6}}) || !reflect.DeepEqual(b.Value(), []int16{-1, 7}) {
		t.Errorf("%v, %v", w.Value(), b.Value())
	}
	if n, err := file.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the readers left %d bytes, %v", n, err)
	}
	words, _ := tf.NewTensor([]string{"a"})
	if _, err := words.WriteContentsTo(io.Discard); err == nil {
		t.Error("strings have no such bytes: no error")
	}
}

// A graph is imported twice under prefixes, the second time behind the first, and run
// in two parts: what stands between is fed as it comes.
func TestProgramImports(t *testing.T) {
	s := op.NewScope()
	op.AddV2(s, op.Placeholder(s, tf.Int32, op.PlaceholderShape(tf.ScalarShape())), op.Const(s, int32(5)))
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	var def bytes.Buffer
	if _, err := g.WriteTo(&def); err != nil {
		t.Fatal(err)
	}
	graph := tf.NewGraph()
	if err := graph.ImportWithOptions(def.Bytes(), tf.GraphImportOptions{Prefix: "first"}); err != nil {
		t.Fatal(err)
	}
	between := graph.Operation("first/AddV2").Output(0)
	options := tf.GraphImportOptions{Prefix: "second", Device: "/cpu:0"}
	options.AddInputMapping("Placeholder", 0, between)
	if err := graph.ImportWithOptions(def.Bytes(), options); err != nil {
		t.Fatal(err)
	}
	if device := graph.Operation("second/AddV2").Device(); device != "/cpu:0" {
		t.Errorf("device %q", device)
	}
	if err := graph.Import(def.Bytes(), "first"); err == nil {
		t.Error("a prefix that is taken: no error")
	}
	x, sum := graph.Operation("first/Placeholder").Output(0), graph.Operation("second/AddV2").Output(0)
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	run, err := session.NewPartialRun([]tf.Output{x}, []tf.Output{between, sum}, []*tf.Operation{sum.Op})
	if err != nil {
		t.Fatal(err)
	}
	one, _ := tf.NewTensor(int32(1))
	out, err := run.Run(map[tf.Output]*tf.Tensor{x: one}, []tf.Output{between}, nil)
	if err != nil || out[0].Value() != int32(6) {
		t.Fatalf("%v, %v", out, err)
	}
	if out, err = run.Run(nil, []tf.Output{sum}, []*tf.Operation{sum.Op}); err != nil || out[0].Value() != int32(11) {
		t.Fatalf("%v, %v", out, err)
	}
}

// A counter in a variable: initialized as a target, read after it was changed.
func TestProgramVariables(t *testing.T) {
	root := op.NewScope()
	counter := op.VarHandleOp(root, tf.Int64, tf.ScalarShape(), op.VarHandleOpSharedName("counter"))
	initialize := op.AssignVariableOp(root, counter, op.Const(root.SubScope("zero"), int64(0)))
	increment := op.AssignAddVariableOp(root, counter, op.Const(root.SubScope("step"), int64(3)))
	after := op.ReadVariableOp(root.WithControlDependencies(increment).WithDevice("/device:CPU:0"), counter, tf.Int64)
	graph, err := root.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Run(nil, []tf.Output{after}, nil); err == nil {
		t.Error("a variable that has no value: no error")
	}
	if _, err := session.Run(nil, nil, []*tf.Operation{initialize}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		out, err := session.Run(nil, []tf.Output{after}, nil)
		if err != nil || out[0].Value() != int64(3*(i+1)) {
			t.Fatalf("run %d: %v, %v", i, out, err)
		}
	}
}

// Attributes are read as Go values, those with functions not at all; an operation that
// calls a function counts among the graph's.
func TestProgramAttributes(t *testing.T) {
	model, err := tf.LoadSavedModel(recorded(t, "keras_mlp"), []string{"serve"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Session.Close()
	types := map[string]int{}
	for _, o := range model.Graph.Operations() {
		types[o.Type()]++
	}
	if types["StatefulPartitionedCall"] != 4 || types["VarHandleOp"] != 20 {
		t.Errorf("%v", types)
	}
	call := model.Graph.Operation("StatefulPartitionedCall")
	if n, err := call.OutputListSize("output"); n != 1 || err != nil {
		t.Errorf("%d outputs, %v", n, err)
	}
	if got, err := call.Attr("Tout"); !reflect.DeepEqual(got, []tf.DataType{tf.Float}) || err != nil {
		t.Errorf("Tout is %v, %v", got, err)
	}
	if f, err := call.Attr("f"); err == nil {
		t.Errorf("a function was read as %v", f)
	}
	if got, err := model.Graph.Operation("serve_x").Attr("shape"); !reflect.DeepEqual(got, tf.MakeShape(-1, 10)) || err != nil {
		t.Errorf("shape is %v, %v", got, err)
	}
	if n := call.NumInputs(); n != 7 {
		t.Errorf("%d inputs", n)
	}
	if _, err := model.Graph.AddOperation(tf.OpSpec{Type: "PartitionedCall", Attrs: map[string]any{"f": func() {}}}); err == nil {
		t.Error("a Go function as an attribute: no error")
	}
}
