package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// numbers returns n elements of a type that any bits are elements of.
func numbers(t *testing.T, dt tensor.DType, n int) tensor.Value {
	t.Helper()
	x, err := tensor.New(dt, int64(n))
	if err != nil {
		t.Fatal(err)
	}
	v := tensor.ValueOf(x)
	b := tensor.Bytes(&v)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return v
}

// Mapped tensors are equal to those that are read, whatever address they lie at, and
// outlast the reader.
func TestMapped(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "model")
	w, err := Create(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	odd, err := tensor.NewTensor("odd")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]tensor.Value{}
	add := func(name string, v tensor.Value) {
		t.Helper()
		values[name] = v
		if err := w.Add(name, v); err != nil {
			t.Fatal(err)
		}
	}
	add("a string", tensor.ValueOf(odd))
	types := map[string]tensor.DType{"float": tensor.Float, "double": tensor.Double, "complex": tensor.Complex128, "int8": tensor.Int8, "half": tensor.Half}
	for name, dt := range types {
		add(name, numbers(t, dt, leastMapped/dt.Size()+3))
	}
	add("small", numbers(t, tensor.Float, leastMapped/4-1))
	add("none", numbers(t, tensor.Float, 0))
	truth, err := tensor.New(tensor.Bool, leastMapped)
	if err != nil {
		t.Fatal(err)
	}
	add("bool", tensor.ValueOf(truth))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	r.Maps = &files.Maps{}
	got := map[string]tensor.Value{}
	for name := range values {
		if got[name], err = r.Read(Heap, name, nil); err != nil {
			t.Fatal(err)
		}
	}
	part, err := r.Read(Heap, "float", Slice{{Start: 1, Length: leastMapped / 4}})
	if err != nil || part.Outside() {
		t.Errorf("a part: %v, mapped %t", err, part.Outside())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	unaligned := false
	for name, want := range values {
		v := got[name]
		if _, mapped := types[name]; v.Outside() != (mapped && files.CanMap) {
			t.Errorf("%s: mapped %t", name, v.Outside())
		}
		if v.Outside() {
			unaligned = unaligned || uintptr(unsafe.Pointer(unsafe.SliceData(tensor.Bytes(&v))))%2 > 0
			if v.TotalBytes() > tensor.HeaderBytes {
				t.Errorf("%s is charged with %d bytes", name, v.TotalBytes())
			}
			held := v.Held()
			if held.Outside() || !bytes.Equal(tensor.Bytes(&held), tensor.Bytes(&want)) {
				t.Errorf("%s: the copy is wrong", name)
			}
		}
		if name != "a string" && !bytes.Equal(tensor.Bytes(&v), tensor.Bytes(&want)) {
			t.Errorf("%s differs from what was written", name)
		}
	}
	if files.CanMap && !unaligned {
		t.Error("no tensor lies at an odd address: the test shows less than it says")
	}
	// Parts keep the memory, however they are made.
	v := got["float"]
	clear(got)
	tail := v.Tensor().Slice(2, 8, []int64{8})
	copied := v.Tensor().View()
	v = tensor.Value{}
	for range 3 {
		runtime.GC()
	}
	for what, kept := range map[string]*tensor.Tensor{"a part": tail, "a view": copied} {
		if k := tensor.ValueOf(kept); k.Outside() != files.CanMap {
			t.Errorf("%s does not keep the memory", what)
		}
	}
	x := tensor.ValueOf(tail)
	want := values["float"]
	if !bytes.Equal(tensor.Bytes(&x), tensor.Bytes(&want)[8:40]) {
		t.Error("a part of what is mapped is wrong")
	}
}

// What is damaged is not mapped.
func TestMappedDamaged(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "model")
	w, err := Create(nil, prefix)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("x", numbers(t, tensor.Float, leastMapped)); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	name := DataName(prefix, 0, 1)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 1
	for what, test := range map[string]struct {
		content []byte
		code    status.Code
	}{"a bit": {damaged, status.DataLoss}, "cut off": {whole[:len(whole)-1], status.OutOfRange}} {
		if err := os.WriteFile(name, test.content, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(nil, prefix)
		if err != nil {
			t.Fatal(err)
		}
		r.Maps = &files.Maps{}
		if _, err := r.Read(Heap, "x", nil); status.CodeOf(err) != test.code {
			t.Errorf("%s: %v", what, err)
		}
		r.Close()
	}
}
