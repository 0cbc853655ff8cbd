package graph

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/tensor"
)

// chainDef returns a chain of n nodes: a placeholder, then Neg after Neg.
func chainDef(n int) []byte {
	var def []byte
	field := func(b []byte, num protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), s)
	}
	float := string([]byte{6 << 3, 1}) // AttrValue.type = DT_FLOAT
	for i := range n {
		node := field(nil, outline.NodeName, fmt.Sprintf("node/number_%d", i))
		attr := "T"
		if i == 0 {
			node = field(node, outline.NodeOp, "Placeholder")
			attr = "dtype"
		} else {
			node = field(node, outline.NodeOp, "Neg")
			node = field(node, outline.NodeInput, fmt.Sprintf("node/number_%d", i-1))
		}
		node = field(node, outline.NodeAttr, string(field(field(nil, outline.EntryKey, attr), outline.EntryValue, float)))
		def = field(def, outline.GraphNode, string(node))
	}
	return field(def, outline.GraphVersions, string(Versions{Producer: Version}.Append(nil)))
}

func BenchmarkImport(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("Chain/n=%d", n), func(b *testing.B) {
			def := chainDef(n)
			b.ReportAllocs()
			for b.Loop() {
				if err := New().Import(def, ""); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}

func BenchmarkAddOperation(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("Chain/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := New()
				node, err := g.AddOperation(OpSpec{Type: "Placeholder", Attrs: map[string]any{"dtype": tensor.Float}})
				for i := 1; i < n && err == nil; i++ {
					node, err = g.AddOperation(OpSpec{Type: "Neg", Name: fmt.Sprintf("n%d", i), Input: []Input{node.Output(0)}})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}

func BenchmarkFrames(b *testing.B) {
	g := New()
	if err := g.Import(chainDef(100_000), ""); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := g.Frames(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/node")
}

// BenchmarkEdit copies a graph, replaces every tenth node, and finishes it.
func BenchmarkEdit(b *testing.B) {
	const n = 100_000
	g := New()
	if err := g.Import(chainDef(n), ""); err != nil {
		b.Fatal(err)
	}
	for _, changes := range []int{0, n / 10} {
		b.Run(fmt.Sprintf("Chain/n=%d/changes=%d", n, changes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e := g.Edit()
				nodes := e.Nodes()
				for i := range changes {
					victim := nodes[i*(n/changes)+1]
					if err := e.Replace(victim, victim.Inputs()[0]); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := e.Done(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}
