package tensor

import "testing"

// What rests in an arena and what is charged are together within the limit.
func TestRestingMemoryIsWithinTheLimit(t *testing.T) {
	const limit = 100 << 20
	a := &Arena{Budget: NewBudget(limit)}
	big, err := a.Alloc(Uint8, []int64{60 << 20}) // of 64 MiB
	if err != nil {
		t.Fatal(err)
	}
	big.Hold(1)
	a.Drop(big)
	if a.shelf != 64<<20 {
		t.Fatalf("%d bytes rest, want the buffer's", a.shelf)
	}
	for range 90 {
		v, err := a.Alloc(Uint8, []int64{1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		v.Hold(1)
		if used := a.Budget.Used(); used+a.held+a.shelf > limit {
			t.Fatalf("%d bytes are charged and %d rest", used, a.held+a.shelf)
		}
	}
	if a.shelf != 0 {
		t.Errorf("%d bytes rest", a.shelf)
	}
	again, err := a.Alloc(Uint8, []int64{1 << 20})
	if err != nil || again.NumElements() != 1<<20 {
		t.Errorf("%v", err)
	}
}
