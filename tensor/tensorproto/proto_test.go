package tensorproto

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensortest"
	"github.com/troupe-go/troupe/wire"
)

func marshal(t testing.TB, p *wire.TensorProto) []byte {
	t.Helper()
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func protoShape(dims ...int64) *wire.TensorShapeProto {
	s := &wire.TensorShapeProto{}
	for _, d := range dims {
		s.Dim = append(s.Dim, &wire.TensorShapeProto_Dim{Size: d})
	}
	return s
}

func TestReadsWhatTensorFlowWrites(t *testing.T) {
	var cases []struct {
		tensortest.Golden
		Typed, Content []byte
	}
	tensortest.ReadGolden(t, "proto.json", &cases)
	for _, c := range cases {
		want := c.Tensor(t)
		for _, b := range [][]byte{c.Typed, c.Content} {
			if b == nil {
				continue
			}
			got, err := Unmarshal(b, 0)
			if err == nil {
				err = tensor.Compare(got, want, tensor.Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%s %v: %v", c.Dtype, c.Shape, err)
			}
			p := &wire.TensorProto{}
			if err := proto.Unmarshal(b, p); err != nil {
				t.Fatal(err)
			}
			if got, err = From(p, 0); err == nil {
				err = tensor.Compare(got, want, tensor.Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("From: %s %v: %v", c.Dtype, c.Shape, err)
			}
		}
	}
}

// What is written reads as the same tensor here, and is a message that the
// generated types read and write unchanged.
func TestProtoRoundTrip(t *testing.T) {
	for dt := range tensortest.DTypes {
		for _, shape := range [][]int64{{}, {0}, {1}, {3}, {2, 0, 5}, {2, 3}, {1, 1, 1, 1, 1, 1, 1, 2}} {
			x := tensortest.Some(t, dt, shape)
			b, err := Append([]byte("before"), x)
			if err != nil {
				t.Fatalf("%v %v: %v", dt, shape, err)
			}
			b, ok := bytes.CutPrefix(b, []byte("before"))
			if !ok {
				t.Fatalf("%v %v: what was in the buffer is gone", dt, shape)
			}
			y, err := Unmarshal(b, 0)
			if err == nil {
				err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%v %v: %v", dt, shape, err)
			}
			p, err := To(x)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.ProtoReflect().GetUnknown()) > 0 || int32(p.Dtype) != int32(dt) || len(p.GetTensorShape().GetDim()) != len(shape) {
				t.Errorf("%v %v: read as %v", dt, shape, p)
			}
			if again := marshal(t, p); len(again) != len(b) {
				t.Errorf("%v %v: %d bytes are %d when written again", dt, shape, len(b), len(again))
			}
		}
	}
}

func TestProtoEncodings(t *testing.T) {
	half := func(f float32) int32 { return int32(tensor.ToFloat16(f)) }
	unpacked := func(p *wire.TensorProto, num protowire.Number, typ protowire.Type, values ...uint64) []byte {
		b := marshal(t, p)
		for _, v := range values {
			b = protowire.AppendTag(b, num, typ)
			switch typ {
			case protowire.VarintType:
				b = protowire.AppendVarint(b, v)
			case protowire.Fixed32Type:
				b = protowire.AppendFixed32(b, uint32(v))
			case protowire.Fixed64Type:
				b = protowire.AppendFixed64(b, v)
			}
		}
		return b
	}
	f32, f64 := func(f float32) uint64 { return uint64(math.Float32bits(f)) }, math.Float64bits
	three := protoShape(3)
	for _, c := range []struct {
		name string
		b    []byte
		want *tensor.Tensor
	}{
		{"no values", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: three}), tensortest.Slice(t, tensor.Float, []float32{0, 0, 0}, 3)},
		{"no shape", marshal(t, &wire.TensorProto{Dtype: 1, FloatVal: []float32{2}}), tensor.FromScalar(float32(2))},
		{"last repeats", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: three, FloatVal: []float32{1, 2}}), tensortest.Slice(t, tensor.Float, []float32{1, 2, 2}, 3)},
		{"too many", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: three, FloatVal: []float32{1, 2, 3, 4}}), tensortest.Slice(t, tensor.Float, []float32{1, 2, 3}, 3)},
		{"another field", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: three, IntVal: []int32{1}}), tensortest.Slice(t, tensor.Float, []float32{0, 0, 0}, 3)},
		{"value for no element", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: protoShape(0), FloatVal: []float32{1}}), tensortest.Slice(t, tensor.Float, []float32{}, 0)},
		{"floats unpacked", unpacked(&wire.TensorProto{Dtype: 1, TensorShape: three}, 5, protowire.Fixed32Type, f32(1), f32(-2)), tensortest.Slice(t, tensor.Float, []float32{1, -2, -2}, 3)},
		{"floats packed, then unpacked", unpacked(&wire.TensorProto{Dtype: 1, TensorShape: three, FloatVal: []float32{1}}, 5, protowire.Fixed32Type, f32(2), f32(3)), tensortest.Slice(t, tensor.Float, []float32{1, 2, 3}, 3)},
		{"doubles", marshal(t, &wire.TensorProto{Dtype: 2, TensorShape: three, DoubleVal: []float64{1, 2}}), tensortest.Slice(t, tensor.Double, []float64{1, 2, 2}, 3)},
		{"doubles unpacked", unpacked(&wire.TensorProto{Dtype: 2, TensorShape: three}, 6, protowire.Fixed64Type, f64(0.1)), tensortest.Slice(t, tensor.Double, []float64{0.1, 0.1, 0.1}, 3)},
		{"int8 wide", marshal(t, &wire.TensorProto{Dtype: 6, TensorShape: three, IntVal: []int32{300, -1}}), tensortest.Slice(t, tensor.Int8, []int8{44, -1, -1}, 3)},
		{"ints unpacked", unpacked(&wire.TensorProto{Dtype: 3, TensorShape: three}, 7, protowire.VarintType, 1, math.MaxUint64), tensortest.Slice(t, tensor.Int32, []int32{1, -1, -1}, 3)},
		{"quantized", marshal(t, &wire.TensorProto{Dtype: 12, TensorShape: three, IntVal: []int32{255, 7}}), tensortest.Slice(t, tensor.Quint8, []uint8{255, 7, 7}, 3)},
		{"int4", marshal(t, &wire.TensorProto{Dtype: 29, TensorShape: three, IntVal: []int32{-3, 13}}), tensortest.Slice(t, tensor.Int4, []int8{-3, -3, -3}, 3)},
		{"uint2 content", marshal(t, &wire.TensorProto{Dtype: 32, TensorShape: three, TensorContent: []byte{1, 2, 0xff}}), tensortest.Slice(t, tensor.Uint2, []uint8{1, 2, 3}, 3)},
		{"int64", marshal(t, &wire.TensorProto{Dtype: 9, TensorShape: three, Int64Val: []int64{math.MinInt64}}), tensortest.Slice(t, tensor.Int64, []int64{math.MinInt64, math.MinInt64, math.MinInt64}, 3)},
		{"uint32", marshal(t, &wire.TensorProto{Dtype: 22, TensorShape: three, Uint32Val: []uint32{1, math.MaxUint32}}), tensortest.Slice(t, tensor.Uint32, []uint32{1, math.MaxUint32, math.MaxUint32}, 3)},
		{"uint64", marshal(t, &wire.TensorProto{Dtype: 23, TensorShape: three, Uint64Val: []uint64{math.MaxUint64}}), tensortest.Slice(t, tensor.Uint64, []uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64}, 3)},
		{"bools", marshal(t, &wire.TensorProto{Dtype: 10, TensorShape: three, BoolVal: []bool{false, true}}), tensortest.Slice(t, tensor.Bool, []bool{false, true, true}, 3)},
		{"bool of 256", unpacked(&wire.TensorProto{Dtype: 10, TensorShape: three}, 11, protowire.VarintType, 256, 0), tensortest.Slice(t, tensor.Bool, []bool{true, false, false}, 3)},
		{"bool content of two", marshal(t, &wire.TensorProto{Dtype: 10, TensorShape: three, TensorContent: []byte{2, 0, 255}}), tensortest.Slice(t, tensor.Bool, []bool{true, false, true}, 3)},
		{"half", marshal(t, &wire.TensorProto{Dtype: 19, TensorShape: three, HalfVal: []int32{half(1), half(-2)}}), tensortest.Slice(t, tensor.Half, []tensor.Float16{tensor.ToFloat16(1), tensor.ToFloat16(-2), tensor.ToFloat16(-2)}, 3)},
		{"half wide", marshal(t, &wire.TensorProto{Dtype: 19, TensorShape: three, HalfVal: []int32{1<<16 | half(1)}}), tensortest.Slice(t, tensor.Half, []tensor.Float16{tensor.ToFloat16(1), tensor.ToFloat16(1), tensor.ToFloat16(1)}, 3)},
		{"bfloat16", marshal(t, &wire.TensorProto{Dtype: 14, TensorShape: three, HalfVal: []int32{0x3f80}}), tensortest.Slice(t, tensor.Bfloat16, []tensor.BFloat16{0x3f80, 0x3f80, 0x3f80}, 3)},
		{"float8", marshal(t, &wire.TensorProto{Dtype: 25, TensorShape: three, Float8Val: []byte{1, 2}}), tensortest.Slice(t, tensor.Float8e4m3fn, []uint8{1, 2, 2}, 3)},
		{"complex", marshal(t, &wire.TensorProto{Dtype: 8, TensorShape: three, ScomplexVal: []float32{1, 2, 3, 4}}), tensortest.Slice(t, tensor.Complex64, []complex64{1 + 2i, 3 + 4i, 3 + 4i}, 3)},
		{"complex with half a value", marshal(t, &wire.TensorProto{Dtype: 8, TensorShape: three, ScomplexVal: []float32{1, 2, 3}}), tensortest.Slice(t, tensor.Complex64, []complex64{1 + 2i, 1 + 2i, 1 + 2i}, 3)},
		{"complex with half a value alone", marshal(t, &wire.TensorProto{Dtype: 18, TensorShape: three, DcomplexVal: []float64{1}}), tensortest.Slice(t, tensor.Complex128, []complex128{0, 0, 0}, 3)},
		{"strings", marshal(t, &wire.TensorProto{Dtype: 7, TensorShape: three, StringVal: [][]byte{[]byte("a"), {0xff}}}), tensortest.Slice(t, tensor.String, []string{"a", "\xff", "\xff"}, 3)},
		{"strings in content", marshal(t, &wire.TensorProto{Dtype: 7, TensorShape: three, TensorContent: []byte("\x01\x00\x02abc")}), tensortest.Slice(t, tensor.String, []string{"a", "", "bc"}, 3)},
		{"no string", marshal(t, &wire.TensorProto{Dtype: 7, TensorShape: three}), tensortest.Slice(t, tensor.String, []string{"", "", ""}, 3)},
		{"handles", marshal(t, &wire.TensorProto{Dtype: 20, TensorShape: protoShape(), ResourceHandleVal: []*wire.ResourceHandleProto{{Device: "d", Container: "c", Name: "n", MaybeTypeName: "t", HashCode: 5}, {}}}),
			tensor.FromScalar(&tensor.Handle{Device: "d", Container: "c", Name: "n", Type: "t"})},
		{"variants", marshal(t, &wire.TensorProto{Dtype: 21, TensorShape: protoShape(2), VariantVal: []*wire.VariantTensorDataProto{{TypeName: "t", Metadata: []byte("m"), Tensors: []*wire.TensorProto{{Dtype: 1}}}, {}}}),
			tensortest.Slice(t, tensor.Variant, []*tensor.Object{{Value: &tensor.VariantData{TypeName: "t", Metadata: []byte("m"), Tensors: [][]byte{{8, 1}}}}, nil}, 2)},
		{"last dtype holds", append(marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: three}), 8, 3), tensortest.Slice(t, tensor.Int32, []int32{0, 0, 0}, 3)},
		{"shapes add up", append(marshal(t, &wire.TensorProto{Dtype: 3, TensorShape: three}), marshal(t, &wire.TensorProto{TensorShape: protoShape(1)})...), tensortest.Slice(t, tensor.Int32, []int32{0, 0, 0}, 3, 1)},
		{"unknown field", append(marshal(t, &wire.TensorProto{Dtype: 3, TensorShape: three}), 0xfa, 1, 2, 'h', 'i'), tensortest.Slice(t, tensor.Int32, []int32{0, 0, 0}, 3)},
	} {
		got, err := Unmarshal(c.b, 0)
		if err == nil {
			err = tensor.Compare(got, c.want, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestProtoErrors(t *testing.T) {
	float := func(dims ...int64) []byte {
		return marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: protoShape(dims...), FloatVal: []float32{1}})
	}
	content := func(dt wire.DataType, s string, dims ...int64) []byte {
		return marshal(t, &wire.TensorProto{Dtype: dt, TensorShape: protoShape(dims...), TensorContent: []byte(s)})
	}
	for _, c := range []struct {
		name string
		b    []byte
		code status.Code
		want string
	}{
		{"empty", nil, status.InvalidArgument, "byte 0: unknown dtype 0"},
		{"dtype 999", marshal(t, &wire.TensorProto{Dtype: 999}), status.InvalidArgument, "byte 1: unknown dtype 999"},
		{"dtype -1", marshal(t, &wire.TensorProto{Dtype: -1}), status.InvalidArgument, "unknown dtype -1"},
		{"dtype 257", marshal(t, &wire.TensorProto{Dtype: 257}), status.InvalidArgument, "unknown dtype 257"},
		{"reference", marshal(t, &wire.TensorProto{Dtype: 101}), status.InvalidArgument, "reference type float_ref"},
		{"unknown rank", marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: &wire.TensorShapeProto{UnknownRank: true}}), status.InvalidArgument, "byte 4: a tensor's rank cannot be unknown"},
		{"negative", float(2, -5), status.InvalidArgument, "byte 11: dimension 1 of the shape is -5"},
		{"least int64", float(math.MinInt64), status.InvalidArgument, "dimension 0 of the shape is -9223372036854775808"},
		{"overflow", float(6148914691236517205, 3), status.InvalidArgument, "more elements than fit"},
		{"2^62", float(1 << 62), status.InvalidArgument, "larger than memory"},
		{"2^40", float(1 << 40), status.ResourceExhausted, "takes 4398046511104 bytes, more than the limit of 2147483648"},
		{"strings", marshal(t, &wire.TensorProto{Dtype: 7, TensorShape: protoShape(1 << 40), StringVal: [][]byte{{1}}}), status.ResourceExhausted, "more than the limit"},
		{"rank 300", float(make([]int64, 300)...), status.InvalidArgument, "at most 254 dimensions"},
		{"content short", content(1, "123456789012345", 4), status.InvalidArgument, "byte 10: tensor_content has 15 bytes where a tensor of type float and shape [4] has 16"},
		{"content long", content(1, "12345678901234567", 4), status.InvalidArgument, "has 17 bytes"},
		{"content for none", content(1, "1234", 0), status.InvalidArgument, "has 4 bytes"},
		{"content of handles", content(20, "1234", 1), status.InvalidArgument, "cannot be in tensor_content"},
		{"few lengths", content(7, "\x01", 3), status.InvalidArgument, "too short for 3 strings"},
		{"endless length", content(7, "\x80\x80", 1), status.InvalidArgument, "length of string 0"},
		{"huge length", content(7, "\x80\x80\x80\x80\x80\x80\x80\x80\x40ab", 1), status.InvalidArgument, "string 0 has 4611686018427387904 bytes where 2 are left"},
		{"sum of lengths overflows", content(7, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x03ab", 2), status.InvalidArgument, "string 0 has"},
		{"bytes left", content(7, "\x01abcd", 1), status.InvalidArgument, "3 bytes left after the last string"},
		{"tag zero", []byte{0, 0}, status.InvalidArgument, "byte 0: "},
		{"length past end", []byte{8, 1, 0x22, 5, 1}, status.InvalidArgument, "byte 3: field 4: a length of 5 points past the end of the message at byte 5"},
		{"varint endless", append([]byte{8}, bytes.Repeat([]byte{0xff}, 11)...), status.InvalidArgument, "byte 1: field 1"},
		{"packed floats cut", []byte{8, 1, 0x2a, 3, 0, 0, 0}, status.InvalidArgument, "byte 4: field 5: 3 bytes are no whole number"},
		{"packed varint cut", []byte{8, 3, 0x3a, 1, 0x80}, status.InvalidArgument, "byte 4: field 7"},
		{"handle not UTF-8", []byte{8, 20, 0x72, 3, 0x1a, 1, 0xff}, status.InvalidArgument, "byte 6: field 3 of a resource handle is not UTF-8"},
	} {
		_, err := Unmarshal(c.b, 0)
		if status.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.code, c.want)
		}
	}
}

// A declared size costs nothing before it is checked.
func TestProtoLimit(t *testing.T) {
	b := marshal(t, &wire.TensorProto{Dtype: 1, TensorShape: protoShape(1 << 20), FloatVal: []float32{1}})
	if _, err := Unmarshal(b, 4<<20); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Unmarshal(b, 4<<20-1)
	runtime.ReadMemStats(&after)
	if status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("beyond the limit: %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("refusing took %d bytes", n)
	}
}

func TestAppendErrors(t *testing.T) {
	x := tensortest.Slice(t, tensor.Variant, []*tensor.Object{nil, {Value: 7}}, 2)
	dst, err := Append([]byte("before"), x)
	if status.CodeOf(err) != status.Unimplemented || string(dst) != "before" {
		t.Errorf("a variant without a serialized form: %q, %v", dst, err)
	}
	if _, err := Marshal(tensor.RefTo(tensor.Float, nil).Peek()); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a reference: %v", err)
	}
}

func TestUnmarshalAllocations(t *testing.T) {
	b := marshal(t, &wire.TensorProto{Dtype: 1, FloatVal: []float32{1}})
	if n := testing.AllocsPerRun(100, func() { Unmarshal(b, 0) }); n > 4 {
		t.Errorf("a scalar takes %v allocations", n)
	}
}

func FuzzUnmarshal(f *testing.F) {
	var cases []struct{ Typed, Content []byte }
	tensortest.ReadGolden(f, "proto.json", &cases)
	for _, c := range cases {
		f.Add(c.Typed)
		f.Add(c.Content)
	}
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Unmarshal(b, limit)
		if err != nil {
			if x != nil || status.CodeOf(err) == status.Unknown {
				t.Fatalf("got %v, %v", x, err)
			}
			return
		}
		if x.SizeBytes() > limit {
			t.Fatalf("%d bytes pass the limit", x.SizeBytes())
		}
		_ = x.String()
		again, err := Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := Unmarshal(again, limit)
		if err == nil {
			err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatalf("written and read again: %v", err)
		}
		// What this codec reads the generated types read too, and alike.
		p := &wire.TensorProto{}
		if proto.Unmarshal(b, p) != nil || x.DType() == tensor.Variant { // whose tensors may be written in another order
			return
		}
		z, err := From(p, limit)
		if err == nil {
			err = tensor.Compare(z, x, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatalf("by way of the message: %v", err)
		}
	})
}
