package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/prototext"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// valid returns a GraphDef of 64 bytes, which the cases below damage.
func valid(t *testing.T) []byte {
	t.Helper()
	g := New()
	if err := addText(g, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)"); err != nil {
		t.Fatal(err)
	}
	def, err := g.GraphDef(ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func TestMalformed(t *testing.T) {
	def := valid(t)
	second := strings.Index(string(def), "\ny\x12") - 1 // the second NodeDef's length
	if second < 0 {
		second = strings.Index(string(def), "\n\x01y") - 1
	}
	change := func(at int, to byte) []byte {
		b := append([]byte(nil), def...)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		name string
		def  []byte
		want string
	}{
		{"truncated", def[:len(def)-1], fmt.Sprintf("byte %d: field 4: a length of 3 points past the end", len(def)-4)},
		{"a SavedModel", []byte{8, 1, 0x12, 5}, "this is no GraphDef, but a SavedModel"},
		{"tag zero", append([]byte{0}, def...), "malformed at byte 0"},
		{"length past the end", change(second, 0x7f), fmt.Sprintf("byte %d: field 1: a length of 127 points past the end", second)},
		{"field past its message", change(second+2, 0x70), fmt.Sprintf("byte %d: field 1: a length of 112 points past the end", second+2)},
		{"name not UTF-8", change(second+3, 0xff), fmt.Sprintf("NodeDef is malformed at byte %d: the name \"\\xff\" is not UTF-8", second+3)},
		{"endless varint", append(append([]byte(nil), def...), 0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "malformed at byte"},
		{"group", append(append([]byte(nil), def...), 0x0c), "malformed at byte"},
	} {
		g := New()
		err := g.Import(c.def, "")
		if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if g.NumNodes() > 0 {
			t.Errorf("%s: the graph has nodes", c.name)
		}
	}
}

// Unknown fields, and known ones of another wire type, are passed over; of a
// field that comes twice the last holds.
func TestLenientWire(t *testing.T) {
	def := append(valid(t), 0x78, 0x01, 0xa2, 0x01, 0x01, 0x00, 0x08, 0x05)
	def = append(def, 0x0a, 0x0d, 0x0a, 0x01, 'a', 0x12, 0x04, 'N', 'o', 'O', 'p', 0x0a, 0x02, 'z', '1')
	g := New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	if g.NumNodes() != 3 || g.Operation("z1") == nil {
		t.Error(textOf(g, textOptions{}))
	}
}

// A node may declare any number of outputs in a few bytes; all of them together
// are bounded.
func TestOutputsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("d = Placeholder() {dtype=DT_INT32}\nx = Placeholder() {dtype=DT_FLOAT}\n")
	for i := range 20 {
		fmt.Fprintf(&text, "s%d = Split(d, x) {num_split=100000}\n", i)
	}
	if err := addText(New(), text.String()); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("two million outputs: %v", err)
	}
	if err := addText(New(), "d = Placeholder() {dtype=DT_INT32}\nx = Placeholder() {dtype=DT_FLOAT}\ns = Split(d, x) {num_split=1099511627776}"); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("2^40 outputs: %v", err)
	}
}

func TestImportOptionsRefused(t *testing.T) {
	def := valid(t)
	g, other := New(), New()
	in := placeholder(t, g, "in", tensor.Float)
	foreign := placeholder(t, other, "in", tensor.Float)
	for _, c := range []struct {
		opts ImportOptions
		want string
	}{
		{ImportOptions{InputMap: map[TensorID]Output{{"x", 0}: {}}}, "does not exist in graph (input_map entry: x:0"},
		{ImportOptions{InputMap: map[TensorID]Output{{"x", 0}: foreign}}, "node 'in' in input_map does not exist in graph"},
		{ImportOptions{InputMap: map[TensorID]Output{{"x", 0}: {in.Op, 3}}}, "Connecting to invalid output 3 of source node in which has 1 outputs"},
		{ImportOptions{InputMap: map[TensorID]Output{{"x", 0}: {in.Op, Control}}}, "between control edge and non-control edge"},
		{ImportOptions{ControlDependencies: []*Node{foreign.Op}}, "node 'in' in control_dependencies does not exist"},
		{ImportOptions{ControlDependencies: []*Node{nil}}, "in control_dependencies does not exist"},
		{ImportOptions{DefaultDevice: "cpu"}, "parsing the device spec"},
		{ImportOptions{ReturnTensors: []TensorID{{"q", 0}}}, "Requested return tensor 'q:0' not found in graph def"},
		{ImportOptions{ReturnNodes: []string{"q"}}, "Requested return node 'q' not found in graph def"},
	} {
		if _, err := g.ImportGraphDef(def, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.opts, err, c.want)
		}
	}
	if g.NumNodes() != 1 {
		t.Error(textOf(g, textOptions{}))
	}
}

// The options of TensorFlow's Go binding.
func TestImportWithOptions(t *testing.T) {
	g := NewGraph()
	in := placeholder(t, g, "in", tensor.Float)
	o := GraphImportOptions{Prefix: "p", Device: "/device:CPU:0"}
	o.AddInputMapping("x", 0, in)
	if err := g.ImportWithOptions(valid(t), o); err != nil {
		t.Fatal(err)
	}
	want := `in = Placeholder() {dtype=DT_FLOAT}
p/x = Placeholder() @/device:CPU:0 {dtype=DT_FLOAT}
p/y = Neg(in) @/device:CPU:0 {T=DT_FLOAT}
`
	if got := textOf(g, textOptions{}); got != want {
		t.Errorf("graph\n%s, want\n%s", got, want)
	}
}

func TestLibrary(t *testing.T) {
	text := `
		library {
			function { signature { name: "f" attr { name: "T" type: "type" } } attr { key: "a" value { i: 1 } } attr { key: "b" value { i: 2 } } }
			function { signature { name: "g" } }
			gradient { function_name: "f" gradient_func: "g" }
		}`
	def, err := prototext.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	g := New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	if f := g.Function("f"); f == nil || f.Name != "f" || f.Signature.Attr("T").Kind != registry.KindType {
		t.Errorf("function %+v", f)
	}
	if g.FunctionGradient("f") != "g" || g.FunctionGradient("g") != "" || g.Function("h") != nil {
		t.Error("gradients of functions")
	}
	if v := g.Versions(); v.MinConsumer != 12 {
		t.Errorf("versions %+v", v)
	}
	h := New()
	if err := h.AddLibrary(g.Library()); err != nil {
		t.Fatal(err)
	}
	if err := h.AddLibrary(g.Library()); err != nil {
		t.Errorf("the same functions again: %v", err)
	}
	n := add(t, h, OpSpec{Type: "f", Attrs: map[string]any{"T": tensor.Float}})
	if n.Class() != ClassCall || n.Class().String() != "call" {
		t.Errorf("class %v", n.Class())
	}
	if _, err := New().AddCopy(n, CopySpec{Name: "f"}); status.CodeOf(err) != status.NotFound {
		t.Errorf("a call is copied without its function: %v", err)
	}
	// The maps of a FunctionDef may come in any order.
	swapped, err := prototext.Parse([]byte(strings.NewReplacer(`key: "a" value { i: 1 }`, `key: "b" value { i: 2 }`, `key: "b" value { i: 2 }`, `key: "a" value { i: 1 }`).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Import(swapped, ""); err != nil {
		t.Errorf("the same functions, their attributes in another order: %v", err)
	}
	if got := len(g.Functions()); got != 2 {
		t.Errorf("%d functions", got)
	}
	if err := h.AddLibrary([]byte{0x0a}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a malformed library: %v", err)
	}
}

func TestUnreachableNodes(t *testing.T) {
	g := New()
	if err := addText(g, "x = Placeholder() {dtype=DT_FLOAT}\nm = Merge(x)\nn = NextIteration(m)"); err != nil {
		t.Fatal(err)
	}
	if err := g.SetBackEdge(g.Operation("m"), 0, g.Operation("n").Output(0)); err != nil {
		t.Fatal(err)
	}
	_, err := g.Frames()
	if want := "2 nodes cannot be reached from a node without inputs: {{node m}} {{node n}}"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestAddGradientsNeedsPackageGradients(t *testing.T) {
	if _, err := New().AddGradients("", nil, nil, nil); status.CodeOf(err) != status.Unimplemented {
		t.Errorf("error %v", err)
	}
}
