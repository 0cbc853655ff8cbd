package tensor

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"

	"github.com/troupe-go/troupe/status"
)

func TestReadsWhatNumPyWrites(t *testing.T) {
	var cases []struct {
		golden
		File []byte
	}
	readGolden(t, "npy.json.gz", &cases)
	for _, c := range cases {
		got, err := ReadNPY(bytes.NewReader(c.File), 0)
		if err == nil {
			err = Compare(got, c.tensor(t), Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%s %v: %v", c.Dtype, c.Shape, err)
		}
	}
}

// npyio is another implementation of the format.
func TestNPYAgreesWithNpyio(t *testing.T) {
	for _, data := range []any{
		[]bool{true, false}, []int8{-1, 2}, []int16{-300}, []int32{1, 2, 3}, []int64{1 << 40}, []uint8{255}, []uint16{1}, []uint32{1},
		[]uint64{1 << 63}, []float32{1.5, -2}, []float64{0.1}, []complex64{1 + 2i}, []complex128{3i, 4},
	} {
		want, err := NewTensor(data)
		if err != nil {
			t.Fatal(err)
		}
		var theirs, ours bytes.Buffer
		if err := npy.Write(&theirs, data); err != nil {
			t.Fatal(err)
		}
		got, err := ReadNPY(&theirs, 0)
		if err == nil {
			err = Compare(got, want, Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%T: %v", data, err)
		}
		if err := want.WriteNPY(&ours); err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(data))
		if err := npy.Read(&ours, back.Interface()); err != nil || !reflect.DeepEqual(back.Elem().Interface(), data) {
			t.Errorf("npyio reads %v as %v, %v", data, back.Elem(), err)
		}
	}
}

func TestNPYRoundTrip(t *testing.T) {
	for dt := Float; int(dt) < len(dtypes); dt++ {
		for _, shape := range [][]int64{{}, {0}, {3}, {2, 3}, {1, 0, 2}} {
			x := someTensor(t, dt, shape)
			var b bytes.Buffer
			err := x.WriteNPY(&b)
			if status.CodeOf(err) == status.Unimplemented {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if (b.Len()-x.SizeBytes())%64 != 0 {
				t.Errorf("%v %v: elements begin at byte %d", dt, shape, b.Len()-x.SizeBytes())
			}
			y, err := ReadNPY(&b, 0)
			if err == nil {
				err = Compare(y, x, Tolerance{Exact: true})
			}
			if err != nil {
				t.Errorf("%v %v: %v", dt, shape, err)
			}
		}
	}
}

func npyFile(header string, data string) []byte {
	return []byte("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + data)
}

func TestNPYErrors(t *testing.T) {
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
		{npyFile("", ""), status.InvalidArgument, "not a dict"},
		{npyFile("{}", ""), status.InvalidArgument, "lacks"},
		{npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", ""), status.InvalidArgument, "not a shape"},
		{npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1}", ""), status.InvalidArgument, "no end"},
		{npyFile("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", ""), status.InvalidArgument, "unexpected \"fortran_order\""},
		{npyFile("{'descr' '<f4'}", ""), status.InvalidArgument, "no value for key"},
		{npyFile("{'descr", ""), status.InvalidArgument, "not a dict"},
		{npyFile("{'descr}", ""), status.InvalidArgument, "key should be at"},
		{npyFile("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, `"<f3" is not supported`},
		{npyFile("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, `"|O" is not supported`},
		{npyFile("{'descr': '*f4', 'fortran_order': False, 'shape': (1,)}", ""), status.InvalidArgument, "unknown element type"},
		{npyFile("{'descr': '<U-1', 'fortran_order': False, 'shape': (1,)}", ""), status.InvalidArgument, "unknown element type"},
		{npyFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ""), status.Unimplemented, "records"},
		{npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}", ""), status.ResourceExhausted, "more than the limit"},
		{npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1099511627776,1099511627776)}", ""), status.InvalidArgument, "more elements"},
		{npyFile("{'descr': '|S0', 'fortran_order': False, 'shape': (1000000,)}", ""), status.InvalidArgument, "no length"},
		{npyFile("{'descr': '|S500000000', 'fortran_order': False, 'shape': (1000,)}", ""), status.ResourceExhausted, "more than the limit"},
		{npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567"), status.OutOfRange, "7 of 8 bytes"},
	} {
		x, err := ReadNPY(bytes.NewReader(c.file), 0)
		if x != nil || status.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: got %v, %v, want %v with %q", c.file, x, err, c.code, c.want)
		}
	}
}

func TestNPYAllocatesWhatArrives(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadNPY(bytes.NewReader(npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (200000000,)}", "short")), 0)
	runtime.ReadMemStats(&after)
	if err == nil || after.TotalAlloc-before.TotalAlloc > 8<<20 {
		t.Errorf("%d bytes allocated, %v", after.TotalAlloc-before.TotalAlloc, err)
	}
}

func TestWriteNPYErrors(t *testing.T) {
	for _, dt := range []DType{String, Bfloat16, Resource, Qint8, Int4} {
		if err := someTensor(t, dt, []int64{1}).WriteNPY(io.Discard); status.CodeOf(err) != status.Unimplemented {
			t.Errorf("%v: %v", dt, err)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	x := someTensor(t, Float, []int64{2, 3})
	for _, name := range []string{"x.npy", "x.tensor"} {
		name = filepath.Join(dir, name)
		if err := x.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		y, err := ReadFile(name, 0)
		if err == nil {
			err = Compare(y, x, Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ReadFile(name, 23); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), name) {
			t.Errorf("%s with 23 bytes: %v", name, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), 0); status.CodeOf(err) != status.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := x.WriteFile(filepath.Join(dir, "no", "such.npy")); status.CodeOf(err) != status.NotFound {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := someTensor(t, String, nil).WriteFile(filepath.Join(dir, "s.npy")); status.CodeOf(err) != status.Unimplemented {
		t.Errorf("strings: %v", err)
	}
	if err := x.WriteNPY(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("the writer's error is lost: %v", err)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func FuzzReadNPY(f *testing.F) {
	var cases []struct{ File []byte }
	readGolden(f, "npy.json.gz", &cases)
	for _, c := range cases {
		f.Add(c.File)
	}
	const limit = 1 << 16
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ReadNPY(bytes.NewReader(b), limit)
		if err != nil {
			return
		}
		if x.SizeBytes() > limit {
			t.Fatalf("%d bytes pass the limit", x.SizeBytes())
		}
		var out bytes.Buffer
		if x.WriteNPY(&out) != nil {
			return
		}
		y, err := ReadNPY(&out, limit)
		if err == nil {
			err = Compare(y, x, Tolerance{Exact: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
