package tensor

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// What has been taken keeps its contents, whatever is taken and released above it, and the
// budget is charged with the blocks.
func TestWorkspace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	budget := NewBudget(1 << 40)
	w := Workspace{Budget: budget}
	type temporary struct {
		mark WorkspaceMark
		data []float64
		with float64
	}
	var taken []temporary
	total, most := 0, 0
	for range 20_000 {
		if r.IntN(100) < 48 && len(taken) > 0 {
			n := r.IntN(len(taken))
			if r.IntN(50) > 0 {
				n = len(taken) - 1
			}
			for _, x := range taken[n:] {
				total -= len(x.data) * 8
				for _, y := range x.data {
					if y != x.with {
						t.Fatalf("%v in place of %v", y, x.with)
					}
				}
			}
			w.Release(taken[n].mark)
			taken = taken[:n]
			continue
		}
		x := temporary{mark: w.Mark(), with: r.Float64()}
		var err error
		if x.data, err = Take[float64](&w, r.IntN(1<<r.IntN(16))); err != nil {
			t.Fatal(err)
		}
		if len(x.data) > 0 && uintptr(unsafe.Pointer(&x.data[0]))%64 != 0 {
			t.Fatal("a temporary does not begin at a cache line")
		}
		for i := range x.data {
			x.data[i] = x.with
		}
		taken = append(taken, x)
		total += len(x.data) * 8
		most = max(most, total)
		if have := int(budget.Used()); have < total || have > 8*most+1<<16 {
			t.Fatalf("%d bytes are charged for %d, %d at the most", have, total, most)
		}
	}
	if w.Free(); budget.Used() != 0 {
		t.Errorf("%d bytes are charged at the end", budget.Used())
	}
}

// Blocks grow up to a size, an empty one that is too small is replaced, and all return to the stock.
func TestWorkspaceBlocks(t *testing.T) {
	budget := NewBudget(1 << 40)
	w := Workspace{Budget: budget}
	take := func(n int) {
		t.Helper()
		if _, err := Take[float64](&w, n/8); err != nil {
			t.Fatal(err)
		}
	}
	bottom := w.Mark()
	take(64)
	w.Release(bottom)
	take(1 << 16)
	if budget.Used() != 1<<16 {
		t.Errorf("%d bytes are charged for 64 KiB", budget.Used())
	}
	for range 1 << 13 {
		take(1 << 10)
	}
	if n := len(w.blocks); n > 16 {
		t.Errorf("8 MiB are %d blocks", n)
	}
	for _, b := range w.blocks {
		if b.bytes > 1<<largestBlock {
			t.Errorf("a block has %d bytes", b.bytes)
		}
	}
	w.Free()
	take(1 << 20)
	data := w.blocks[0].data
	w.Free()
	take(1 << 20)
	if w.blocks[0].data != data {
		t.Error("another block was made in place of one that was freed")
	}
	w.Free()
}

// Where the budget is passed, a workspace stays as it is.
func TestWorkspaceAtItsLimit(t *testing.T) {
	budget := NewBudget(1 << 16)
	w := Workspace{Budget: budget}
	for round := range 3 {
		bottom := w.Mark()
		for _, n := range []int{1, 1 << 10, 1 << 12} {
			if _, err := Take[complex128](&w, n); (err != nil) != (n == 1<<12) || err != nil && status.CodeOf(err) != status.ResourceExhausted {
				t.Fatalf("round %d, %d elements: %v", round, n, err)
			}
		}
		if _, err := Take[int](&w, math.MaxInt/4); status.CodeOf(err) != status.ResourceExhausted {
			t.Fatal(err)
		}
		if x, err := Take[float32](&w, 3); err != nil || len(x) != 3 {
			t.Fatal(x, err)
		}
		w.Release(bottom)
	}
	if w.Free(); budget.Used() != 0 {
		t.Errorf("%d bytes are charged at the end", budget.Used())
	}
}

// A large temporary is in memory of its size.
func TestLargeTemporary(t *testing.T) {
	budget := NewBudget(0)
	w := Workspace{Budget: budget}
	x, err := Take[float64](&w, (1<<maxClass+8)/8)
	if err != nil {
		t.Fatal(err)
	}
	x[len(x)-1] = 1
	if budget.Used() > 1<<maxClass+64 {
		t.Errorf("%d bytes", budget.Used())
	}
	if w.Free(); budget.Used() != 0 {
		t.Errorf("%d bytes are charged at the end", budget.Used())
	}
}
