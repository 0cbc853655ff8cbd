package io_test

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func text(x any) *tensor.Tensor {
	t, err := tensor.NewTensor(x)
	if err != nil {
		panic(err)
	}
	return t
}

func types(dts ...tensor.DType) registry.Attrs {
	var list []registry.AttrValue
	for _, dt := range dts {
		list = append(list, registry.TypeAttr(dt))
	}
	return registry.Attrs{{Name: "dtypes", Value: registry.ListAttr(registry.KindType, list...)}}
}

func restore(prefix, names, specs any, dts ...tensor.DType) ([]*tensor.Tensor, error) {
	return kerneltest.Run("RestoreV2", types(dts...), text(prefix), text(names), text(specs))
}

func numbers(t *tensor.Tensor) []uint32 {
	x, err := tensor.Data[uint32](t)
	if err != nil {
		panic(err)
	}
	return x
}

func failsWith(t *testing.T, what string, err error, code status.Code, message string) {
	t.Helper()
	if status.CodeOf(err) != code || !strings.Contains(status.From(err).Message, message) {
		t.Errorf("%s: %v, want %v: %s", what, err, code, message)
	}
}

// The messages are TensorFlow's.
func TestRestore(t *testing.T) {
	const parts = "bundle/testdata/parts"
	out, err := restore(parts, []string{"w", "whole", "whole"}, []string{"4 5 1,3:1,3", "", "3 1,2"}, tensor.Float, tensor.Int32, tensor.Int32)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[][]float32{{6, 7, 8}, {11, 12, 13}, {16, 17, 18}}, []int32{1, 2, 3}, []int32{2, 3}}
	for i, o := range out {
		if diff := cmp.Diff(want[i], o.Value()); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
	for _, c := range []struct {
		what                 string
		prefix, names, specs any
		dts                  []tensor.DType
		code                 status.Code
		message              string
	}{
		{"types", parts, []string{"w", "whole"}, []string{"", ""}, []tensor.DType{tensor.Int32, tensor.Float}, status.InvalidArgument,
			"tensor_name = w; expected dtype int32 does not equal original dtype float\ntensor_name = whole; expected dtype float does not equal original dtype int32"},
		{"a name", parts, []string{"w", "nope"}, []string{"", ""}, []tensor.DType{tensor.Float, tensor.Float}, status.NotFound, "Key nope not found in checkpoint"},
		{"no file", "none", []string{"w"}, []string{""}, []tensor.DType{tensor.Float}, status.NotFound,
			"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for none"},
		{"a slice's shape", parts, []string{"whole"}, []string{"4 1,2"}, []tensor.DType{tensor.Int32}, status.InvalidArgument,
			"tensor_name = whole; shape in shape_and_slice spec [4] does not match the shape stored in checkpoint: [3]"},
		{"parts", parts, []string{"u"}, []string{""}, []tensor.DType{tensor.Int64}, status.InvalidArgument,
			"Does not have sufficient slices for partitioned tensor u to restore in slice_spec: -"},
		{"prefixes", []string{parts, parts}, []string{"w"}, []string{""}, []tensor.DType{tensor.Float}, status.InvalidArgument,
			"Input prefix should have a single element, got 2 instead."},
		{"a matrix", parts, [][]string{{"w"}}, [][]string{{""}}, []tensor.DType{tensor.Float}, status.InvalidArgument,
			"Input tensor_names and shape_and_slices should be an 1-D tensors, got [1,1] and [1,1] instead."},
		{"lengths", parts, []string{"w"}, []string{"", ""}, []tensor.DType{tensor.Float}, status.InvalidArgument,
			"tensor_names and shape_and_slices have different number of elements: 1 vs. 2"},
		{"numbers", parts, []string{"w"}, []string{""}, []tensor.DType{tensor.Float, tensor.Float}, status.InvalidArgument,
			"Got 1 tensor names, but 2 expected dtypes."},
	} {
		_, err := restore(c.prefix, c.names, c.specs, c.dts...)
		failsWith(t, c.what, err, c.code, c.message)
	}
}

// What is saved twice is in memory once, and nothing else is: a type, a shape and a sum that
// are equal do not make tensors equal.
func TestRestoreShares(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	data := func(change ...uint32) *tensor.Tensor {
		x := make([]uint32, 100_000)
		for i := range x {
			x[i] = uint32(i)
		}
		for i, c := range change {
			x[i] ^= c
		}
		return text(x)
	}
	// A multiple of the polynomial, which does not change the sum.
	polynomial := uint64(crc32.Castagnoli)<<1 | 1
	alike := data(uint32(polynomial), uint32(polynomial>>32))
	rows := data()
	if err := rows.Reshape([]int64{100, 1000}); err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "d", "e", "f"}
	blank := make([]string, len(names))
	saved := []*tensor.Tensor{data(), data(1), data(), rows, data(), alike}
	all := slices.Repeat([]tensor.DType{tensor.Uint32}, len(names))
	if _, err := kerneltest.Run("SaveV2", types(all...), append([]*tensor.Tensor{text(prefix), text(names), text(blank)}, saved...)...); err != nil {
		t.Fatal(err)
	}
	out, err := restore(prefix, append(names, "a"), append(blank, "100000 1,2"), append(all, tensor.Uint32)...)
	if err != nil {
		t.Fatal(err)
	}
	memory := map[*uint32][]string{}
	for i, o := range out[:len(names)] {
		if !slices.Equal(o.Shape(), saved[i].Shape()) || !slices.Equal(numbers(o), numbers(saved[i])) {
			t.Errorf("%s is not what was saved", names[i])
		}
		first := &numbers(o)[0]
		memory[first] = append(memory[first], names[i])
	}
	if together := memory[&numbers(out[0])[0]]; len(memory) != 4 || !slices.Equal(together, []string{"a", "c", "e"}) {
		t.Errorf("%d pieces of memory, one of them of %v", len(memory), together)
	}
	if diff := cmp.Diff([]uint32{1, 2}, out[len(names)].Value()); diff != "" {
		t.Error(diff)
	}

	// Where the file has ended meanwhile, the error is that of reading.
	file := prefix + ".data-00000-of-00001"
	if err := os.Truncate(file, 1_000_000); err != nil {
		t.Fatal(err)
	}
	_, err = restore(prefix, names, blank, all...)
	failsWith(t, "a short file", err, status.OutOfRange, "Read less bytes than requested")
}

func TestRestoreKeepsToTheLimit(t *testing.T) {
	r := kerneltest.Runner{Limit: 64}
	_, err := r.Run("r", "RestoreV2", types(tensor.Float), text("bundle/testdata/parts"), text([]string{"w"}), text([]string{""}))
	failsWith(t, "80 bytes", err, status.ResourceExhausted, "")
}

func TestSaveAndMerge(t *testing.T) {
	dir := t.TempDir()
	save := func(prefix any, names, specs any, x ...*tensor.Tensor) error {
		var dts []tensor.DType
		for _, x := range x {
			dts = append(dts, x.DType())
		}
		_, err := kerneltest.Run("SaveV2", types(dts...), append([]*tensor.Tensor{text(prefix), text(names), text(specs)}, x...)...)
		return err
	}
	one, two := filepath.Join(dir, "tmp", "one"), filepath.Join(dir, "tmp", "two")
	if err := save(one, []string{"a", "s"}, []string{"4 0,2", ""}, text([]int32{1, 2}), text("x")); err != nil {
		t.Fatal(err)
	}
	if err := save(two, []string{"a"}, []string{"4 2,2"}, text([]int32{3, 4})); err != nil {
		t.Fatal(err)
	}
	three := []int32{1, 2, 3}
	failsWith(t, "twice", save(one, []string{"b", "b"}, []string{"", ""}, text(three), text(three)), status.InvalidArgument, "Adding duplicate key: b")
	failsWith(t, "slice", save(one, []string{"b"}, []string{"4 0,2"}, text(three)), status.InvalidArgument,
		"Slice in shape_and_slice specification does not match the shape of the tensor to  save: 4 0,2, tensor: [3]")
	failsWith(t, "folder", save(filepath.Join(dir, "no", "such", "x"), []string{"b"}, []string{""}, text(three)), status.NotFound,
		filepath.Join(dir, "no", "such")+"; No such file or directory")

	merged := filepath.Join(dir, "merged")
	if _, err := kerneltest.Run("MergeV2Checkpoints", nil, text([]string{one, two}), text(merged)); err != nil {
		t.Fatal(err)
	}
	out, err := restore(merged, []string{"a", "s"}, []string{"", ""}, tensor.Int32, tensor.String)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]int32{1, 2, 3, 4}, "x"}, []any{out[0].Value(), out[1].Value()}); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "tmp")); !os.IsNotExist(err) {
		t.Errorf("the empty folder is still there: %v", err)
	}
	_, err = kerneltest.Run("MergeV2Checkpoints", nil, text([]string{one}), text(merged))
	failsWith(t, "missing", err, status.InvalidArgument, "allow_missing_files was set to false and "+one+" did not exist.")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "n1", "n2", "f")
	run := func(op string, in ...*tensor.Tensor) (any, error) {
		out, err := kerneltest.Run(op, nil, in...)
		if err != nil || len(out) == 0 {
			return nil, err
		}
		return out[0].Value(), nil
	}
	if _, err := run("WriteFile", text(name), text("a\x00b")); err != nil {
		t.Fatal(err)
	}
	if got, err := run("ReadFile", text(name)); got != "a\x00b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, c := range []struct {
		op      string
		in      []*tensor.Tensor
		code    status.Code
		message string
	}{
		{"ReadFile", []*tensor.Tensor{text(name + "x")}, status.NotFound, name + "x; No such file or directory"},
		{"ReadFile", []*tensor.Tensor{text(dir)}, status.FailedPrecondition, dir + "; Is a directory"},
		{"ReadFile", []*tensor.Tensor{text("")}, status.NotFound, "; No such file or directory"},
		{"ReadFile", []*tensor.Tensor{text([]string{"a"})}, status.InvalidArgument, "Input filename tensor must be scalar, but had shape: [1]"},
		{"WriteFile", []*tensor.Tensor{text(dir), text("")}, status.FailedPrecondition, dir + "; Is a directory"},
		{"WriteFile", []*tensor.Tensor{text(""), text("")}, status.NotFound, "; No such file or directory"},
		{"WriteFile", []*tensor.Tensor{text(name + "/g"), text("")}, status.FailedPrecondition, "; Not a directory"},
		{"WriteFile", []*tensor.Tensor{text("a"), text([]string{""})}, status.InvalidArgument, "Contents tensor must be scalar, but had shape: [1]"},
		{"MatchingFiles", []*tensor.Tensor{text([][]string{{"a"}})}, status.InvalidArgument, "Input patterns tensor must be scalar or vector, but had shape: [1,1]"},
		{"ShardedFilename", []*tensor.Tensor{text([]string{"b"}), text(int32(1)), text(int32(1))}, status.InvalidArgument, "basename must be a scalar, got shape [1]"},
		{"ShardedFilespec", []*tensor.Tensor{text("b"), text([]int32{1})}, status.InvalidArgument, "num_shards must be a scalar, got shape [1]"},
	} {
		_, err := run(c.op, c.in...)
		failsWith(t, c.op, err, c.code, c.message)
	}
	for _, c := range []struct {
		shard, shards int32
		name, spec    string
	}{{2, 10, "b-00002-of-00010", "b-?????-of-00010"}, {-2, 123456, "b--0002-of-123456", "b-?????-of-123456"}} {
		name, err := run("ShardedFilename", text("b"), text(c.shard), text(c.shards))
		spec, err2 := run("ShardedFilespec", text("b"), text(c.shards))
		if name != c.name || spec != c.spec || err != nil || err2 != nil {
			t.Errorf("%v, %v, %v, %v", name, spec, err, err2)
		}
	}
}

// What TensorFlow finds with these patterns among these files.
func TestMatchingFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a1", "a2", "ab", "b[1]", ".hid", "n2/f", "n3/z"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"a*"}, "a1 a2 ab"},
		{[]string{"a?"}, "a1 a2 ab"},
		{[]string{"*"}, ".hid a1 a2 ab b[1] n2 n3"},
		{[]string{"n*/f"}, "n2/f"},
		{[]string{"[a-b]1"}, "a1"},
		{[]string{"[!a]*"}, ".hid b[1] n2 n3"},
		{[]string{"[^a]*"}, ".hid b[1] n2 n3"},
		{[]string{`b\[1\]`}, "b[1]"},
		{[]string{"zz*"}, ""},
		{[]string{"[a"}, ""},
		{[]string{"b*", "a*", "a1"}, "a1 a1 a2 ab b[1]"},
	} {
		var patterns []string
		for _, p := range c.patterns {
			patterns = append(patterns, dir+"/"+p)
		}
		out, err := kerneltest.Run("MatchingFiles", nil, text(patterns))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Data[string](out[0])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.ReplaceAll(strings.Join(got, " "), dir+"/", ""); text != c.want {
			t.Errorf("%v: %s, want %s", c.patterns, text, c.want)
		}
	}
}
