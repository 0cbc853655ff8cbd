package tensortest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// DTypes yields every dtype that tensors have.
func DTypes(yield func(tensor.DType) bool) {
	for dt := tensor.Float; dt.Valid(); dt++ {
		if !yield(dt) {
			return
		}
	}
}

// Slice returns data as a tensor of type dt, one of those whose elements are T.
func Slice[T tensor.Element](t testing.TB, dt tensor.DType, data []T, shape ...int64) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(dt, shape...)
	if err != nil {
		t.Fatal(err)
	}
	if elements := tensor.Elements[T](x.Memory()); copy(elements, data) != len(data) || len(elements) != len(data) {
		t.Fatalf("%d elements do not fill a tensor of shape %v", len(data), shape)
	}
	return x
}

// Some returns a tensor with elements of every kind that its dtype allows.
func Some(t testing.TB, dt tensor.DType, shape []int64) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(dt, shape...)
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	m := x.Memory()
	for i := range x.NumElements() {
		switch dt {
		case tensor.String:
			tensor.Elements[string](m)[i] = strings.Repeat("\x00é\xff", i)
		case tensor.Resource:
			tensor.Elements[*tensor.Handle](m)[i] = &tensor.Handle{Device: "d", Container: "c", Name: strings.Repeat("n", i), Type: "T"}
		case tensor.Variant:
			if i != 1 {
				tensor.Elements[*tensor.Object](m)[i] = &tensor.Object{Value: &tensor.VariantData{
					TypeName: "T", Metadata: []byte{byte(i), 0xff}, Tensors: [][]byte{{}, {8, 1}}}}
			}
		default:
			for k := range dt.Size() {
				content = append(content, byte(37*i+101*k+200))
			}
		}
	}
	if dt.HasPointers() {
		return x
	}
	if x, err = tensor.ReadTensor(dt, shape, bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	return x
}
