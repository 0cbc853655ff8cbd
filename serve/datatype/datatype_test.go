package datatype_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/tensor"
)

// An element of BYTES is its length and its bytes.
func Example() {
	t, _ := tensor.FromSlice([]string{"a", "bc"}, 2)
	b, err := datatype.Contents(t)
	fmt.Println(datatype.Name(t.DType()), b, err)
	// Output: BYTES [1 0 0 0 97 2 0 0 0 98 99] <nil>
}

// TestContents: contents that are read are those that were written, from a reader and in
// place, whatever the alignment.
func TestContents(t *testing.T) {
	f, _ := tensor.FromSlice([]float64{1, -2, 3, 4, 5, 6}, 2, 3)
	s, _ := tensor.FromSlice([]string{"", "a", strings.Repeat("x", 3<<20)}, 3)
	b, _ := tensor.FromSlice([]bool{true, false}, 2, 1)
	e, _ := tensor.FromSlice([]int8{}, 0, 4)
	for _, want := range []*tensor.Tensor{f, s, b, e} {
		text, err := datatype.Contents(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := datatype.Read(bytes.NewReader(text), int64(len(text)), want.DType(), want.Dims())
		if err == nil {
			err = tensor.Compare(got, want, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%v: %v", want.DType(), err)
		}
		for shift := range 9 {
			moved := append(make([]byte, shift), text...)[shift:]
			got, err := datatype.Of(slices.Clip(moved), want.DType(), want.Dims())
			if err == nil {
				err = tensor.Compare(got, want, tensor.Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%v, %d bytes off: %v", want.DType(), shift, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		b     string
		shape []int64
		want  string
	}{
		{"FP32", "1234567", []int64{2}, "7 bytes for shape [2] of FP32, which has 8"},
		{"FP32", "", []int64{-1}, "negative"},
		{"BYTES", "\x05\x00\x00\x00abc", []int64{1}, "element 0 of BYTES has 5 bytes, of which 3 are there"},
		{"BYTES", "\x01\x00\x00\x00abc", []int64{1}, "2 bytes after the last element"},
		{"BYTES", "\x01\x00\x00\x00a", []int64{1 << 40}, "which has at least"},
		{"BYTES", "\x05\x00\x00\x00aaaaa\x00\x00\x00", []int64{2}, "element 1 of BYTES begins after"},
		{"FP64", "", []int64{1 << 60}, "larger than memory"},
	} {
		dt, err := datatype.Parse(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for way, f := range map[string]func() (*tensor.Tensor, error){
			"in place": func() (*tensor.Tensor, error) { return datatype.Of([]byte(c.b), dt, c.shape) },
			"read": func() (*tensor.Tensor, error) {
				return datatype.Read(strings.NewReader(c.b), int64(len(c.b)), dt, c.shape)
			},
		} {
			if _, err := f(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %q %s: %v", c.name, c.b, way, err)
			}
		}
	}
	if _, err := datatype.Read(strings.NewReader("1234"), 8, tensor.Float, []int64{2}); err == nil {
		t.Error("contents that end early are read")
	}
	if _, err := datatype.Parse("FP33"); err == nil {
		t.Error("FP33 is a datatype")
	}
}

// FuzzOf: whatever the contents, there is a tensor of the shape or an error.
func FuzzOf(f *testing.F) {
	f.Add("BYTES", []byte("\x01\x00\x00\x00a"), int64(1))
	f.Add("FP32", []byte("1234"), int64(1))
	f.Fuzz(func(t *testing.T, name string, b []byte, n int64) {
		dt, err := datatype.Parse(name)
		if err != nil {
			return
		}
		got, err := datatype.Of(bytes.Clone(b), dt, []int64{n})
		if err == nil && int64(got.NumElements()) != n {
			t.Errorf("%d elements, want %d", got.NumElements(), n)
		}
		if again, e := datatype.Read(bytes.NewReader(b), int64(len(b)), dt, []int64{n}); (e == nil) != (err == nil) || err == nil && tensor.Compare(again, got, tensor.Tolerance{Exact: true}) != nil {
			t.Errorf("%v, read: %v", err, e)
		}
	})
}
