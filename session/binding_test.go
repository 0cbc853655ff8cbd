package session_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/session"
)

// What the tests of TensorFlow's Go binding check of sessions and graphs.

func fetchOne(t *testing.T, b builder, feeds map[session.Output]*session.Tensor, y session.Output) any {
	t.Helper()
	out, err := b.open(nil).Run(feeds, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Value()
}

func TestTwentyInputs(t *testing.T) {
	b := build(t)
	feeds := map[session.Output]*session.Tensor{}
	var terms session.OutputList
	want := int64(0)
	for i := range int64(20) {
		name := string(rune('a' + i))
		x := b.placeholder(name, session.Int64)
		feeds[x] = tensorOf(t, i)
		terms = append(terms, b.add("Mul", name+"_times", nil, x, b.constant(name+"_factor", 3*i)).Output(0))
		want += 3 * i * i
	}
	if got := fetchOne(t, b, feeds, b.add("AddN", "sum", nil, terms).Output(0)); got != want {
		t.Errorf("got %v, want %d", got, want)
	}
}

func TestConcat(t *testing.T) {
	b := build(t)
	axis := b.constant("axis", int32(0))
	x, y := b.constant("x", []float32{1, 2}), b.constant("y", []float32{3})
	got := fetchOne(t, b, nil, b.add("Concat", "xy", nil, axis, session.OutputList{x, y, x}).Output(0))
	if want := []float32{1, 2, 3, 1, 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStrings(t *testing.T) {
	b := build(t)
	hash := b.add("StringToHashBucketFast", "hash", map[string]any{"num_buckets": int64(1) << 32}, b.constant("s", "PleaseHashMe"))
	if got := fetchOne(t, b, nil, b.add("AsString", "text", nil, hash.Output(0)).Output(0)); got != "1027741475" {
		t.Errorf("got %v", got)
	}
}

func TestInputMapping(t *testing.T) {
	inner := build(t)
	inner.add("Neg", "neg", nil, inner.placeholder("x", session.Int64))
	var def bytes.Buffer
	if _, err := inner.WriteTo(&def); err != nil {
		t.Fatal(err)
	}
	b := build(t)
	o := session.GraphImportOptions{Prefix: "imported"}
	o.AddInputMapping("x", 0, b.constant("one", int64(1)))
	if err := b.ImportWithOptions(def.Bytes(), o); err != nil {
		t.Fatal(err)
	}
	if b.Operation("imported/x") == nil {
		t.Error("the mapped node was not imported")
	}
	if got := fetchOne(t, b, nil, b.Operation("imported/neg").Output(0)); got != int64(-1) {
		t.Errorf("got %v", got)
	}
}

func TestReadsSeeWhatWasAssignedBefore(t *testing.T) {
	b := build(t)
	v := b.add("VarHandleOp", "v", map[string]any{"dtype": session.Int32, "shape": session.ScalarShape()}).Output(0)
	init := b.add("AssignVariableOp", "init", nil, v, b.constant("zero", int32(0)))
	more := b.add("AssignAddVariableOp", "more", nil, v, b.constant("one", int32(1)))
	read, err := b.AddOperation(session.OpSpec{Type: "ReadVariableOp", Name: "read", Input: []session.Input{v},
		Attrs: map[string]any{"dtype": session.Int32}, ControlDependencies: []*session.Operation{more}})
	if err != nil {
		t.Fatal(err)
	}
	s := b.open(nil)
	if _, err := s.Run(nil, nil, []*session.Operation{init}); err != nil {
		t.Fatal(err)
	}
	for i := range int32(10) {
		out, err := s.Run(nil, []session.Output{read.Output(0)}, nil)
		if err != nil || out[0].Value() != i+1 {
			t.Errorf("read %d: %v, %v", i, out, err)
		}
	}
	// Another session has variables of its own.
	if _, err := b.open(nil).Run(nil, []session.Output{read.Output(0)}, nil); session.CodeOf(err) == session.OK {
		t.Error("another session sees the variable")
	}
}

func TestTensorHandle(t *testing.T) {
	for _, o := range []*session.ContextOptions{nil, {}, {Async: true}, {Config: []byte{0x28, 0x01}}} {
		c, err := session.NewContext(o)
		if err != nil {
			t.Fatal(err)
		}
		devices, err := c.ListDevices()
		if err != nil || len(devices) == 0 || devices[0].Type != "CPU" {
			t.Fatalf("%v, %v", devices, err)
		}
		in := tensorOf(t, [][]int64{{1, 2, 3}, {4, 5, 6}})
		h, err := session.NewTensorHandle(in)
		if err != nil {
			t.Fatal(err)
		}
		if h, err = h.CopyToDevice(c, devices[0].Name); err != nil {
			t.Fatal(err)
		}
		shape, err := h.Shape()
		if err != nil || h.DataType() != session.Int64 || !reflect.DeepEqual(shape, []int64{2, 3}) {
			t.Errorf("%v%v, %v", h.DataType(), shape, err)
		}
		for _, f := range []func() (string, error){h.DeviceName, h.BackingDeviceName} {
			if name, err := f(); err != nil || !strings.Contains(name, "CPU") {
				t.Errorf("%s, %v", name, err)
			}
		}
		if out, err := h.ToTensor(); err != nil || !reflect.DeepEqual(out.Value(), in.Value()) {
			t.Errorf("%v, %v", out, err)
		}
		if _, err := h.CopyToDevice(c, "/device:GPU:7"); session.CodeOf(err) != session.InvalidArgument {
			t.Errorf("a device that is not there: %v", err)
		}
	}
	if _, err := session.NewContext(&session.ContextOptions{Config: []byte{0xff}}); err == nil {
		t.Error("a bad ConfigProto: no error")
	}
	if _, err := session.NewTensorHandle(nil); err == nil {
		t.Error("a handle of nothing: no error")
	}
}

func TestNotYet(t *testing.T) {
	if _, err := session.LoadLibrary("ops.so"); session.CodeOf(err) != session.Unimplemented {
		t.Errorf("LoadLibrary: %v", err)
	}
}
