package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

func mustParse(t *testing.T, dt tensor.DType, text string) tensor.Value {
	t.Helper()
	x, err := literal.Parse(text, dt)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(x)
}

// What TensorFlow wrote, written again, has the same data file, and all in it is
// found again.
func TestWriteAsTensorFlow(t *testing.T) {
	for _, name := range []string{"types", "many"} {
		in := mustOpen(t, "testdata/"+name)
		names, err := in.Names()
		if err != nil {
			t.Fatal(err)
		}
		prefix := filepath.Join(t.TempDir(), "sub", name)
		w, err := Create(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		order := map[int64]string{} // that of the file, in which empty tensors come anywhere
		var empty []string
		for _, n := range names {
			e, err := in.Entry(n)
			if err != nil {
				t.Fatal(err)
			}
			if e.size == 0 {
				empty = append(empty, n)
				continue
			}
			order[e.offset] = n
		}
		var end int64
		for i := int64(0); ; {
			n, ok := order[i]
			if !ok {
				end = i
				break
			}
			e, _ := in.Entry(n)
			i += e.size
			add(t, w, in, n)
		}
		for _, n := range empty {
			add(t, w, in, n)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(DataName("testdata/"+name, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := os.ReadFile(DataName(prefix, 0, 1))
		if err != nil || !bytes.Equal(ours, theirs) || int64(len(ours)) != end {
			t.Errorf("%s: data of %d bytes differs from TensorFlow's %d, %v", name, len(ours), len(theirs), err)
		}
		out := mustOpen(t, prefix)
		for _, n := range names {
			want, _ := in.Entry(n)
			got, err := out.Entry(n)
			if err != nil || got.crc != want.crc || got.size != want.size || got.DType != want.DType || !cmp.Equal(got.Shape, want.Shape) {
				t.Errorf("%s %s: %+v, want %+v, %v", name, n, got, want, err)
			}
		}
		if left, err := filepath.Glob(prefix + "*.temp*"); len(left) > 0 {
			t.Error(left, err)
		}
	}
}

func add(t *testing.T, w *Writer, from *Reader, name string) {
	t.Helper()
	v, err := from.Read(Heap, name, nil)
	if err == nil {
		err = w.Add(name, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestWriteSlices(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "p")
	w, err := Create(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	shape := []int64{2, 3}
	left, right := Slice{{0, Whole}, {0, 1}}, Slice{{0, Whole}, {1, 2}}
	if err := w.AddSlice("m", shape, right, mustParse(t, tensor.String, `[["b","c"],["e","f"]]`)); err != nil {
		t.Fatal(err)
	}
	if err := w.AddSlice("m", shape, left, mustParse(t, tensor.String, `[["a"],["d"]]`)); err != nil {
		t.Fatal(err)
	}
	if err := w.AddSlice("full", []int64{2}, Slice{{0, 2}}, mustParse(t, tensor.Int32, `[1,2]`)); err != nil {
		t.Fatal(err)
	}
	one := mustParse(t, tensor.Int32, "[[1]]")
	for what, err := range map[string]error{
		"another type":  w.AddSlice("m", shape, Slice{{0, 1}, {0, 1}}, one),
		"another shape": w.AddSlice("m", []int64{1, 1}, Slice{{0, 1}, {0, 1}}, mustParse(t, tensor.String, `[["a"]]`)),
		"overlap":       w.AddSlice("m", shape, Slice{{0, 1}, {0, 1}}, mustParse(t, tensor.String, `[["a"]]`)),
		"again":         w.Add("m", one),
		"whole again":   w.Add("full", one),
		"part of whole": w.AddSlice("full", []int64{2, 2}, Slice{{0, 1}, {0, 1}}, one),
		"no name":       w.Add("", one),
		"misfit":        w.AddSlice("x", shape, left, one),
	} {
		if status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, prefix)
	expect(t, r, "m", "", `[["a","b","c"],["d","e","f"]]`)
	expect(t, r, "m", "2 3 1,1:0,2", `[["d","e"]]`)
	expect(t, r, "full", "", "[1,2]")
}

func TestMerge(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(prefix, name, text string) {
		t.Helper()
		w, err := Create(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(name, mustParse(t, tensor.Int32, text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	write(at("a"), "x", "1")
	write(at("b"), "x", "2")
	write(at("c"), "y", "[3,4]")
	for _, c := range []struct {
		prefixes []string
		allow    bool
		text     string
	}{
		{[]string{at("a"), at("b")}, false, "Duplicate tensor keyed by x encountered, when merging prefix: " + at("b")},
		{[]string{at("a"), at("none")}, false, "allow_missing_files was set to false and " + at("none") + " did not exist."},
		{[]string{at("none")}, true, "At least one prefix checkpoint file must exist, but none existed."},
	} {
		if err := Merge(nil, c.prefixes, at("m"), c.allow); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v", c.prefixes, err)
		}
	}
	parts := copyFiles(t, "testdata/parts")
	if err := Merge(nil, []string{at("a"), at("none"), at("c"), parts}, at("m"), true); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, at("m"))
	expect(t, r, "x", "", "1")
	expect(t, r, "y", "", "[3,4]")
	expect(t, r, "w", "4 5 1,3:1,3", "[[6,7,8],[11,12,13],[16,17,18]]")
	if _, err := Open(nil, at("a")); status.CodeOf(err) != status.NotFound {
		t.Errorf("what was merged is still there: %v", err)
	}
}

// What is merged is not overwritten by what comes before it.
func TestMergeOntoItself(t *testing.T) {
	parts := copyFiles(t, "testdata/parts") // two data files
	other := filepath.Join(filepath.Dir(parts), "other")
	if err := Merge(nil, []string{parts}, other, false); err != nil {
		t.Fatal(err)
	}
	table, shards, err := openIndex(nil, IndexName(other))
	if err != nil {
		t.Fatal(err)
	}
	swapped := map[string]*Entry{}
	if err := table.each(func(key, value []byte) error {
		if len(key) == 0 {
			return nil
		}
		e, err := parseEntry(value, shards)
		if err == nil {
			e.shard = 1 - e.shard // the first that is met is the second file
			swapped[string(key)] = e
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]int{{0, 9}, {1, 0}, {9, 1}} {
		if err := os.Rename(DataName(other, names[0], 2), DataName(other, names[1], 2)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := writeIndex(nil, other, 2, swapped); err != nil {
		t.Fatal(err)
	}
	if err := Merge(nil, []string{other}, other, false); err != nil {
		t.Fatal(err)
	}
	expect(t, mustOpen(t, other), "w", "4 5 1,3:1,3", "[[6,7,8],[11,12,13],[16,17,18]]")
}

// A table finds what was put into it, in as many blocks as it takes.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 3000).Draw(t, "n")
		size := rapid.IntRange(0, 600).Draw(t, "size")
		key := func(i int) []byte { return fmt.Appendf(nil, "key/%06d", 2*i) }
		value := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), size) }
		var w tableWriter
		for i := range n {
			w.add(key(i), []byte(value(i)))
		}
		table, err := parseTable(w.finish())
		if err != nil {
			t.Fatal(err)
		}
		for range min(n, 50) {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			if v, ok, err := table.lookup(key(i)); string(v) != value(i) || !ok || err != nil {
				t.Fatalf("%s: %q, %v, %v", key(i), v, ok, err)
			}
			if _, ok, err := table.lookup(fmt.Appendf(nil, "key/%06d", 2*i+1)); ok || err != nil {
				t.Fatalf("a key behind %s: %v, %v", key(i), ok, err)
			}
		}
		i := 0
		err = table.each(func(k, v []byte) error {
			if string(k) != string(key(i)) || string(v) != value(i) {
				t.Fatalf("entry %d is %q, %q", i, k, v)
			}
			i++
			return nil
		})
		if err != nil || i != n {
			t.Fatalf("%d of %d entries, %v", i, n, err)
		}
	})
}

// Keys of parts are in the order of what they stand for.
func TestSliceKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		ka, kb := appendOrderedSigned(nil, a), appendOrderedSigned(nil, b)
		if c := bytes.Compare(ka, kb); (a < b) != (c < 0) || (a == b) != (c == 0) {
			t.Fatalf("%d is % x, %d is % x", a, ka, b, kb)
		}
	})
	for x, want := range map[int64]string{ // 7 bits fit into one byte, the sign included
		0: "\x80", -1: "\x7f", 63: "\xbf", 64: "\xc0\x40", -64: "\x40", -65: "\x3f\xbf",
	} {
		if got := appendOrderedSigned(nil, x); string(got) != want {
			t.Errorf("%d is % x, want % x", x, got, want)
		}
	}
}
