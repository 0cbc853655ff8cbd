package hostile

import (
	"fmt"

	"github.com/troupe-go/troupe/wire"
)

// call returns a node that calls a function of one int32.
func call(name, function, input string, attrs ...any) *wire.NodeDef {
	return node(name, function, []string{input}, attrs...)
}

// twice returns a library in which each function calls the next one twice.
func twice(depth int, through string) []byte {
	g := newDef()
	g.constant("c")
	f := func(i int) string { return fmt.Sprint("f", i) }
	use := func(name string, i int, input string) *wire.NodeDef {
		if through == "" {
			return call(name, f(i), input)
		}
		types := []wire.DataType{wire.DataType_DT_INT32}
		return node(name, through, []string{input}, "f", &wire.NameAttrList{Name: f(i)}, "Tin", types, "Tout", types)
	}
	out := ":z:0"
	if through != "" {
		out = ":output:0"
	}
	for i := range depth {
		g.function(f(i), nil, "b"+out, use("a", i+1, "x"), use("b", i+1, "a"+out))
	}
	g.function(f(depth), nil, "a:output:0", node("a", "Identity", []string{"x"}, "T", wire.DataType_DT_INT32))
	if through == "" {
		g.node("y", f(0), []string{"c"})
	} else {
		g.graph.Node = append(g.graph.Node, use("y", 0, "c"))
	}
	return g.bytes()
}

// doubling returns a library in which each function calls the next with an attribute
// twice as large as its own.
func doubling(depth int) []byte {
	g := newDef()
	g.constant("c")
	for i := range depth {
		next := &wire.NameAttrList{Name: "leaf", Attr: map[string]*wire.AttrValue{"A": attr("$F"), "B": attr("$F")}}
		g.function(fmt.Sprint("f", i), []string{"F:func"}, "a:z:0", call("a", fmt.Sprint("f", i+1), "x", "F", next))
	}
	g.function(fmt.Sprint("f", depth), []string{"F:func"}, "a:output:0", node("a", "Identity", []string{"x"}, "T", wire.DataType_DT_INT32))
	g.function("leaf", nil, "a:output:0", node("a", "Identity", []string{"x"}, "T", wire.DataType_DT_INT32))
	g.node("y", "f0", []string{"c"}, "F", &wire.NameAttrList{Name: "leaf"})
	return g.bytes()
}

// chain returns a library in which each function calls the next one, or, if around,
// the last one the first.
func chain(n int, around bool) []byte {
	g := newDef()
	g.constant("c")
	for i := range n {
		g.function(fmt.Sprint("f", i), nil, "a:z:0", call("a", fmt.Sprint("f", i+1), "x"))
	}
	if around {
		g.function(fmt.Sprint("f", n), nil, "a:z:0", call("a", "f0", "x"))
	} else {
		g.function(fmt.Sprint("f", n), nil, "a:output:0", node("a", "Identity", []string{"x"}, "T", wire.DataType_DT_INT32))
	}
	g.node("y", "f0", []string{"c"})
	return g.bytes()
}

// wide returns a function of n nodes that calls itself first, without end.
func wide(n int) []byte {
	g := newDef()
	g.constant("c")
	nodes := []*wire.NodeDef{call("n0", "f", "x")}
	last := "n0:z:0"
	for i := range n {
		name := fmt.Sprint("n", i+1)
		nodes = append(nodes, node(name, "Neg", []string{last}, "T", wire.DataType_DT_INT32))
		last = name + ":y:0"
	}
	g.function("f", nil, last, nodes...)
	g.node("y", "f", []string{"c"})
	return g.bytes()
}

// Libraries that grow when they are put to use.
func functions() []Attack {
	return []Attack{
		{"function_twice_30", func(b *builder) { b.def = twice(30, "") }},
		{"function_twice_60", func(b *builder) { b.def = twice(60, "") }},
		{"function_twice_60_stateful", func(b *builder) { b.def = twice(60, "StatefulPartitionedCall") }},
		{"function_doubling_17", func(b *builder) { b.def = doubling(17) }},
		{"function_doubling_30", func(b *builder) { b.def = doubling(30) }},
		{"function_doubling_60", func(b *builder) { b.def = doubling(60) }},
		{"function_chain", func(b *builder) { b.def = chain(100_000, false) }},
		{"function_around", func(b *builder) { b.def = chain(3, true) }},
		{"function_around_wide", func(b *builder) { b.def = wide(15_000) }},
		{"function_long_way_around", func(b *builder) { b.def = chain(5000, true) }},
	}
}
