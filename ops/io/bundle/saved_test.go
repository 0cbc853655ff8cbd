package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func goOn() error { return nil }

func openSaved(t *testing.T, pattern string) *SavedReader {
	t.Helper()
	r, err := OpenSaved(nil, Heap, pattern)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func expectSaved(t *testing.T, r *SavedReader, name, spec, want string) {
	t.Helper()
	var s Slice
	if spec != "" {
		var err error
		if _, s, err = ParseSpec(spec); err != nil {
			t.Fatal(err)
		}
	}
	v, err := r.Read(name, s)
	if err != nil {
		t.Errorf("%s %s: %v", name, spec, err)
		return
	}
	if err := tensor.Compare(v.Tensor(), mustParse(t, v.DType(), want).Tensor(), tensor.Tolerance{Exact: true}); err != nil {
		t.Errorf("%s %s: %v", name, spec, err)
	}
}

// What TensorFlow wrote is read, and written again it is the same file but for its
// index.
func TestSavedTypes(t *testing.T) {
	r := openSaved(t, "testdata/first")
	w := NewSavedWriter()
	types := 0
	for name, saved := range r.tensors {
		switch name {
		case "bool":
			expectSaved(t, r, name, "", "[true,false,true]")
		case "strings":
			expectSaved(t, r, name, "", `["a","","\xff\x00bc"]`)
		case "scalar":
			expectSaved(t, r, name, "", "2.5")
		case "empty":
			if !cmp.Equal(saved.Shape, []int64{0, 3}) {
				t.Errorf("%s has the shape %v", name, saved.Shape)
			}
		default:
			types++
			want := "[[0,1,2],[3,4,5]]"
			if dt := saved.DType; dt == tensor.Int8 || dt == tensor.Int16 || dt == tensor.Int32 || dt == tensor.Int64 {
				want = "[[-3,-2,-1],[0,1,2]]"
			}
			expectSaved(t, r, name, "", want)
			if dt, ok := tensor.ParseDType(name); !ok || saved.DType != dt {
				t.Errorf("%s is of type %v", name, saved.DType)
			}
		}
		v, err := r.Read(name, nil)
		if err == nil {
			err = w.Add(name, saved.Shape, nil, v)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if types != 10 {
		t.Errorf("%d types", types)
	}
	written := filepath.Join(t.TempDir(), "first")
	if err := w.Finish(nil, written, goOn); err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("testdata/first")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(beforeIndex(t, ours), beforeIndex(t, theirs)) {
		t.Errorf("%d bytes differ from TensorFlow's %d", len(ours), len(theirs))
	}
}

// beforeIndex returns a table but for the index, whose keys may be any between those of
// two blocks.
func beforeIndex(t *testing.T, file []byte) []byte {
	t.Helper()
	_, rest, err := parseHandle(file[len(file)-footerSize:])
	if err != nil {
		t.Fatal(err)
	}
	index, _, err := parseHandle(rest)
	if err != nil {
		t.Fatal(err)
	}
	return file[:index.at]
}

func TestSavedSlices(t *testing.T) {
	r := openSaved(t, "testdata/slices-*")
	expectSaved(t, r, "w", "", "[[0,1,2,3,4],[5,6,7,8,9],[10,11,12,13,14],[15,16,17,18,19]]")
	expectSaved(t, r, "w", "4 5 1,3:1,3", "[[6,7,8],[11,12,13],[16,17,18]]")
	expectSaved(t, r, "u", "6 1,1", "[2]")
	for name, want := range map[string]status.Code{"u": status.InvalidArgument, "none": status.NotFound} {
		if _, err := r.Read(name, nil); status.CodeOf(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := openSaved(t, "testdata/slices-0")
	if _, err := one.Read("w", nil); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a part was taken for all: %v", err)
	}
	if _, err := OpenSaved(nil, Heap, "testdata/none*"); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if _, err := OpenSaved(nil, Heap, "testdata/record.py"); status.CodeOf(err) != status.DataLoss {
		t.Error(err)
	}
}

func TestSavedWriterRefuses(t *testing.T) {
	w := NewSavedWriter()
	shape, left := []int64{2, 2}, Slice{{0, Whole}, {0, 1}}
	column := mustParse(t, tensor.Int32, "[[1],[2]]")
	if err := w.Add("m", shape, left, column); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"again":         w.Add("m", shape, left, column),
		"another type":  w.Add("m", shape, Slice{{0, Whole}, {1, 1}}, mustParse(t, tensor.Float, "[[1],[2]]")),
		"another shape": w.Add("m", []int64{2, 3}, Slice{{0, Whole}, {1, 1}}, column),
		"misfit":        w.Add("x", shape, nil, column),
	} {
		if status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Add("b", []int64{}, nil, mustParse(t, tensor.Bfloat16, "1")); status.CodeOf(err) != status.Unimplemented {
		t.Error(err)
	}
}

// A file is read without trust: whatever is in it, nothing panics, and no tensor
// has more elements than the file has values.
func FuzzSaved(f *testing.F) {
	for _, name := range []string{"first", "slices-0", "slices-1"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b) // which is the fuzzer's
		reseal(b)
		table, err := parseTable(b)
		if err != nil {
			return
		}
		_ = table.each(func(key, value []byte) error {
			if len(key) == 0 {
				return parseMeta(value, func(name string, t *SavedTensor, slices []Slice) error {
					for _, s := range slices {
						_, _, _ = table.lookup(s.key(name))
					}
					return nil
				})
			}
			data, err := values(value)
			if err != nil {
				return nil
			}
			n, err := countValues(data)
			if err != nil {
				return nil
			}
			for _, dt := range []tensor.DType{tensor.Float, tensor.Int64, tensor.String, tensor.Complex64} {
				if v, err := decode(data, dt, []int64{int64(n)}); err == nil && v.NumElements() > len(data) {
					t.Errorf("%d elements of %d bytes", v.NumElements(), len(data))
				}
			}
			return nil
		})
	})
}
