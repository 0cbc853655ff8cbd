package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

func mustOpen(t *testing.T, prefix string) *Reader {
	t.Helper()
	r, err := Open(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func expect(t *testing.T, r *Reader, name, spec, want string) {
	t.Helper()
	var s Slice
	if spec != "" {
		var err error
		if _, s, err = ParseSpec(spec); err != nil {
			t.Fatal(err)
		}
	}
	v, err := r.Read(Heap, name, s)
	if err != nil {
		t.Errorf("%s %s: %v", name, spec, err)
		return
	}
	w, err := literal.Parse(want, v.DType())
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.Compare(v.Tensor(), w, tensor.Tolerance{Exact: true}); err != nil {
		t.Errorf("%s %s: %v", name, spec, err)
	}
}

// The files were written by TensorFlow: testdata/record.py.
func TestTypes(t *testing.T) {
	r := mustOpen(t, "testdata/types")
	names, err := r.Names()
	if err != nil {
		t.Fatal(err)
	}
	types := 0
	for _, name := range names {
		short, ok := strings.CutPrefix(name, "type/")
		if !ok {
			continue
		}
		types++
		want := "[[0,1,2],[3,4,5]]"
		if short == "bool" {
			want = "[[true,false,true],[true,true,false]]"
		}
		expect(t, r, name, "", want)
		e, err := r.Entry(name)
		if dt, ok := tensor.ParseDType(short); err != nil || !ok || e.DType != dt {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	if types != 22 {
		t.Errorf("%d types", types)
	}
	expect(t, r, "scalar", "", "2.5")
	expect(t, r, "strings", "", `[["a","","bcd"],["\xff\x00","`+strings.Repeat("e", 200)+`","f"]]`)
	expect(t, r, "strings", "2 3 -:1,2", `[["","bcd"],["`+strings.Repeat("e", 200)+`","f"]]`)
	expect(t, r, "longstring", "", strings.Repeat("x", 300))
	for name, shape := range map[string][]int64{"empty": {0, 3}, "emptystrings": {0}} {
		if v, err := r.Read(Heap, name, nil); err != nil || !cmp.Equal(v.Dims(), shape) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

func TestParts(t *testing.T) {
	r := mustOpen(t, "testdata/parts")
	names, err := r.Names()
	if diff := cmp.Diff([]string{"u", "w", "whole"}, names); err != nil || diff != "" {
		t.Errorf("%s, %v", diff, err)
	}
	expect(t, r, "w", "", "[[0,1,2,3,4],[5,6,7,8,9],[10,11,12,13,14],[15,16,17,18,19]]")
	expect(t, r, "w", "4 5 1,3:1,3", "[[6,7,8],[11,12,13],[16,17,18]]")
	expect(t, r, "w", "4 5 0,3:0,2", "[[0,1],[5,6],[10,11]]") // just a part
	expect(t, r, "w", "4 5 3,1:2,1", "[[17]]")
	expect(t, r, "whole", "3 1,2", "[2,3]")
	expect(t, r, "whole", "3 -", "[1,2,3]")
	expect(t, r, "u", "6 1,1", "[2]")
	for _, c := range []struct {
		name string
		s    Slice
		code status.Code
		text string
	}{
		{"u", nil, status.InvalidArgument, "Does not have sufficient slices for partitioned tensor u to restore in slice_spec: -"},
		{"u", Slice{{1, 2}}, status.InvalidArgument, "Does not have sufficient slices for partitioned tensor u to restore in slice_spec: 1,2"},
		{"nope", nil, status.NotFound, "Key nope not found in checkpoint"},
		{"", nil, status.NotFound, "Key  not found in checkpoint"},
		{"w", Slice{{0, 5}, {0, 1}}, status.Internal, "Extent in dimension 0 out of bounds: shape = [4,5], slice = 0,5:0,1"},
	} {
		_, err := r.Read(Heap, c.name, c.s)
		if status.CodeOf(err) != c.code || status.From(err).Message != c.text {
			t.Errorf("%q %v: %v", c.name, c.s, err)
		}
	}
}

func TestManyKeys(t *testing.T) {
	r := mustOpen(t, "testdata/many")
	names, err := r.Names()
	if err != nil || len(names) != 100 {
		t.Fatalf("%d names, %v", len(names), err)
	}
	for _, name := range names {
		n := strings.Split(name, "/")[1]
		expect(t, r, name, "", n)
		if _, err := r.Entry(name + "x"); status.CodeOf(err) != status.NotFound {
			t.Errorf("%sx: %v", name, err)
		}
	}
}

func TestSpecs(t *testing.T) {
	for spec, want := range map[string]string{ // what TensorFlow says
		"3":       "INVALID_ARGUMENT: Need least two elements in shape_and_slice specification: 3",
		"3 4":     "INVALID_ARGUMENT: Expected a pair of numbers or '-' but got '4': string = 4",
		"3 1,5":   "INTERNAL: Extent in dimension 0 out of bounds: shape = [3], slice = 1,5",
		"a 1,2":   "INVALID_ARGUMENT: Non numerical dimension in shape_and_slice: a 1,2",
		"3 x,2":   "INVALID_ARGUMENT: Expected a pair of numbers or '-' but got 'x,2': string = x,2",
		"3 1,2 ":  "INVALID_ARGUMENT: Non numerical dimension in shape_and_slice: 3 1,2 ",
		"3 3 1,2": "INTERNAL: Mismatching ranks: shape = [3,3], slice = 1,2",
		"3 -1,2":  "INVALID_ARGUMENT: Expected non-negative start and positive length but got start = -1, length = 2: string = -1,2",
		"3 0,0":   "INVALID_ARGUMENT: Expected non-negative start and positive length but got start = 0, length = 0: string = 0,0",
		"3 -:-":   "INTERNAL: Mismatching ranks: shape = [3], slice = -:-",
		"3 4,1":   "INTERNAL: Extent in dimension 0 out of bounds: shape = [3], slice = 4,1",
	} {
		if _, _, err := ParseSpec(spec); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", spec, err, want)
		}
	}
}

// copyFiles copies a checkpoint into a directory of its own.
func copyFiles(t *testing.T, prefix string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(prefix + ".*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.Base(prefix))
}

// Any flipped bit is found, in the index and in the data, save in the zeros that
// pad the footer.
func TestDamage(t *testing.T) {
	prefix := copyFiles(t, "testdata/parts")
	for _, name := range []string{IndexName(prefix), DataName(prefix, 0, 2), DataName(prefix, 1, 2)} {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range whole {
			b := bytes.Clone(whole)
			b[i] ^= 1
			if err := os.WriteFile(name, b, 0o666); err != nil {
				t.Fatal(err)
			}
			err := readAll(prefix)
			if padding := name == IndexName(prefix) && i < len(whole)-8 && len(bytes.Trim(whole[i:len(whole)-8], "\x00")) == 0; padding {
				continue
			}
			if code := status.CodeOf(err); code != status.DataLoss && code != status.Unimplemented {
				t.Errorf("%s, byte %d of %d: %v", name, i, len(b), err)
			}
		}
		for n := range len(whole) {
			if err := os.WriteFile(name, whole[:n], 0o666); err != nil {
				t.Fatal(err)
			}
			if code := status.CodeOf(readAll(prefix)); code != status.DataLoss && code != status.OutOfRange {
				t.Errorf("%s, %d of %d bytes: %v", name, n, len(whole), code)
			}
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := readAll(prefix); status.CodeOf(err) != status.NotFound {
			t.Errorf("%s is missing: %v", name, err)
		}
		if err := os.WriteFile(name, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func readAll(prefix string) error {
	r, err := Open(nil, prefix)
	if err != nil {
		return err
	}
	defer r.Close()
	names, err := r.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		var s Slice
		if name == "u" {
			s = Slice{{0, 2}}
		}
		if _, err := r.Read(Heap, name, s); err != nil {
			return err
		}
	}
	return nil
}
