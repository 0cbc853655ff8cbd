package hostile

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

const int32Type = wire.DataType_DT_INT32

// strewn is n additions, in a row or side by side, dealt out to so many devices.
func strewn(n, devices int, row bool) []byte {
	g := newDef()
	g.constant("c")
	g.node("first", "Reciprocal", []string{"f"}, "T", wire.DataType_DT_FLOAT) // nothing is folded
	g.node("f", "RandomUniform", []string{"dims"}, "T", int32Type, "dtype", wire.DataType_DT_FLOAT)
	g.node("dims", "Const", nil, "dtype", int32Type, "value", &wire.TensorProto{
		Dtype: int32Type, TensorShape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 1}}}, IntVal: []int32{1},
	})
	last := "first"
	var all []string
	for i := range n {
		name := fmt.Sprint("a", i)
		g.node(name, "Add", []string{last, "first"}, "T", wire.DataType_DT_FLOAT)
		g.on(fmt.Sprintf("/device:CPU:%d", i*7%devices))
		if row {
			last = name
		} else {
			all = append(all, name)
		}
	}
	if row {
		all = []string{last}
	}
	g.node("y", "AddN", all, "T", wire.DataType_DT_FLOAT, "N", len(all))
	return g.bytes()
}

// on places the node that was added last.
func (d *def) on(device string) { d.graph.Node[len(d.graph.Node)-1].Device = device }

// classes is n nodes that want to be where others are: each with the next one, around.
func classes(n int) []byte {
	g := newDef()
	g.constant("c")
	for i := range n {
		with := &wire.AttrValue{Value: &wire.AttrValue_List{List: &wire.AttrValue_ListValue{
			S: [][]byte{[]byte(fmt.Sprint("loc:@a", (i+1)%n)), []byte(fmt.Sprint("loc:@a", (i*i)%n))},
		}}}
		g.node(fmt.Sprint("a", i), "Identity", []string{"c"}, "T", int32Type, "_class", with)
		if i < 2 {
			g.on(fmt.Sprintf("/device:CPU:%d", i))
		}
	}
	g.node("y", "Identity", []string{fmt.Sprint("a", n-1)}, "T", int32Type)
	for i := range n {
		last := g.graph.Node[len(g.graph.Node)-1]
		last.Input = append(last.Input, fmt.Sprint("^a", i))
	}
	return g.bytes()
}

// ends is n ends of a transfer, of which the other ends are not there or are twice.
func ends(op string, n int) []byte {
	g := newDef()
	g.constant("c")
	var after []string
	attrs := func(i int) []any {
		return []any{"tensor_name", fmt.Sprint("t", i/2), "send_device", "/job:localhost/replica:0/task:0/device:CPU:0",
			"recv_device", "/job:localhost/replica:0/task:0/device:CPU:1", "send_device_incarnation", 1}
	}
	for i := range n {
		name := fmt.Sprint("e", i)
		if op == "_Send" {
			g.node(name, op, []string{"c"}, append(attrs(i), "T", int32Type)...)
		} else {
			g.node(name, op, nil, append(attrs(i), "tensor_type", int32Type)...)
		}
		after = append(after, "^"+name)
	}
	g.node("y", "Identity", append([]string{"c"}, after...), "T", int32Type)
	return g.bytes()
}

// named returns a row of nodes whose names are long.
func named(n, long int) []byte {
	g := newDef()
	g.node("p", "Placeholder", nil, "dtype", wire.DataType_DT_BOOL)
	last := "p"
	for i := range n {
		name := fmt.Sprint(strings.Repeat("n", long), i)
		g.node(name, "LogicalNot", []string{last})
		last = name
	}
	g.node("y", "LogicalNot", []string{last})
	return g.bytes()
}

// Programs on many devices, and what is asked of devices.
func devices() []Attack {
	return []Attack{
		{"devices_strewn_row", func(b *builder) { b.devices, b.def = 64, strewn(50_000, 64, true) }},
		{"devices_strewn_wide", func(b *builder) { b.devices, b.def = 64, strewn(50_000, 64, false) }},
		{"devices_strewn_apart", func(b *builder) { b.devices, b.apart, b.def = 64, true, strewn(20_000, 64, true) }},
		{"devices_thousands", func(b *builder) { b.devices, b.def = 4096, strewn(4096, 4096, false) }},
		{"devices_thousands_apart", func(b *builder) { b.devices, b.apart, b.def = 4096, true, strewn(8192, 4096, true) }},
		{"devices_too_many", func(b *builder) { b.devices, b.def = 1<<30, strewn(2, 2, true) }},
		{"devices_classes_around", func(b *builder) { b.devices, b.def = 2, classes(50_000) }},
		{"devices_long_names", func(b *builder) {
			g := newDef()
			g.constant("c")
			for i := range 20 {
				g.node(fmt.Sprint("a", i), "Identity", []string{"c"}, "T", int32Type)
				g.on("/job:" + strings.Repeat("j", 1<<20) + fmt.Sprintf("/device:CPU:%d", i))
			}
			g.node("y", "Identity", []string{"a0", "^a7"}, "T", int32Type)
			b.devices, b.def = 2, g.bytes()
		}},
		{"devices_recv_alone", func(b *builder) { b.devices, b.def = 2, ends("_Recv", 1000) }},
		{"devices_recv_alone_apart", func(b *builder) { b.devices, b.apart, b.def = 2, true, ends("_Recv", 1000) }},
		{"devices_send_twice_apart", func(b *builder) { b.devices, b.apart, b.def = 2, true, ends("_Send", 1000) }},
		{"devices_send_twice", func(b *builder) { b.devices, b.def = 2, ends("_Send", 1000) }},
	}
}

// Runs that are profiled.
func profiles() []Attack {
	return []Attack{
		{"profile_many", func(b *builder) { b.profile, b.def = true, named(100_000, 1) }},
		{"profile_long_names", func(b *builder) { b.profile, b.def = true, named(10_000, 4096) }},
		{"profile_twice_60", func(b *builder) { b.profile, b.def = true, twice(60, "") }},
		{"profile_forever", func(b *builder) {
			b.profile = true
			b.fetch(b.loop(1<<31-1, []tf.Output{b.konst(float32(0))}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.Sin(s, v[0])}
			})...)
		}},
	}
}
