package tensor

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupe-go/troupe/status"
)

func TestContentsRoundTrip(t *testing.T) {
	for dt := Float; int(dt) < len(dtypes); dt++ {
		if dt.HasPointers() {
			continue
		}
		for _, shape := range [][]int64{nil, {0}, {5}, {2, 3}} {
			x := SomeTensor(t, dt, shape)
			var b bytes.Buffer
			n, err := x.WriteContentsTo(&b)
			if err != nil || n != int64(b.Len()) || b.Len() != x.NumElements()*dt.Size() {
				t.Fatalf("%v %v: wrote %d bytes and says %d, %v", dt, shape, b.Len(), n, err)
			}
			into := ValueOf(SomeTensor(t, dt, shape))
			if err := into.ReadContents(bytes.NewReader(b.Bytes())); err != nil {
				t.Errorf("%v %v: %v", dt, shape, err)
			}
			if err := Compare(into.Tensor(), x, Tolerance{Exact: true}); err != nil {
				t.Errorf("%v %v: read in place: %v", dt, shape, err)
			}
			if x.NumElements() > 0 {
				if err := into.ReadContents(bytes.NewReader(b.Bytes()[1:])); err != io.ErrUnexpectedEOF && err != io.EOF {
					t.Errorf("%v %v: short data read in place: %v", dt, shape, err)
				}
			}
			b.WriteString("rest")
			y, err := ReadTensor(dt, shape, iotest.OneByteReader(&b))
			if err == nil {
				err = Compare(y, x, Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%v %v: %v", dt, shape, err)
			}
			if b.String() != "rest" {
				t.Errorf("%v %v: %q is left", dt, shape, b.String())
			}
		}
	}
}

func TestContentsAreLittleEndian(t *testing.T) {
	var b bytes.Buffer
	x := mustSlice(t, Complex64, []complex64{1 - 2i}, 1)
	if _, err := x.WriteContentsTo(&b); err != nil || b.String() != "\x00\x00\x80\x3f\x00\x00\x00\xc0" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestContentsErrors(t *testing.T) {
	for _, dt := range []DType{String, Resource, Variant} {
		x := SomeTensor(t, dt, []int64{1})
		if _, err := x.WriteContentsTo(io.Discard); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("writing %v: %v", dt, err)
		}
	}
	for _, c := range []struct {
		dt    DType
		shape []int64
		data  string
		want  string
	}{
		{String, nil, "abc", "cannot be read"},
		{Invalid, nil, "abc", "cannot be read"},
		{Float.Ref(), nil, "abcd", "cannot be read"},
		{Int32, []int64{2}, "1234567", "7 of 8 bytes"},
		{Int32, []int64{-1}, "", "negative"},
		{Int32, []int64{1 << 40, 1 << 40}, "", "more elements"},
	} {
		x, err := ReadTensor(c.dt, c.shape, strings.NewReader(c.data))
		if x != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: got %v, %v, want %q", c.dt, c.shape, x, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadTensor(Int8, []int64{3}, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("the reader's error is lost: %v", err)
	}
}

func TestReadTensorAllocatesWhatArrives(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadTensor(Double, []int64{1 << 40}, bytes.NewReader(make([]byte, 3<<20)))
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("short data read")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
		t.Errorf("3 MiB of data took %d bytes", n)
	}
	long := bytes.Repeat([]byte("12345678"), 400<<10)
	x, err := ReadTensor(Uint8, []int64{int64(len(long))}, bytes.NewReader(long))
	if err != nil || !bytes.Equal(x.rawBytes(), long) {
		t.Errorf("long data read wrong: %v", err)
	}
}

func FuzzReadTensor(f *testing.F) {
	f.Add(uint8(Bool), int64(2), int64(3), []byte("123456"))
	f.Add(uint8(Complex128), int64(1), int64(0), []byte{})
	f.Add(uint8(Float), int64(1<<62), int64(4), []byte("1234"))
	f.Fuzz(func(t *testing.T, dt uint8, rows, cols int64, b []byte) {
		x, err := ReadTensor(DType(dt), []int64{rows, cols}, bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := x.WriteContentsTo(&out); err != nil {
			t.Fatal(err)
		}
		y, err := ReadTensor(DType(dt), []int64{rows, cols}, &out)
		if err == nil {
			err = Compare(y, x, Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(x.rawBytes()) > len(b) {
			t.Fatalf("%d bytes of %d", len(x.rawBytes()), len(b))
		}
	})
}
