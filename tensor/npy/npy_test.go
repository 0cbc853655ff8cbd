package npy

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	npyio "github.com/sbinet/npyio/npy"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensortest"
)

func TestReadsWhatNumPyWrites(t *testing.T) {
	var cases []struct {
		tensortest.Golden
		File []byte
	}
	tensortest.ReadGolden(t, "npy.json.gz", &cases)
	for _, c := range cases {
		got, err := Read(bytes.NewReader(c.File), 0)
		if err == nil {
			err = tensor.Compare(got, c.Tensor(t), tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%s %v: %v", c.Dtype, c.Shape, err)
		}
	}
}

// npyio is another implementation of the format.
func TestAgreesWithNpyio(t *testing.T) {
	for _, data := range []any{
		[]bool{true, false}, []int8{-1, 2}, []int16{-300}, []int32{1, 2, 3}, []int64{1 << 40}, []uint8{255}, []uint16{1}, []uint32{1},
		[]uint64{1 << 63}, []float32{1.5, -2}, []float64{0.1}, []complex64{1 + 2i}, []complex128{3i, 4},
	} {
		want, err := tensor.NewTensor(data)
		if err != nil {
			t.Fatal(err)
		}
		var theirs, ours bytes.Buffer
		if err := npyio.Write(&theirs, data); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&theirs, 0)
		if err == nil {
			err = tensor.Compare(got, want, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%T: %v", data, err)
		}
		if err := Write(&ours, want); err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(data))
		if err := npyio.Read(&ours, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), data) {
			t.Errorf("npyio reads %v as %v, %v", data, back.Elem(), err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for dt := range tensortest.DTypes {
		for _, shape := range [][]int64{{}, {0}, {3}, {2, 3}, {1, 0, 2}} {
			x := tensortest.Some(t, dt, shape)
			var b bytes.Buffer
			err := Write(&b, x)
			if status.CodeOf(err) == status.Unimplemented {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if (b.Len()-x.SizeBytes())%64 != 0 {
				t.Errorf("%v %v: elements begin at byte %d", dt, shape, b.Len()-x.SizeBytes())
			}
			y, err := Read(&b, 0)
			if err == nil {
				err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%v %v: %v", dt, shape, err)
			}
		}
	}
}

func fileOf(header string, data string) []byte {
	return []byte("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + data)
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		file []byte
		code status.Code
		want string
	}{
		{nil, status.InvalidArgument, "does not begin as one"},
		{[]byte("\x93NUMPX\x01\x00"), status.InvalidArgument, "does not begin as one"},
		{[]byte("\x93NUMPY\x09\x00"), status.InvalidArgument, "unknown version 9"},
		{[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), status.InvalidArgument, "header of 4294967295 bytes is longer"},
		{[]byte("\x93NUMPY\x01\x00\xff\x00{"), status.InvalidArgument, "header: unexpected EOF"},
		{fileOf("", ""), status.InvalidArgument, "not a dict"},
		{fileOf("{}", ""), status.InvalidArgument, "lacks"},
		{fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ""), status.InvalidArgument, "not a shape"},
		{fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1}", ""), status.InvalidArgument, "no end"},
		{fileOf("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", ""), status.InvalidArgument, "unexpected \"fortran_order\""},
		{fileOf("{'descr' '<f4'}", ""), status.InvalidArgument, "no value for key"},
		{fileOf("{'descr", ""), status.InvalidArgument, "not a dict"},
		{fileOf("{'descr}", ""), status.InvalidArgument, "key should be at"},
		{fileOf("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, `"<f3" is not supported`},
		{fileOf("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, `"|O" is not supported`},
		{fileOf("{'descr': '*f4', 'fortran_order': False, 'shape': (1,)}", ""), status.InvalidArgument, "unknown element type"},
		{fileOf("{'descr': '<U-1', 'fortran_order': False, 'shape': (1,)}", ""), status.InvalidArgument, "unknown element type"},
		{fileOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, "records"},
		{fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", ""), status.ResourceExhausted, "more than the limit"},
		{fileOf("{'descr': '<f4', 'fortran_order': True, 'shape': (1099511627776,1099511627776)}", ""), status.InvalidArgument, "more elements"},
		{fileOf("{'descr': '|S0', 'fortran_order': False, 'shape': (1000000,)}", ""), status.InvalidArgument, "no length"},
		{fileOf("{'descr': '|S500000000', 'fortran_order': False, 'shape': (1000,)}", ""), status.ResourceExhausted, "more than the limit"},
		{fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567"), status.OutOfRange, "7 of 8 bytes"},
	} {
		x, err := Read(bytes.NewReader(c.file), 0)
		if x != nil || status.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: got %v, %v, want %v with %q", c.file, x, err, c.code, c.want)
		}
	}
}

func TestAllocatesWhatArrives(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(bytes.NewReader(fileOf("{'descr': '<f8', 'fortran_order': False, 'shape': (200000000,)}", "short")), 0)
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 8<<20 {
		t.Errorf("%d bytes allocated, %v", after.TotalAlloc-before.TotalAlloc, err)
	}
}

func TestWriteErrors(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.String, tensor.Bfloat16, tensor.Resource, tensor.Qint8, tensor.Int4} {
		if err := Write(io.Discard, tensortest.Some(t, dt, []int64{1})); status.CodeOf(err) != status.Unimplemented {
			t.Errorf("%v: %v", dt, err)
		}
	}
}

func TestBrokenWriter(t *testing.T) {
	if err := Write(brokenWriter{}, tensortest.Some(t, tensor.Float, []int64{2, 3})); !errors.Is(err, errBroken) {
		t.Errorf("the writer's error is lost: %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func FuzzRead(f *testing.F) {
	var cases []struct{ File []byte }
	tensortest.ReadGolden(f, "npy.json.gz", &cases)
	for _, c := range cases {
		f.Add(c.File)
	}
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := Read(bytes.NewReader(b), limit)
		if err != nil {
			return
		}
		if x.SizeBytes() > limit {
			t.Fatalf("%d bytes pass the limit", x.SizeBytes())
		}
		var out bytes.Buffer
		if Write(&out, x) != nil {
			return
		}
		y, err := Read(&out, limit)
		if err == nil {
			err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
