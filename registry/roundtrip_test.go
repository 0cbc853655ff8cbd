package registry

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/tensor"
)

// attrs generates values of a kind, KindNone for any. depth bounds functions
// within functions.
func genValue(kind AttrKind, depth int) *rapid.Generator[AttrValue] {
	return rapid.Custom(func(t *rapid.T) AttrValue {
		k := kind
		if k == KindNone {
			k = AttrKind(rapid.IntRange(1, int(KindFunc)).Draw(t, "kind"))
			if rapid.Bool().Draw(t, "list") {
				k |= ListOf
			}
		}
		if k.IsList() {
			v := AttrValue{Kind: k}
			for range rapid.IntRange(0, 4).Draw(t, "length") {
				v.List = append(v.List, genValue(k.Elem(), depth).Draw(t, "element"))
			}
			return v
		}
		switch k {
		case KindString:
			return StringAttr(string(rapid.SliceOf(rapid.Byte()).Draw(t, "s")))
		case KindInt:
			return IntAttr(rapid.Int64().Draw(t, "i"))
		case KindFloat:
			return FloatAttr(rapid.OneOf(rapid.Float32(), rapid.Just(float32(math.Inf(-1)))).Draw(t, "f"))
		case KindBool:
			return BoolAttr(rapid.Bool().Draw(t, "b"))
		case KindType:
			return TypeAttr(genType().Draw(t, "type"))
		case KindShape:
			if rapid.Bool().Draw(t, "unknown") {
				return ShapeAttr(Shape{Unknown: true})
			}
			return ShapeAttr(Shape{Dims: rapid.SliceOfN(rapid.Int64Range(-1, 9), 0, 4).Draw(t, "dims")})
		case KindTensor:
			return TensorAttr(genTensor(t))
		}
		f := &Func{Name: rapid.StringMatching(`[a-z]\w*|.+`).Draw(t, "name")}
		if depth > 0 {
			for range rapid.IntRange(0, 3).Draw(t, "attrs") {
				name := rapid.StringMatching(`[a-zA-Z_]\w*|.+`).Draw(t, "attr")
				f.Attrs = append(f.Attrs, NamedAttr{name, genValue(KindNone, depth-1).Draw(t, "value")})
			}
			f.Attrs = f.Attrs.normalize()
		}
		return FuncAttr(f)
	})
}

func genType() *rapid.Generator[tensor.DType] {
	return rapid.Custom(func(t *rapid.T) tensor.DType {
		dt := tensor.DType(rapid.IntRange(1, int(tensor.Uint2)).Draw(t, "dtype"))
		if rapid.Bool().Draw(t, "ref") {
			return dt.Ref()
		}
		return dt
	})
}

func genTensor(t *rapid.T) *tensor.Tensor {
	shape := rapid.SliceOfN(rapid.Int64Range(0, 3), 0, 3).Draw(t, "shape")
	n, _ := tensor.NumElements(tensor.Int32, shape)
	var out *tensor.Tensor
	var err error
	switch rapid.IntRange(0, 4).Draw(t, "type") {
	case 0:
		out, err = tensor.FromSlice(rapid.SliceOfN(rapid.Int32Range(0, 2), n, n).Draw(t, "int32"), shape...)
	case 1:
		out, err = tensor.FromSlice(rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "float64"), shape...)
	case 2:
		out, err = tensor.FromSlice(rapid.SliceOfN(rapid.StringOf(rapid.Rune()), n, n).Draw(t, "string"), shape...)
	case 3:
		out, err = tensor.FromSlice(rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "bool"), shape...)
	case 4:
		out, err = tensor.FromSlice(rapid.SliceOfN(rapid.Map(rapid.Float32(), func(f float32) complex64 { return complex(f, -f) }), n, n).Draw(t, "complex"), shape...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What a value prints parses as the value, with and without its kind known.
func TestValueTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(KindNone, 2).Draw(t, "value")
		want := message(t, v)
		back, err := ParseAttr(v.Kind, v.String())
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		if got := message(t, back); got != want {
			t.Fatalf("%s came back as %s", v, back)
		}
		if back, err = ParseTyped(v.Typed()); err != nil {
			t.Fatalf("%s: %v", v.Typed(), err)
		}
		if got := message(t, back); got != want {
			t.Fatalf("%s came back as %s", v.Typed(), back.Typed())
		}
	})
}

// What a value encodes as decodes to the value.
func TestValueMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(KindNone, 3).Draw(t, "value")
		b := message(t, v)
		back, err := UnmarshalAttr([]byte(b))
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		if got, want := untypedEmpty(back), untypedEmpty(v); got != want {
			t.Fatalf("%s came back as %s", want, got)
		}
		p, err := AttrToProto(v)
		if err != nil {
			t.Fatal(err)
		}
		back, err = AttrFromProto(p)
		if err != nil || untypedEmpty(back) != untypedEmpty(v) {
			t.Fatalf("%s came through a message as %s, %v", v, back, err)
		}
	})
}

// untypedEmpty returns the text of v, in which empty lists are of no kind: messages
// do not tell.
func untypedEmpty(v AttrValue) string { return emptyList.ReplaceAllString(v.Typed(), "[]") }

var emptyList = regexp.MustCompile(`list\(\w+\) \[\]`)

// message is v as bytes, in which it can be compared.
func message(t interface {
	Helper()
	Fatal(...any)
}, v AttrValue) string {
	t.Helper()
	b, err := MarshalAttr(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func FuzzParseAttr(f *testing.F) {
	for _, s := range []string{
		"1", "-inf", `"\001x"`, "DT_INT32", "[2,?]", "{ dim { size: 2 } }", "f[a=1, b=shape ?]",
		"Tensor<type: float shape: [2] values: 1 nan>", "{ dtype: DT_STRING string_val: 'a' tensor_shape { } }",
		"[{ dim { size: 2 } }, [3]]", "$T", "list(func) [f[x=[true]]]",
	} {
		for _, kind := range []AttrKind{KindNone, KindString, KindShape, KindTensor, KindFunc, KindShape | ListOf} {
			f.Add(uint8(kind), s)
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, text string) {
		kind := AttrKind(k)
		if kind.Elem() > KindFunc || kind&^(ListOf|0xf) != 0 {
			return
		}
		v, err := ParseAttr(kind, text)
		if err != nil {
			return
		}
		again, err := ParseTyped(v.Typed())
		if err != nil {
			if strings.Contains(v.Typed(), "<Resource") || strings.Contains(v.Typed(), "<Variant") || strings.Contains(v.Typed(), "DT_INVALID") {
				return // of these the elements have no text
			}
			t.Fatalf("%q does not parse: %v", v.Typed(), err)
		}
		if again.Typed() != v.Typed() {
			t.Fatalf("%q came back as %q", v.Typed(), again.Typed())
		}
	})
}

func FuzzUnmarshalAttr(f *testing.F) {
	for _, text := range []string{
		"1", "2.5", `"x"`, "true", "DT_INT32", "shape [2,?]", "func f[a=1, b=shape ?, c=[1.5, 2.5]]",
		"Tensor<type: float shape: [2] values: 1 2>", "list(shape) [[3], ?]", "$T", "list(func) [f]", `["a"]`,
	} {
		v, err := ParseTyped(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(message(f, v)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := (&AttrDecoder{Room: 1 << 16}).Attr(b)
		if err != nil {
			return
		}
		want := message(t, v)
		again, err := UnmarshalAttr([]byte(want))
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if got := message(t, again); got != want {
			t.Fatalf("%s came back as %s", v.Typed(), again.Typed())
		}
	})
}

// A definition that the language accepts is spelled again as it was, and can be resolved.
func FuzzDefine(f *testing.F) {
	f.Add("T: {float, double} = DT_FLOAT", "N: int >= 2", "x: N * T", "y: Ref(T)")
	f.Add("L: list(numbertype) >= 0 = []", "s: {'a', 'b'} = 'a'", "x: L", "y: float")
	f.Add("t: tensor = { dtype: DT_INT32 tensor_shape { } int_val: 1 }", "g: func = f[a=1]", "x: string", "y: int32")
	f.Fuzz(func(t *testing.T, attr1, attr2, in, out string) {
		b := &Builder{def: OpDef{Name: "Op"}}
		d, err := b.Attr(attr1).Attr(attr2).Input(in).Output(out).Build()
		if err != nil {
			return
		}
		again, err := spell(d).Build()
		if err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		if d.String() != again.String() {
			t.Fatalf("%v came back as %v", d, again)
		}
		attrs := Attrs{}
		for i := range d.Attrs {
			if a := &d.Attrs[i]; a.Default == nil && a.Kind == KindInt {
				attrs = append(attrs, NamedAttr{a.Name, IntAttr(a.Minimum)})
			}
		}
		r, err := Resolve(d, attrs.normalize())
		if err == nil && len(r.Inputs)+len(r.Outputs) == 0 && d.Inputs[0].IsList() == false {
			t.Fatal("no inputs")
		}
	})
}

// The message of a definition is read without harm, and written as it was read.
func FuzzUnmarshalOpDef(f *testing.F) {
	for i, d := range tensorflowDefs(f) {
		if i%40 == 0 {
			b, err := MarshalOpDef(d)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := UnmarshalOpDef(b)
		if err != nil {
			return
		}
		want, err := MarshalOpDef(d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := UnmarshalOpDef(want)
		if err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		if got, err := MarshalOpDef(again); err != nil || string(got) != string(want) {
			t.Fatalf("%v came back as %v, %v", d, again, err)
		}
		if _, err := Resolve(d, nil); err == nil {
			_, _ = InferFlat(d, nil, make([]tensor.DType, 3))
		}
		if d.Validate() == nil {
			if err := Compatible(d, d); err != nil {
				t.Fatal(err)
			}
		}
	})
}
