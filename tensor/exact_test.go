package tensor

import "testing"

// What outlives a step takes its size, is charged with it, and is released like all else.
func TestAllocExact(t *testing.T) {
	budget := NewBudget(1 << 20)
	a := &Arena{Budget: budget}
	for _, test := range []struct{ n, reserved int64 }{
		{3 << 10, 12 << 10}, {5001, 20008}, {1 << 10, 4 << 10}, {3, 64}, {0, 0},
	} {
		before := budget.Used() + a.ahead
		v, err := a.AllocExact(Float, []int64{test.n})
		if err != nil {
			t.Fatal(err)
		}
		if int64(v.t.bytes) != test.reserved || v.NumElements() != int(test.n) {
			t.Errorf("%d floats reserve %d bytes instead of %d", test.n, v.t.bytes, test.reserved)
		}
		if charged := budget.Used() + a.ahead - before; charged != HeaderBytes+test.reserved {
			t.Errorf("%d floats are charged with %d bytes", test.n, charged)
		}
		v.Hold(1)
		a.Drop(v)
		if left := budget.Used() + a.ahead - before; left != 0 {
			t.Errorf("%d floats leave %d bytes on the account", test.n, left)
		}
	}
	if _, err := a.AllocExact(Float, []int64{1 << 20}); err == nil {
		t.Error("the limit does not hold")
	}
	text, err := a.AllocExact(String, []int64{2000})
	if err != nil || Of[string](&text)[1999] != "" {
		t.Errorf("strings: %v", err)
	}
}
