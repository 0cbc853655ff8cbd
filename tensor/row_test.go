package tensor_test

import (
	"testing"

	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

func TestRow(t *testing.T) {
	for _, c := range []struct {
		text  string
		dt    tensor.DType
		i     int
		want  string
		plain bool
	}{
		{"[[1, 2], [3, 4], [5, 6]]", tensor.Float, 1, "[3. 4.]", false},
		{"[[1, 2], [3, 4], [5, 6]]", tensor.Int8, 2, "[5 6]", false},
		{"[true, false]", tensor.Bool, 0, "True", true},
		{"[1, 2, 3]", tensor.Half, 1, "2.0", true},
		{"[1, 2, 3]", tensor.Int32, 2, "3", true},
		{"[1, 2, 3]", tensor.Complex64, 2, "(3+0j)", true},
		{"[1, 2, 3]", tensor.Complex128, 0, "(1+0j)", false},
		{`["a", "b"]`, tensor.String, 1, "b'b'", false},
		{"[[], []]", tensor.Float, 1, "[]", false},
	} {
		x, err := literal.Parse(c.text, c.dt)
		if err != nil {
			t.Fatal(err)
		}
		row := tensor.ValueOf(x).Row(c.i)
		if got := row.String(); got != c.want || row.Plain() != c.plain {
			t.Errorf("row %d of %s of %v is %s, plain %v; want %s, %v", c.i, c.text, c.dt, got, row.Plain(), c.want, c.plain)
		}
	}
}

// What is disowned is charged to nobody and never recycled.
func TestDisown(t *testing.T) {
	budget := tensor.NewBudget(1 << 20)
	a := &tensor.Arena{Budget: budget}
	v, err := a.Alloc(tensor.Float, []int64{100})
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
	w, err := a.Alloc(tensor.Float, []int64{100})
	if err != nil {
		t.Fatal(err)
	}
	if &tensor.Of[float32](&v)[0] == &tensor.Of[float32](&w)[0] {
		t.Error("its memory was given out again")
	}
	a.UnchargeValue(tensor.Scalar(float32(1)))
	a.UnchargeValue(tensor.Value{})
	a.Finish()
	if used := budget.Used(); used != 0 {
		t.Errorf("%d bytes charged after the step", used)
	}
}
