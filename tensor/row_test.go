package tensor

import (
	"testing"
)

func TestRow(t *testing.T) {
	for _, c := range []struct {
		text  string
		dt    DType
		i     int
		want  string
		plain bool
	}{
		{"[[1, 2], [3, 4], [5, 6]]", Float, 1, "[3. 4.]", false},
		{"[[1, 2], [3, 4], [5, 6]]", Int8, 2, "[5 6]", false},
		{"[true, false]", Bool, 0, "True", true},
		{"[1, 2, 3]", Half, 1, "2.0", true},
		{"[1, 2, 3]", Int32, 2, "3", true},
		{"[1, 2, 3]", Complex64, 2, "(3+0j)", true},
		{"[1, 2, 3]", Complex128, 0, "(1+0j)", false},
		{`["a", "b"]`, String, 1, "b'b'", false},
		{"[[], []]", Float, 1, "[]", false},
	} {
		x, err := Parse(c.text, c.dt)
		if err != nil {
			t.Fatal(err)
		}
		row := ValueOf(x).Row(c.i)
		if got := row.String(); got != c.want || row.Plain() != c.plain {
			t.Errorf("row %d of %s of %v is %s, plain %v; want %s, %v", c.i, c.text, c.dt, got, row.Plain(), c.want, c.plain)
		}
	}
}

// What is disowned is charged to nobody and never recycled.
func TestDisown(t *testing.T) {
	budget := NewBudget(1 << 20)
	a := &Arena{Budget: budget}
	v, err := a.Alloc(Float, []int64{100})
	if err != nil {
		t.Fatal(err)
	}
	v.Hold(2)
	a.UnchargeValue(v)
	a.UnchargeValue(v)
	if used := budget.Used(); used != 0 {
		t.Errorf("%d bytes charged", used)
	}
	a.Drop(v)
	a.Drop(v)
	w, err := a.Alloc(Float, []int64{100})
	if err != nil {
		t.Fatal(err)
	}
	if &Of[float32](&v)[0] == &Of[float32](&w)[0] {
		t.Error("its memory was given out again")
	}
	a.UnchargeValue(Scalar(float32(1)))
	a.UnchargeValue(Value{})
	a.Finish()
	if used := budget.Used(); used != 0 {
		t.Errorf("%d bytes charged after the step", used)
	}
}
