package shape_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A row is what TensorFlow's shape function answered for one node.
type row struct {
	Op     string
	Attrs  map[string]any
	Inputs []struct {
		DType string
		Shape *[]int64
		Value any
	}
	Outputs []*[]int64
	Error   string
}

// TestRows compares inference with what TensorFlow 2.21 recorded.
func TestRows(t *testing.T) {
	file, err := os.Open("testdata/shapes.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.NewDecoder(z).Decode(&rows); err != nil {
		t.Fatal(err)
	}
	passed, words, refused := 0, 0, 0
	for i := range rows {
		r := &rows[i]
		got, err := r.infer()
		if r.Error != "" {
			refused++
		}
		switch {
		case r.Error != "" && err == nil:
			t.Errorf("row %d: %v: got %v, want error %q", i, r, got, r.Error)
			continue
		case r.Error != "" && status.CodeOf(err) != status.InvalidArgument:
			t.Errorf("row %d: %v: got %v, want INVALID_ARGUMENT", i, r, err)
			continue
		case r.Error != "":
			if strings.HasPrefix(status.From(err).Message, r.Error) {
				words++
			} else if os.Getenv("WORDS") != "" {
				t.Logf("row %d: %v: got %v, want error %q", i, r, err, r.Error)
			}
		case err != nil:
			t.Errorf("row %d: %v: %v", i, r, err)
			continue
		default:
			want := make([]shape.Shape, len(r.Outputs))
			for k, o := range r.Outputs {
				want[k] = shapeOf(o)
			}
			if !slices.EqualFunc(got, want, shape.Equal) {
				t.Errorf("row %d: %v: got %v, want %v", i, r, got, want)
				continue
			}
		}
		passed++
	}
	t.Logf("%d of %d rows; of %d refused nodes %d in TensorFlow's words", passed, len(rows), refused, words)
}

func shapeOf(dims *[]int64) shape.Shape {
	if dims == nil {
		return shape.Shape{}
	}
	return shape.Of(*dims...)
}

func (r *row) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v(", r.Op, r.Attrs)
	for i, in := range r.Inputs {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, shapeOf(in.Shape))
		if in.Value != nil {
			fmt.Fprintf(&b, "=%v", in.Value)
		}
	}
	return b.String() + ")"
}

// infer infers the row's node.
func (r *row) infer() ([]shape.Shape, error) {
	def := definitions()[r.Op]
	if def == nil {
		return nil, status.Errorf(status.NotFound, "no definition of %s", r.Op)
	}
	var attrs registry.Attrs
	for name, v := range r.Attrs {
		a := def.Attr(name)
		if a == nil {
			return nil, status.Errorf(status.NotFound, "no attr %s of %s", name, r.Op)
		}
		attrs = append(attrs, registry.NamedAttr{Name: name, Value: attrOf(a.Kind, v)})
	}
	slices.SortFunc(attrs, func(a, b registry.NamedAttr) int { return strings.Compare(a.Name, b.Name) })
	inputs := make([]edge, len(r.Inputs))
	for i, in := range r.Inputs {
		dt, ok := tensor.ParseDType(in.DType)
		if !ok {
			return nil, status.Errorf(status.Internal, "no type %s", in.DType)
		}
		s := shapeOf(in.Shape)
		if in.Value == nil {
			inputs[i].from = source(dt, s)
			continue
		}
		value, err := tensorOf(dt, s, in.Value)
		if err != nil {
			return nil, err
		}
		inputs[i].from = constant(value)
	}
	for _, a := range def.Attrs { // rows of refused nodes leave some out
		if a.Default == nil && attrs.Find(a.Name) == nil && a.Kind == registry.KindType {
			attrs = append(attrs, registry.NamedAttr{Name: a.Name, Value: registry.TypeAttr(tensor.Float)})
		}
	}
	n, err := newNode(r.Op, attrs, inputs...)
	if err != nil {
		return nil, status.Errorf(status.Internal, "%w", err)
	}
	var f shape.Inferrer
	if shape.Lookup(r.Op) == nil {
		return nil, status.Errorf(status.Unimplemented, "no shape function")
	}
	err = infer(&f, n)
	return n.shapes, err
}

// attrOf returns an attribute as the rows write it.
func attrOf(kind registry.AttrKind, v any) registry.AttrValue {
	if kind.IsList() {
		list := []registry.AttrValue{}
		for _, e := range v.([]any) {
			list = append(list, attrOf(kind.Elem(), e))
		}
		return registry.ListAttr(kind.Elem(), list...)
	}
	switch kind {
	case registry.KindString:
		return registry.StringAttr(v.(string))
	case registry.KindInt:
		return registry.IntAttr(int64(v.(float64)))
	case registry.KindFloat:
		return registry.FloatAttr(float32(v.(float64)))
	case registry.KindBool:
		return registry.BoolAttr(v.(bool))
	case registry.KindType:
		dt, _ := tensor.ParseDType(v.(string))
		return registry.TypeAttr(dt)
	case registry.KindShape:
		if m, ok := v.(map[string]any); ok {
			v = m["shape"]
		}
		if v == nil {
			return registry.ShapeAttr(registry.Shape{Unknown: true})
		}
		dims := []int64{}
		for _, d := range v.([]any) {
			if d == nil {
				d = -1.0
			}
			dims = append(dims, int64(d.(float64)))
		}
		return registry.ShapeAttr(registry.Shape{Dims: dims})
	}
	panic("attribute of kind " + kind.String())
}

// tensorOf returns a constant as the rows write it, nested lists of numbers.
func tensorOf(dt tensor.DType, s shape.Shape, v any) (*tensor.Tensor, error) {
	var flat []any
	var flatten func(v any)
	flatten = func(v any) {
		if list, ok := v.([]any); ok {
			for _, e := range list {
				flatten(e)
			}
			return
		}
		flat = append(flat, v)
	}
	flatten(v)
	switch dt {
	case tensor.Int32:
		return filled(flat, s, func(v any) int32 { return int32(v.(float64)) })
	case tensor.Int64:
		return filled(flat, s, func(v any) int64 { return int64(v.(float64)) })
	case tensor.Float:
		return filled(flat, s, func(v any) float32 { return float32(v.(float64)) })
	case tensor.Bool:
		return filled(flat, s, func(v any) bool { return v.(bool) })
	}
	return nil, status.Errorf(status.Internal, "constant of type %v", dt)
}

func filled[T tensor.Element](flat []any, s shape.Shape, to func(any) T) (*tensor.Tensor, error) {
	data := make([]T, len(flat))
	for i, v := range flat {
		data[i] = to(v)
	}
	return tensor.FromSlice(data, s.Dims()...)
}
