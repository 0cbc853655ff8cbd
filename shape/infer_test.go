package shape_test

import (
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A builder builds graphs for tests from operations with type attributes that
// are mostly one type.
type builder struct {
	t testing.TB
	f shape.Inferrer
}

type attr = registry.NamedAttr

func (b *builder) op(op string, attrs []attr, inputs ...edge) edge {
	b.t.Helper()
	def := definitions()[op]
	all := registry.Attrs(attrs)
	for _, a := range def.Attrs { // types follow from the inputs
		if all.Find(a.Name) != nil || a.Kind != registry.KindType || a.Default != nil {
			continue
		}
		dt := tensor.Int32
		i := 0
		for _, in := range def.Inputs {
			if in.TypeAttr == a.Name && i < len(inputs) {
				dt = inputs[i].from.out[inputs[i].out]
				break
			}
			if i++; in.NumberAttr != "" {
				i = len(inputs) - 1
				dt = inputs[0].from.out[inputs[0].out]
			}
		}
		all = append(all, attr{Name: a.Name, Value: registry.TypeAttr(dt)})
	}
	return edge{from: add(b.t, &b.f, op, all, inputs...)}
}

func (b *builder) ints(v ...int32) edge {
	x, err := tensor.FromSlice(v, int64(len(v)))
	if err != nil {
		b.t.Fatal(err)
	}
	return edge{from: constant(x)}
}

func (b *builder) int(v int32) edge {
	x, err := tensor.FromSlice([]int32{v})
	if err != nil {
		b.t.Fatal(err)
	}
	return edge{from: constant(x)}
}

func (b *builder) float(v float32) edge {
	x, err := tensor.FromSlice([]float32{v})
	if err != nil {
		b.t.Fatal(err)
	}
	return edge{from: constant(x)}
}

func (b *builder) placeholder(dt tensor.DType, s shape.Shape) edge { return edge{from: source(dt, s)} }

func (b *builder) fill(dims edge) edge { return b.op("Fill", nil, dims, b.float(1)) }

func (b *builder) pack(values ...edge) edge {
	return b.op("Pack", []attr{{Name: "N", Value: registry.IntAttr(int64(len(values)))}}, values...)
}

func (b *builder) concat(values ...edge) edge {
	return b.op("ConcatV2", []attr{{Name: "N", Value: registry.IntAttr(int64(len(values)))}}, append(values, b.int(0))...)
}

// slice is x[begin:end:stride], x[begin] if shrink is 1.
func (b *builder) slice(x edge, begin, end, stride int32, shrink int64) edge {
	attrs := []attr{{Name: "shrink_axis_mask", Value: registry.IntAttr(shrink)}}
	if end == 0 {
		attrs = append(attrs, attr{Name: "end_mask", Value: registry.IntAttr(1)})
	}
	return b.op("StridedSlice", attrs, x, b.ints(begin), b.ints(end), b.ints(stride))
}

func (b *builder) at(x edge, i int32) edge { return b.slice(x, i, i+1, 1, 1) }

func typeAttr(name string, dt tensor.DType) attr {
	return attr{Name: name, Value: registry.TypeAttr(dt)}
}

// Shapes that depend on arithmetic on constants and shapes: as much is
// known as TensorFlow 2.21 knows.
func TestConstants(t *testing.T) {
	b := &builder{t: t}
	x := b.placeholder(tensor.Float, shape.Of(-1, 3, 4))
	full := b.placeholder(tensor.Float, shape.Of(2, 3, 4))
	unknown := b.placeholder(tensor.Float, shape.Shape{})
	n := b.placeholder(tensor.Int32, shape.Scalar)
	sx, sf := b.op("Shape", nil, x), b.op("Shape", nil, full)
	half := func(name string, dt tensor.DType, v edge) edge { return b.op("Cast", []attr{typeAttr("DstT", dt)}, v) }
	rank := func(v edge) edge { return b.op("Rank", nil, v) }
	rangeOf := func(lo, hi edge) edge { return b.op("Range", nil, lo, hi, b.int(1)) }
	sum := func(v, axes edge) edge { return b.op("Sum", nil, v, axes) }
	out := func(e edge, i int) edge { return edge{e.from, i} }

	for _, c := range []struct {
		name string
		got  edge
		tf   string
	}{
		{"shape", b.fill(sx), "[?,3,4]"},
		{"element", b.fill(b.pack(b.at(sx, 0), b.int(12))), "[?,12]"},
		{"known element", b.fill(b.pack(b.at(sx, 1), b.int(12))), "[3,12]"},
		{"tail", b.fill(b.slice(sx, 1, 0, 1, 0)), "[3,4]"},
		{"reversed", b.fill(b.op("ReverseV2", nil, sx, b.ints(0))), "[?,?,?]"},
		{"concat", b.fill(b.concat(b.slice(sx, 0, 2, 1, 0), b.ints(5))), "[?,3,5]"},
		{"unknown in pack", b.fill(b.pack(n, b.int(7))), "[?,7]"},
		{"product", b.fill(b.pack(b.op("Mul", nil, b.at(sf, 1), b.at(sf, 2)), b.int(2))), "[12,2]"},
		{"product of a part", b.fill(b.pack(b.op("Mul", nil, b.at(sx, 1), b.at(sx, 2)), b.int(2))), "[12,2]"},
		{"all elements", b.fill(b.pack(b.op("Prod", nil, sf, b.ints(0)), b.int(2))), "[24,2]"},
		{"gather", b.fill(b.op("GatherV2", nil, sx, b.ints(2, 0), b.int(0))), "[?,?]"},
		{"cast", b.fill(half("", tensor.Int32, half("", tensor.Int64, sx))), "[?,3,4]"},
		{"through floats", b.fill(half("", tensor.Int32, b.op("Mul", nil, half("", tensor.Float, b.slice(sf, 1, 3, 1, 0)), b.float(2.5)))), "[7,10]"},
		{"all axes", sum(full, rangeOf(b.int(0), rank(full))), "[]"},
		{"axes of unknown rank", sum(unknown, rangeOf(b.int(0), rank(unknown))), "?"},
		{"axes but the first", sum(x, rangeOf(b.int(1), rank(x))), "[?]"},
		{"the rest", b.op("Reshape", nil, full, b.pack(b.int(-1), b.int(4))), "[6,4]"},
		{"batch kept", b.op("Reshape", nil, x, b.pack(b.at(sx, 0), b.int(12))), "[?,12]"},
		{"size", b.fill(b.pack(b.op("Size", nil, full), b.int(1))), "[24,1]"},
		{"expanded", b.fill(b.concat(b.op("ExpandDims", nil, n, b.int(0)), b.ints(3))), "[?,3]"},
		{"slice", b.fill(b.op("Slice", nil, sx, b.ints(1), b.ints(-1))), "[?,?]"},
		{"broadcast axes", sum(full, out(b.op("BroadcastGradientArgs", nil, sf, b.ints(3, 1)), 1)), "[3]"},
		{"unpacked", b.fill(b.pack(out(b.op("Unpack", []attr{{Name: "num", Value: registry.IntAttr(3)}}, sf), 2), b.int(1))), "[4,1]"},
		{"split", b.fill(out(b.op("Split", []attr{{Name: "num_split", Value: registry.IntAttr(2)}}, b.int(0), b.ints(1, 2, 3, 4)), 1)), "[3,4]"},
		{"selected", b.fill(b.op("SelectV2", nil, b.op("Less", nil, b.int(1), b.int(2)), b.ints(5, 6), b.ints(7, 8))), "[5,6]"},
		{"difference", b.fill(b.pack(b.op("Sub", nil, b.at(sf, 2), b.int(1)), b.int(1))), "[3,1]"},
		{"ones", b.fill(b.op("OnesLike", nil, sf)), "[1,1,1]"},
		{"filled", b.fill(b.op("Fill", nil, b.ints(2), b.int(4))), "[4,4]"},
		{"matrix of pairs", b.op("Pad", nil, x, b.pack(b.ints(0, 0), b.ints(1, 2), b.pack(b.int(0), b.int(1)))), "[?,6,5]"},
		{"multiples", b.op("Tile", nil, x, b.pack(n, b.int(2), b.int(1))), "[?,6,4]"},
		{"floor of a quotient", b.fill(b.pack(b.op("FloorDiv", nil, b.int(-7), b.int(-2)))), "[3]"},
		{"wrapped", b.fill(b.pack(b.op("Maximum", nil, b.op("Mul", nil, b.int(1<<30), b.int(4)), b.int(3)))), "[3]"},
		{"by zero", b.fill(b.pack(b.op("FloorDiv", nil, b.int(7), b.int(0)))), "[?]"},
	} {
		if got := c.got.from.shapes[c.got.out].String(); got != c.tf {
			t.Errorf("%s: got %v, TensorFlow says %v", c.name, got, c.tf)
		}
	}
}

// A slice of which some sizes are known and say "the rest": what is left of these
// dimensions is known, though TensorFlow says nothing as long as a size is unknown.
func TestSliceOfSizesKnownInPart(t *testing.T) {
	b := &builder{t: t}
	x := b.placeholder(tensor.Float, shape.Of(1, -1, -1, 3))
	n := b.placeholder(tensor.Int32, shape.Scalar)
	for _, c := range []struct {
		name        string
		begin, size edge
		want        string
	}{
		{"crop", b.pack(b.int(0), n, n, b.int(0)), b.pack(b.int(-1), n, n, b.int(-1)), "[1,?,?,3]"},
		{"begin within", b.pack(b.int(0), n, n, b.int(1)), b.pack(b.int(-1), b.int(5), n, b.int(-1)), "[1,5,?,2]"},
		{"begin unknown", b.pack(n, n, n, n), b.pack(b.int(-1), n, n, b.int(2)), "[?,?,?,2]"},
		{"begin beyond", b.pack(b.int(2), n, n, b.int(0)), b.pack(b.int(-1), n, n, b.int(-1)), "[?,?,?,3]"},
	} {
		s := b.op("Slice", nil, x, c.begin, c.size)
		if got := s.from.shapes[s.out].String(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// What is behind handles, as TensorFlow 2.21 knows it.
func TestHandles(t *testing.T) {
	b := &builder{t: t}
	float := typeAttr("dtype", tensor.Float)
	element := typeAttr("element_dtype", tensor.Float)
	dims := func(name string, d ...int64) attr {
		return attr{Name: name, Value: registry.ShapeAttr(registry.Shape{Dims: d})}
	}
	v := b.op("VarHandleOp", []attr{float, dims("shape", 2, 3)})
	list := b.op("TensorListReserve", []attr{element}, b.ints(2, 3), b.int(4))
	set := b.op("TensorListSetItem", []attr{element}, list, b.int(0), b.placeholder(tensor.Float, shape.Shape{}))
	ta := b.op("TensorArrayV3", []attr{float, dims("element_shape", 2, 3)}, b.int(3))
	flow := edge{ta.from, 1}
	for _, c := range []struct {
		name string
		got  edge
		want string
	}{
		{"variable", b.op("ReadVariableOp", []attr{float}, v), "[2,3]"},
		{"passed on", b.op("ReadVariableOp", []attr{float}, b.op("Identity", nil, v)), "[2,3]"},
		{"variable's shape", b.fill(b.op("VariableShape", nil, v)), "[2,3]"},
		{"list stacked", b.op("TensorListStack", []attr{element}, list, b.int(-1)), "[?,2,3]"},
		{"list item", b.op("TensorListGetItem", []attr{element}, set, b.int(0), b.int(-1)), "[2,3]"},
		{"list popped", edge{b.op("TensorListPopBack", []attr{element}, set, b.int(-1)).from, 1}, "[2,3]"},
		{"array read", b.op("TensorArrayReadV3", []attr{float}, ta, b.int(0), flow), "[2,3]"},
		{"array gathered", b.op("TensorArrayGatherV3", []attr{float}, ta, b.ints(0, 1), flow), "[2,2,3]"},
	} {
		if got := c.got.from.shapes[c.got.out].String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// A loop: the Merge is inferred while its back edge is not there.
func TestLoop(t *testing.T) {
	b := &builder{t: t}
	x := b.placeholder(tensor.Float, shape.Of(2, 3))
	frame := attr{Name: "frame_name", Value: registry.StringAttr("f")}
	enter := b.op("Enter", []attr{frame}, x)
	invariant := b.op("Enter", []attr{frame, {Name: "is_constant", Value: registry.BoolAttr(true)}}, x)
	merge := b.op("Merge", []attr{{Name: "N", Value: registry.IntAttr(2)}}, enter, edge{})
	known := b.op("Merge", []attr{{Name: "N", Value: registry.IntAttr(2)}, typeAttr("T", tensor.Float)}, x, edge{})
	pred := b.placeholder(tensor.Bool, shape.Scalar)
	body := b.op("Identity", nil, edge{b.op("Switch", nil, merge, pred).from, 1})
	next := b.op("NextIteration", nil, b.op("AddV2", nil, body, invariant))
	for _, c := range []struct {
		name string
		got  edge
		want string
	}{
		{"Enter", enter, "?"}, {"Enter of an invariant", invariant, "[2,3]"},
		{"Merge", merge, "?"}, {"Merge with a known input", known, "?"}, {"its index", edge{merge.from, 1}, "[]"},
		{"NextIteration", next, "?"}, {"Exit", b.op("Exit", nil, edge{b.op("Switch", nil, merge, pred).from, 0}), "?"},
	} {
		if got := c.got.from.shapes[c.got.out].String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	n, err := newNode("MatMul", registry.Attrs{typeAttr("T", tensor.Float)},
		edge{from: source(tensor.Float, shape.Of(2, 3))}, edge{from: source(tensor.Float, shape.Of(4, -1))})
	if err != nil {
		t.Fatal(err)
	}
	var f shape.Inferrer
	err = infer(&f, n)
	const want = "Dimensions must be equal, but are 3 and 4 with input shapes: [2,3], [4,?]"
	if got := status.From(err); got.Code != status.InvalidArgument || got.Message != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An operation that nobody gave a shape function says nothing.
func TestNoFunction(t *testing.T) {
	n := &node{name: "n", def: &registry.OpDef{Name: "NobodysOp"}, out: []tensor.DType{tensor.Float, tensor.Int32}}
	var f shape.Inferrer
	if err := infer(&f, n); err != nil || len(n.shapes) != 2 || n.shapes[0].Known() {
		t.Errorf("got %v, %v", n.shapes, err)
	}
}

// A long chain of arithmetic, asked for at every node, costs linear time, and
// a value that grows is given up.
func TestChainsAreLinear(t *testing.T) {
	b := &builder{t: t}
	size := b.int(1)
	for range 20000 {
		size = b.op("AddV2", nil, size, b.int(1))
		if got := b.fill(b.pack(size)).from.shapes[0]; !got.Known() {
			t.Fatal("a known rank was lost")
		}
	}
	last := b.fill(b.pack(size)).from.shapes[0].String()
	if last != "[20001]" {
		t.Errorf("got %s", last)
	}
	vector := b.ints(1, 1)
	for range 40 {
		vector = b.concat(vector, vector)
		b.op("Reshape", nil, b.placeholder(tensor.Float, shape.Shape{}), b.pack(b.op("Size", nil, vector)))
	}
	deep := b.int(2)
	for range 100000 {
		deep = b.op("Neg", nil, deep)
	}
	if got := b.fill(b.pack(deep)).from.shapes[0].String(); got != "[?]" {
		t.Errorf("too deep a chain: got %s", got)
	}
}

func BenchmarkInfer(b *testing.B) {
	g := &builder{t: b}
	x := g.placeholder(tensor.Float, shape.Of(-1, 128))
	w := g.placeholder(tensor.Float, shape.Of(128, 256))
	for name, n := range map[string]edge{
		"AddV2":    g.op("AddV2", nil, x, x),
		"MatMul":   g.op("MatMul", nil, x, w),
		"Identity": g.op("Identity", nil, x),
		"Rule":     g.op("SparseSoftmaxCrossEntropyWithLogits", []attr{typeAttr("Tlabels", tensor.Int32)}, x, g.placeholder(tensor.Int32, shape.Of(-1))),
		"Reshape":  g.op("Reshape", nil, x, g.pack(g.at(g.op("Shape", nil, x), 0), g.int(-1))),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := infer(&g.f, n.from); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
