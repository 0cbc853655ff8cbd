package registry

import "testing"

func benchmarkNode(b *testing.B, op, text string) {
	b.Helper()
	var def *OpDef
	for _, d := range tensorflowDefs(b) {
		if d.Name == op {
			def = d
		}
	}
	attrs, err := ParseAttrs(text)
	if err != nil {
		b.Fatal(err)
	}
	var entries [][]byte
	for i := range attrs {
		e := appendString(nil, entryKey, attrs[i].Name)
		e, err = appendMessage(e, entryValue, func(e []byte) ([]byte, error) { return AppendAttr(e, &attrs[i].Value) })
		if err != nil {
			b.Fatal(err)
		}
		entries = append(entries, e)
	}
	b.Run("Decode/"+op, func(b *testing.B) {
		var d AttrDecoder
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Attrs(entries...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Resolve/"+op, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Resolve(def, attrs); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What the attributes of a node of an imported graph cost.
func BenchmarkNode(b *testing.B) {
	benchmarkNode(b, "AddV2", "T=DT_FLOAT")
	benchmarkNode(b, "MatMul", "T=DT_FLOAT, transpose_a=false, transpose_b=false, grad_a=false, grad_b=false")
	benchmarkNode(b, "Conv2D", `T=DT_FLOAT, strides=[1, 1, 1, 1], padding="SAME"`)
	benchmarkNode(b, "Const", "dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1 2>")
}

// Lookup is what every node costs; Nearest what a name costs that is unknown.
func BenchmarkRegistry(b *testing.B) {
	r, err := New(tensorflowDefs(b)...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Lookup", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Lookup("MatMul"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Nearest", func(b *testing.B) {
		for b.Loop() {
			r.Nearest("Matmul")
		}
	})
}
