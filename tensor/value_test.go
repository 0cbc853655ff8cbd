package tensor

import (
	"slices"
	"testing"
	"unsafe"
)

func TestValueIsTwoWords(t *testing.T) {
	if n := unsafe.Sizeof(Value{}); n != 16 {
		t.Errorf("a Value has %d bytes", n)
	}
}

func TestScalarsOfAllTypes(t *testing.T) {
	for dt := Float; int(dt) < len(dtypes); dt++ {
		x := SomeTensor(t, dt, nil)
		v := ValueOf(x)
		if v.DType() != dt || !v.IsScalar() || v.NumElements() != 1 || v.Rank() != 0 || v.SizeBytes() != dt.MemorySize() {
			t.Errorf("%v: %v %v", dt, v.DType(), v.Dims())
		}
		if inside := dt.Size() > 0 && dt.Size() <= 8; v.Inside(dt) != inside || v.Plain() != inside {
			t.Errorf("%v: inside is %v", dt, v.Inside(dt))
		}
		y := v.Tensor()
		if err := Compare(y, x, Tolerance{Exact: true}); err != nil {
			t.Errorf("%v: %v", dt, err)
		}
		if v.Plain() && y == x {
			t.Errorf("%v: a scalar left as the tensor it came in", dt)
		}
		if r := v.Reshaped([]int64{1, 1}); r.IsScalar() || !slices.Equal(r.Dims(), []int64{1, 1}) || r.Tensor().ElementText(0) != x.ElementText(0) {
			t.Errorf("%v: reshaped to %v", dt, r.Dims())
		}
	}
	if v := (Value{}); !v.IsZero() || v.Tensor() != nil || v.DType() != Invalid || !v.Plain() || v.IsRef() {
		t.Error("the zero Value holds something")
	}
	if ValueOf(nil) != (Value{}) {
		t.Error("no tensor is something")
	}
}

func TestScalarReads(t *testing.T) {
	v := Scalar(int32(-7))
	if At0[int32](&v) != -7 || Of[int32](&v)[0] != -7 || Words[uint32](&v)[0] != 0xfffffff9 || len(Bytes(&v)) != 4 {
		t.Errorf("%v", v)
	}
	SetScalar(&v, Qint8, int8(3))
	if v.DType() != Qint8 || At0[int8](&v) != 3 {
		t.Errorf("%v %v", v.DType(), v)
	}
	v = ScalarOf(Quint16, uint16(9))
	if v.DType() != Quint16 || At0[uint16](&v) != 9 {
		t.Errorf("%v %v", v.DType(), v)
	}
	defer func() {
		if recover() == nil {
			t.Error("a scalar of another size was made")
		}
	}()
	ScalarOf(Double, float32(1))
}

type cell struct{ v Value }

func (c *cell) Read() (Value, bool) { return c.v, !c.v.IsZero() }

func TestReference(t *testing.T) {
	c := &cell{Scalar(float32(2))}
	r := RefTo(Float, c)
	if !r.IsRef() || r.DType() != Float.Ref() || r.Cell() != Cell(c) {
		t.Errorf("%v", r)
	}
}

func TestInvariantsCatchWrongTypes(t *testing.T) {
	if !invariants {
		return // they cost too much to be checked always
	}
	v := Scalar(float32(1))
	for name, f := range map[string]func(){"Of": func() { Of[int32](&v) }, "At0": func() { At0[float64](&v) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of the wrong type went through", name)
				}
			}()
			f()
		}()
	}
}

func TestDTypeNames(t *testing.T) {
	for dt := Float; int(dt) < len(dtypes); dt++ {
		for _, d := range []DType{dt, dt.Ref()} {
			for _, name := range []string{d.String(), d.ProtoName()} {
				if got, ok := ParseDType(name); !ok || got != d {
					t.Errorf("%q is read as %v", name, got)
				}
			}
			if d.Base() != dt || d.IsRef() == (d == dt) || !d.Valid() {
				t.Errorf("%v: base %v", d, d.Base())
			}
		}
		if got, ok := ParseDType(dt.NumpyName()); !ok || got != dt {
			t.Errorf("%q is read as %v", dt.NumpyName(), got)
		}
	}
	for _, d := range []DType{Invalid, 33, 100, 133, 255} {
		if d.Valid() || d.ProtoName() != "DT_INVALID" {
			t.Errorf("%d is %v", uint8(d), d)
		}
	}
}

func TestData(t *testing.T) {
	x := mustSlice(t, Qint32, []int32{1, 2}, 2)
	if got, err := Data[int32](x); err != nil || !slices.Equal(got, []int32{1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Data[float32](x); err == nil {
		t.Error("integers were read as floats")
	}
	if _, err := FromSlice([]int32{1, 2}, 3); err == nil {
		t.Error("two elements filled a shape of three")
	}
	if _, err := New(Float.Ref(), 1); err == nil {
		t.Error("a tensor of reference type was made")
	}
}

func TestWithShapeAndSlice(t *testing.T) {
	x := mustSlice(t, Int32, []int32{1, 2, 3, 4, 5, 6}, 6)
	y, err := x.WithShape([]int64{3, 2})
	if err != nil || y.String() != "[[1 2]\n [3 4]\n [5 6]]" {
		t.Errorf("%v, %v", y, err)
	}
	if s := y.Slice(2, 4, []int64{2, 2}); s.String() != "[[3 4]\n [5 6]]" {
		t.Errorf("%v", s)
	}
	if _, err := x.WithShape([]int64{4}); err == nil {
		t.Error("six elements filled a shape of four")
	}
	if high, err := x.WithShape([]int64{1, 1, 1, 1, 1, 1, 6}); err != nil || len(high.Dims()) != 7 {
		t.Errorf("%v, %v", high, err)
	}
}
