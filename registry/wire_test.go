package registry

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// The protobuf runtime's own encoding of each value decodes to what the text
// says.
func TestUnmarshalAttrAgainstRuntime(t *testing.T) {
	shape := &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 2}, {Size: -1}, {Size: 0, Name: "x"}}}
	fn := &wire.NameAttrList{Name: "f", Attr: map[string]*wire.AttrValue{
		"n": {Value: &wire.AttrValue_I{I: -1}},
		"a": {Value: &wire.AttrValue_B{B: true}},
	}}
	two := &wire.TensorProto{Dtype: wire.DataType_DT_INT32, TensorShape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 2}}}, IntVal: []int32{1, 2}}
	list := func(l *wire.AttrValue_ListValue) *wire.AttrValue {
		return &wire.AttrValue{Value: &wire.AttrValue_List{List: l}}
	}
	for _, c := range []struct {
		value *wire.AttrValue
		want  string
	}{
		{&wire.AttrValue{}, "none"},
		{&wire.AttrValue{Value: &wire.AttrValue_S{S: []byte("a\xff")}}, `"a\377"`},
		{&wire.AttrValue{Value: &wire.AttrValue_I{I: math.MinInt64}}, "-9223372036854775808"},
		{&wire.AttrValue{Value: &wire.AttrValue_F{F: 1.5}}, "1.5"},
		{&wire.AttrValue{Value: &wire.AttrValue_B{B: true}}, "true"},
		{&wire.AttrValue{Value: &wire.AttrValue_Type{Type: wire.DataType_DT_FLOAT_REF}}, "DT_FLOAT_REF"},
		{&wire.AttrValue{Value: &wire.AttrValue_Type{}}, "DT_INVALID"},
		{&wire.AttrValue{Value: &wire.AttrValue_Shape{Shape: shape}}, "shape [2,?,0]"},
		{&wire.AttrValue{Value: &wire.AttrValue_Shape{Shape: &wire.TensorShapeProto{UnknownRank: true}}}, "shape ?"},
		{&wire.AttrValue{Value: &wire.AttrValue_Tensor{Tensor: two}}, "Tensor<type: int32 shape: [2] values: 1 2>"},
		{&wire.AttrValue{Value: &wire.AttrValue_Placeholder{Placeholder: "T"}}, "$T"},
		{&wire.AttrValue{Value: &wire.AttrValue_Func{Func: fn}}, "func f[a=true, n=-1]"},
		{list(nil), "[]"},
		{list(&wire.AttrValue_ListValue{S: [][]byte{[]byte("a"), nil}}), `["a", ""]`},
		{list(&wire.AttrValue_ListValue{I: []int64{-1, 300}}), "[-1, 300]"},
		{list(&wire.AttrValue_ListValue{F: []float32{0.5, 2}}), "[0.5, 2.0]"},
		{list(&wire.AttrValue_ListValue{B: []bool{true, false}}), "[true, false]"},
		{list(&wire.AttrValue_ListValue{Type: []wire.DataType{1, 3}}), "[DT_FLOAT, DT_INT32]"},
		{list(&wire.AttrValue_ListValue{Shape: []*wire.TensorShapeProto{shape, {}}}), "list(shape) [[2,?,0], []]"},
		{list(&wire.AttrValue_ListValue{Tensor: []*wire.TensorProto{two}}), "[Tensor<type: int32 shape: [2] values: 1 2>]"},
		{list(&wire.AttrValue_ListValue{Func: []*wire.NameAttrList{fn, {Name: "g"}}}), "list(func) [f[a=true, n=-1], g]"},
	} {
		b, err := proto.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		v, err := UnmarshalAttr(b)
		if err != nil || v.Typed() != c.want {
			t.Errorf("%v: got %s, %v, want %s", c.value, v.Typed(), err, c.want)
		}
		again, err := MarshalAttr(v)
		if err != nil {
			t.Fatal(err)
		}
		back := &wire.AttrValue{}
		if err := proto.Unmarshal(again, back); err != nil {
			t.Fatal(err)
		}
		if w, err := AttrFromProto(back); err != nil || w.Typed() != c.want {
			t.Errorf("%s was written as %v, %v", c.want, back, err)
		}
	}
}

// Repeated occurrences of a field merge as the protobuf runtime merges them.
func TestUnmarshalAttrMerges(t *testing.T) {
	parse := func(text string) []byte {
		v, err := ParseTyped(text)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(message(t, v))
	}
	for _, c := range []struct{ first, second, want string }{
		{"1", "2", "2"},
		{"1", `"s"`, `"s"`},
		{"[1]", "[2, 3]", "[1, 2, 3]"},
		{"list(shape) [[1]]", "1", "1"},
		{"shape [1]", "shape [2]", "shape [1,2]"},
		{"func f[a=1, b=2]", "func g[b=3]", "func g[a=1, b=3]"},
		{"Tensor<type: int32 shape: [2] values: 7>", "Tensor<type: string shape: [1] values: a>", ""},
		{"$T", "1", "1"},
		{"1", "$T", "$T"},
		{"[1]", "list(string) []", "[1]"},
	} {
		v, err := UnmarshalAttr(append(parse(c.first), parse(c.second)...))
		if c.want == "" {
			if err == nil {
				continue // whatever two tensors make, it is a tensor
			}
		} else if err != nil || v.Typed() != c.want {
			t.Errorf("%s and %s: got %s, %v, want %s", c.first, c.second, v.Typed(), err, c.want)
		}
	}
}

func TestUnmarshalAttrRefuses(t *testing.T) {
	field := func(num protowire.Number, body ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), body)
	}
	varint := func(num protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v)
	}
	dim := func(size int64) []byte { return field(2, varint(1, uint64(size))...) }
	deep := []byte{}
	for range 40 {
		deep = field(attrFunc, field(funcAttr, append(field(entryKey, 'f'), field(entryValue, deep...)...)...)...)
	}
	list := field(attrList, append(field(attrString, 'a'), varint(attrInt, 1)...)...)
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"truncated":      {[]byte{0x12, 5, 'a'}, "malformed at byte 1: field 2: a length of 5 points past the end of the message at byte 3"},
		"tag zero":       {[]byte{0, 1}, "malformed at byte 0: invalid field number"},
		"endless varint": {[]byte{0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "malformed at byte 1: field 3: variable length integer overflow"},
		"mixed list":     {list, "malformed at byte 6: a list of kind string also has elements of kind int"},
		"type":           {varint(attrType, 999), "malformed at byte 1: AttrValue has invalid DataType enum: 999"},
		"negative type":  {varint(attrType, math.MaxUint64), "malformed at byte 1: AttrValue has invalid DataType enum: -1"},
		"dimension":      {field(attrShape, dim(-7)...), "malformed at byte 2: Shape [-7] has dimensions with values below -1"},
		"elements":       {field(attrShape, append(dim(1<<62), dim(1<<62)...)...), "is too large (more than 2**63 - 1 entries)"},
		"rank":           {field(attrShape, []byte(strings.Repeat(string(dim(1)), 255))...), "a shape of more than 254 dimensions"},
		"unknown rank":   {field(attrShape, append(dim(1), varint(3, 1)...)...), "An unknown shape must not have any dimensions set"},
		"depth":          {deep, "functions nested more than 32 deep"},
		"floats":         {field(attrList, field(attrFloat, 1, 2, 3)...), "malformed at byte 4: 3 bytes are not a whole number of floats"},
		"function name":  {field(attrFunc, field(funcName, 0xff)...), "malformed at byte 4: the string \"\\xff\" is not UTF-8"},
		"tensor":         {field(attrTensor, varint(1, 99)...), "the tensor at byte 2"},
		"long list":      {field(attrList, field(attrInt, make([]byte, 1<<20+1)...)...), "a list of more than 1048576 elements"},
	} {
		_, err := UnmarshalAttr(c.b)
		if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// A few bytes may stand for a large tensor; many such do not add up.
func TestAttrDecoderRoom(t *testing.T) {
	small, err := tensor.FromSlice([]int32{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tensorproto.To(small)
	if err != nil {
		t.Fatal(err)
	}
	p.TensorShape.Dim[0].Size = 1 << 18
	b, err := proto.Marshal(&wire.AttrValue{Value: &wire.AttrValue_Tensor{Tensor: p}})
	if err != nil {
		t.Fatal(err)
	}
	d := AttrDecoder{Room: 3 << 20}
	decoded := 0
	for range 10 {
		if _, err = d.Attr(b); err != nil {
			break
		}
		decoded++
	}
	if decoded < 2 || decoded > 3 || status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("%d tensors of 1 MiB within 3 MiB, then %v", decoded, err)
	}
}

func TestUnmarshalOpDefRefuses(t *testing.T) {
	for want, d := range map[string]*OpDef{
		"input 'x': there is no attr 'T'; the op declares no attrs":  {Name: "f", Inputs: []ArgDef{{Name: "x", TypeAttr: "T"}}},
		"output 'y': attr 'T' is of type int, where type is needed":  {Name: "f", Outputs: []ArgDef{{Name: "y", TypeAttr: "T"}}, Attrs: []AttrDef{{Name: "T", Kind: KindInt}}},
		"input 'x': it has 0 of a type, a type attr and a type list": {Name: "f", Inputs: []ArgDef{{Name: "x"}}},
		"input 'x': it has 2 of a type":                              {Name: "f", Inputs: []ArgDef{{Name: "x", Type: 1, TypeAttr: "T"}}, Attrs: []AttrDef{{Name: "T", Kind: KindType}}},
		"it has both a number attr 'N' and a type list attr 'L'":     {Name: "f", Inputs: []ArgDef{{Name: "x", NumberAttr: "N", TypeListAttr: "L"}}, Attrs: []AttrDef{{Name: "N", Kind: KindInt}, {Name: "L", Kind: KindType | ListOf}}},
		"attr 'T' has no type":                                       {Name: "f", Attrs: []AttrDef{{Name: "T"}}},
		"attr 's': malformed at byte":                                {Name: "f", Attrs: []AttrDef{{Name: "s", Kind: KindShape, Default: &AttrValue{Kind: KindShape, Shape: Shape{Dims: []int64{-5}}}}}},
	} {
		b, err := MarshalOpDef(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := UnmarshalOpDef(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A value of a type that nobody knows yet is carried along.
func TestFlawedValues(t *testing.T) {
	entry := []byte{0x0a, 1, 'a', 0x12, 2, 0x30, 99} // a: type 99
	attrs, err := UnmarshalAttrs(entry)
	if err != nil {
		t.Fatal(err)
	}
	v := attrs.Find("a")
	if v.Kind != KindType || v.Err() == nil || v.CheckKind(KindInt) == nil {
		t.Errorf("value %+v", v)
	}
	def := AttrDef{Name: "a", Kind: KindType}
	if err := def.Check(v); err == nil || !strings.Contains(err.Error(), "invalid DataType enum: 99 for attr 'a'") {
		t.Errorf("as a known attribute: %v", err)
	}
	if got := v.String(); !strings.Contains(got, "invalid DataType enum: 99") {
		t.Errorf("in words: %s", got)
	}
	b, err := AppendAttrs(nil, 5, attrs)
	if want := append([]byte{0x2a, byte(len(entry))}, entry...); err != nil || !bytes.Equal(b, want) {
		t.Errorf("written as %x, %v, want %x", b, err, want)
	}
	for _, c := range []struct {
		name  string
		entry []byte
	}{
		{"cut off", []byte{0x0a, 1, 'a', 0x12, 3, 0x30, 99, 0x3a}},
		{"in a function", []byte{0x0a, 1, 'a', 0x12, 2, 0x52, 9}},
	} {
		if _, err := UnmarshalAttrs(c.entry); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}
