package tensorproto

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/wire"
)

// BenchmarkUnmarshal decodes a scalar, as most constants of a graph are,
// and a thousand packed values.
func BenchmarkUnmarshal(b *testing.B) {
	shape := func(dims ...int64) *wire.TensorShapeProto {
		s := &wire.TensorShapeProto{}
		for _, d := range dims {
			s.Dim = append(s.Dim, &wire.TensorShapeProto_Dim{Size: d})
		}
		return s
	}
	ints, floats := make([]int32, 1000), make([]float32, 1000)
	for i := range ints {
		ints[i], floats[i] = int32(i), float32(i)
	}
	for _, c := range []struct {
		name    string
		message *wire.TensorProto
	}{
		{"Scalar", &wire.TensorProto{Dtype: wire.DataType_DT_FLOAT, TensorShape: shape(), FloatVal: []float32{1}}},
		{"Ints/n=1000", &wire.TensorProto{Dtype: wire.DataType_DT_INT32, TensorShape: shape(10, 100), IntVal: ints}},
		{"Floats/n=1000", &wire.TensorProto{Dtype: wire.DataType_DT_FLOAT, TensorShape: shape(1000), FloatVal: floats}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m, err := proto.Marshal(c.message)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Unmarshal(m, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
