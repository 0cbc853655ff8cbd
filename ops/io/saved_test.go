package io_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func restoreOld(op string, dt tensor.DType, in ...any) (*tensor.Tensor, error) {
	var args []*tensor.Tensor
	for _, x := range in {
		args = append(args, text(x))
	}
	out, err := kerneltest.Run(op, registry.Attrs{{Name: "dt", Value: registry.TypeAttr(dt)}}, args...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// The messages are TensorFlow's.
func TestRestoreFirstFormat(t *testing.T) {
	const slices, first = "bundle/testdata/slices-*", "bundle/testdata/first"
	out, err := restoreOld("RestoreSlice", tensor.Float, slices, "w", "4 5 1,3:1,3")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{6, 7, 8}, {11, 12, 13}, {16, 17, 18}}, out.Value()); diff != "" {
		t.Error(diff)
	}
	if out, err = restoreOld("Restore", tensor.Float, first, "scalar"); err != nil || out.Value() != float32(2.5) {
		t.Errorf("%v, %v", out, err)
	}
	for _, c := range []struct {
		what, op string
		dt       tensor.DType
		in       []any
		code     status.Code
		message  string
	}{
		{"a name", "Restore", tensor.Float, []any{first, "zz"}, status.NotFound, `Tensor name "zz" not found in checkpoint files ` + first},
		{"a file", "Restore", tensor.Float, []any{"none", "w"}, status.NotFound, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for none"},
		{"a type", "Restore", tensor.Int32, []any{slices, "w"}, status.InvalidArgument, "Expected to restore a tensor of type int32, got a tensor of type float instead: tensor_name = w"},
		{"a shape", "RestoreSlice", tensor.Float, []any{slices, "w", "4 6 1,2:1,3"}, status.InvalidArgument,
			"Shape in shape_and_slice spec does not match the shape in the save file: [4,6], save file shape: [4,5]"},
		{"two names", "Restore", tensor.Float, []any{slices, []string{"a", "b"}}, status.InvalidArgument, "Input 1 (tensor_name) must be a string scalar; got a tensor of 2 elements"},
	} {
		_, err := restoreOld(c.op, c.dt, c.in...)
		failsWith(t, c.what, err, c.code, c.message)
	}
}

// RestoreV2 finds a checkpoint of the first format where there is none of the
// second.
func TestRestoreV2OfFirstFormat(t *testing.T) {
	out, err := restore("bundle/testdata/slices-*", []string{"w", "u"}, []string{"4 5 3,1:-", "6 0,2"}, tensor.Float, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []any{[][]float32{{15, 16, 17, 18, 19}}, []int64{1, 2}} {
		if diff := cmp.Diff(want, out[i].Value()); diff != "" {
			t.Error(diff)
		}
	}
	_, err = restore("bundle/testdata/first", []string{"nope"}, []string{""}, tensor.Float)
	failsWith(t, "a name", err, status.NotFound, `Tensor name "nope" not found in checkpoint files`)
}

func TestSaveFirstFormat(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model")
	both := registry.Attrs{{Name: "T", Value: registry.ListAttr(registry.KindType, registry.TypeAttr(tensor.Float), registry.TypeAttr(tensor.String))}}
	if _, err := kerneltest.Run("SaveSlices", both, text(name), text([]string{"w", "s"}), text([]string{"2 2 -:0,1", ""}), text([][]float32{{1}, {2}}), text("abc")); err != nil {
		t.Fatal(err)
	}
	if out, err := restoreOld("Restore", tensor.String, name, "s"); err != nil || out.Value() != "abc" {
		t.Errorf("%v, %v", out, err)
	}
	if _, err := restoreOld("Restore", tensor.Float, name, "w"); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("what was not saved is restored: %v", err)
	}
	one := registry.Attrs{{Name: "T", Value: registry.ListAttr(registry.KindType, registry.TypeAttr(tensor.Float))}}
	_, err := kerneltest.Run("Save", one, text(name), text([]string{"a", "b"}), text(float32(1)))
	failsWith(t, "names", err, status.InvalidArgument, "Expected totally 4 inputs as input #1 (which is a string tensor of saved names) contains 2 names, but received 3 inputs")
	_, err = kerneltest.Run("Save", one, text([]string{name, name}), text([]string{"a"}), text(float32(1)))
	failsWith(t, "two files", err, status.InvalidArgument, "Input 0 (filename) must be a string scalar; got a tensor of 2 elements")
}
