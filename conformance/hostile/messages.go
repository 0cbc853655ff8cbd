package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/graph/prototext"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// Messages and files that are deep, long, or say that they hold more than they do.
func messages() []Attack {
	reading := func(name string, make func() []byte, read func(b []byte, limit int64) error) Attack {
		return Attack{"file_" + name, func(b *builder) {
			contents := make()
			b.read = func(limit int64) error { return read(contents, limit) }
		}}
	}
	npyHeader := func(header string) func() []byte {
		return func() []byte {
			return fmt.Appendf(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), "%s", header)
		}
	}
	readNPY := func(b []byte, limit int64) error {
		_, err := npy.Read(bytes.NewReader(b), limit)
		return err
	}
	readText := func(b []byte, _ int64) error { _, err := prototext.Parse(b); return err }
	readLines := func(b []byte, _ int64) error { return notation.Add(graph.New(), string(b)) }
	readValue := func(b []byte, _ int64) error { _, err := literal.Parse(string(b), tensor.Float); return err }
	readModel := func(b []byte, _ int64) error { _, err := model.Graphs(b); return err }
	readProto := func(b []byte, limit int64) error { _, err := tensorproto.Unmarshal(b, limit); return err }
	repeated := func(s string, n int) func() []byte { return func() []byte { return bytes.Repeat([]byte(s), n) } }
	message := func(name string, make func(g *def)) Attack {
		return Attack{"message_" + name, func(b *builder) {
			g := newDef()
			g.constant("c")
			make(g)
			if last := g.graph.Node[len(g.graph.Node)-1]; last.Name != "y" {
				g.node("y", "Identity", []string{"c"}, "T", int32Type)
			}
			b.def = g.bytes()
		}}
	}
	return sorted([]Attack{
		reading("npy_large", npyHeader("{'descr': '<f8', 'fortran_order': True, 'shape': (1099511627776, 4), }\n"), readNPY),
		reading("npy_overflow", npyHeader("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }\n"), readNPY),
		reading("npy_dimensions", npyHeader("{'descr': '<f8', 'fortran_order': True, 'shape': ("+strings.Repeat("1,", 30_000)+"), }\n"), readNPY),
		reading("npy_empty", npyHeader("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9223372036854775807, 9223372036854775807), }\n"), readNPY),
		reading("npy_wide_text", npyHeader("{'descr': '<U1000000000', 'fortran_order': False, 'shape': (1000,), }\n"), readNPY),
		reading("text_nested", repeated("node { attr { value { func { attr { value { list { func {", 100_000), readText),
		reading("text_unknown_nested", repeated("a {", 4_000_000), readText),
		reading("text_unknown_lists", repeated("a: [{", 3_000_000), readText),
		reading("text_unknown_angles", repeated("a <", 4_000_000), readText),
		reading("text_any_nested", repeated("[type.googleapis.com/tensorflow.GraphDef] {", 300_000), readText),
		reading("text_quote", repeated("node { name: \"\\1", 1), readText),
		reading("lines_nested", func() []byte { return []byte("y = NoOp() {f=" + strings.Repeat("func F {f=", 1_000_000)) }, readLines),
		reading("lines_tensor", func() []byte {
			return []byte("y = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [1099511627776] values: 1>}")
		}, readLines),
		reading("lines_dimensions", func() []byte {
			return []byte("y = Placeholder() {dtype=DT_FLOAT, shape=[" + strings.Repeat("1,", 5_000_000) + "1]}")
		}, readLines),
		reading("value_nested", repeated("[", 10_000_000), readValue),
		reading("value_ragged", func() []byte { return []byte("[" + strings.Repeat("[1],", 3_000_000) + "[1,2]]") }, readValue),
		reading("model_graphs", func() []byte { return nested(2, 5_000_000, nil) }, readModel),
		reading("proto_splat", func() []byte {
			return []byte("\x08\x01\x12\x0a\x12\x08\x08\x80\x80\x80\x80\x80\x80\x01\x2a\x04\x00\x00\x80\x3f")
		}, readProto),
		reading("proto_variants", func() []byte { // a variant of a variant, and so on
			b := []byte("\x08\x15\x12\x00")
			for range 3000 {
				variant := wire.AppendField(nil, 3, b)
				b = wire.AppendField([]byte("\x08\x15\x12\x00"), 15, variant)
			}
			return b
		}, readProto),
		reading("proto_dimensions", func() []byte {
			return wire.AppendField([]byte("\x08\x01"), 2, bytes.Repeat([]byte("\x12\x02\x08\x01"), 5_000_000))
		}, readProto),
		message("splat", func(g *def) {
			g.node("big", "Const", nil, "dtype", int32Type, "value", &wire.TensorProto{Dtype: int32Type, TensorShape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 1 << 28}}}, IntVal: []int32{3}})
			g.node("y", "Neg", []string{"big"}, "T", int32Type)
		}),
		message("splats", func(g *def) { // each is small
			var all []string
			for i := range 20_000 {
				name := fmt.Sprint("big", i)
				g.node(name, "Const", nil, "dtype", int32Type, "value", &wire.TensorProto{Dtype: int32Type, TensorShape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 1 << 16}}}, IntVal: []int32{int32(i)}})
				all = append(all, name)
			}
			g.node("y", "AddN", all, "T", int32Type, "N", len(all))
		}),
		message("dimensions", func(g *def) {
			g.node("p", "Placeholder", nil, "dtype", int32Type, "shape", &wire.AttrValue{Value: &wire.AttrValue_Shape{Shape: &wire.TensorShapeProto{Dim: make([]*wire.TensorShapeProto_Dim, 3_000_000)}}})
		}),
		message("many_shapes", func(g *def) {
			list := &wire.AttrValue_ListValue{}
			for range 1_000_000 {
				list.Shape = append(list.Shape, &wire.TensorShapeProto{UnknownRank: true})
			}
			g.node("n", "NoOp", nil, "_shapes", &wire.AttrValue{Value: &wire.AttrValue_List{List: list}})
		}),
		message("many_numbers", func(g *def) {
			g.node("n", "NoOp", nil, "_numbers", &wire.AttrValue{Value: &wire.AttrValue_List{List: &wire.AttrValue_ListValue{I: make([]int64, 20_000_000)}}})
		}),
		message("many_types", func(g *def) {
			g.node("y", "IdentityN", repeatText("c", 300_000), "T", repeatType(int32Type, 300_000))
		}),
		message("many_inputs", func(g *def) { g.node("y", "AddN", repeatText("c", 2_000_000), "T", int32Type, "N", 2_000_000) }),
		message("many_controls", func(g *def) {
			g.node("y", "Identity", append([]string{"c"}, repeatText("^c", 2_000_000)...), "T", int32Type)
		}),
		message("many_outputs", func(g *def) {
			g.node("s", "Split", []string{"c", "c"}, "T", int32Type, "num_split", 1<<31-1)
		}),
		message("long_name", func(g *def) {
			long := strings.Repeat("n", 20<<20)
			g.node(long, "Identity", []string{"c"}, "T", int32Type)
			g.node("y", "Identity", []string{long}, "T", int32Type)
		}),
		message("long_op", func(g *def) { g.node("n", strings.Repeat("N", 20<<20), nil) }),
		message("long_names", func(g *def) {
			for i := range 2000 {
				g.node(fmt.Sprint(strings.Repeat("n", 20_000), i), "NoOp", nil)
			}
		}),
		message("functions_as_attributes", func(g *def) {
			f := &wire.NameAttrList{Name: "f"}
			for range 3000 {
				f = &wire.NameAttrList{Name: "f", Attr: map[string]*wire.AttrValue{"f": attr(f)}}
			}
			g.node("n", "NoOp", nil, "_f", f)
		}),
		{"message_attributes_nested", func(b *builder) { // deeper than a message can be made by its package
			f := nested(2, 500_000, []byte("\x12\x00"))
			entry := wire.AppendField(wire.AppendField(nil, 1, "_f"), 2, wire.AppendField(nil, 10, f))
			n := wire.AppendField(wire.AppendField(nil, 1, "n"), 2, "NoOp")
			b.def = wire.AppendField(nil, 1, wire.AppendField(n, 5, entry))
			y := wire.AppendField(wire.AppendField(nil, 1, "y"), 2, "GuaranteeConst")
			b.def = wire.AppendField(b.def, 1, y)
		}},
		{"message_groups_nested", func(b *builder) {
			b.def = bytes.Repeat(protowire.AppendTag(nil, 99, protowire.StartGroupType), 10_000_000)
		}},
		{"message_conditionals", func(b *builder) { b.def = conditionals(3000) }},
		{"message_branches", func(b *builder) {
			g := newDef()
			g.function("f", nil, "a:output:0", node("a", "Identity", []string{"x"}, "T", int32Type))
			g.constant("c")
			list := &wire.AttrValue_ListValue{}
			for range 300_000 {
				list.Func = append(list.Func, &wire.NameAttrList{Name: "f"})
			}
			g.node("y", "Case", []string{"c", "c"}, "Tin", []wire.DataType{int32Type}, "Tout", []wire.DataType{int32Type}, "branches", &wire.AttrValue{Value: &wire.AttrValue_List{List: list}})
			b.def = g.bytes()
		}},
	})
}

// conditionals returns a conditional in a conditional, and so on.
func conditionals(n int) []byte {
	g := newDef()
	g.constant("c")
	types := []wire.DataType{int32Type}
	choose := func(name string, i int, x string) *wire.NodeDef {
		f := &wire.NameAttrList{Name: fmt.Sprint("f", i)}
		return node(name, "If", []string{x, x}, "Tcond", int32Type, "Tin", types, "Tout", types, "then_branch", f, "else_branch", f)
	}
	for i := range n {
		g.function(fmt.Sprint("f", i), nil, "a:output:0", choose("a", i+1, "x"))
	}
	g.function(fmt.Sprint("f", n), nil, "a:output:0", node("a", "Identity", []string{"x"}, "T", int32Type))
	g.graph.Node = append(g.graph.Node, choose("y", 0, "c"))
	return g.bytes()
}

// nested returns a field in a field in a field.
func nested(field protowire.Number, depth int, innermost []byte) []byte {
	lengths := make([]int, depth+1)
	lengths[0] = len(innermost)
	tag := protowire.SizeTag(field)
	for i := range depth {
		lengths[i+1] = tag + protowire.SizeBytes(lengths[i])
	}
	b := make([]byte, 0, lengths[depth])
	for i := depth - 1; i >= 0; i-- {
		b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(lengths[i]))
	}
	return append(b, innermost...)
}

func repeatText(s string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func repeatType(dt wire.DataType, n int) []wire.DataType {
	all := make([]wire.DataType, n)
	for i := range all {
		all[i] = dt
	}
	return all
}
