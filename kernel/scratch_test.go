package kernel_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
)

func TestScratchIsCharged(t *testing.T) {
	r := kerneltest.Runner{Limit: 1 << 20}
	ctx := r.Context()
	before := ctx.Reserved()
	table, err := kernel.Scratch[int64](ctx, 1000)
	if err != nil || len(table) != 1000 || ctx.Reserved() != before+8000 {
		t.Errorf("%d elements and %d bytes, %v", len(table), ctx.Reserved(), err)
	}
	for _, n := range []int{1 << 20, math.MaxInt, -1} {
		if _, err := kernel.Scratch[int64](ctx, n); status.CodeOf(err) != status.ResourceExhausted {
			t.Errorf("%d elements: %v", n, err)
		}
	}
	var grown []int32
	for i := range 100_000 {
		if grown, err = kernel.Grow(ctx, grown, 1); err != nil {
			break
		}
		grown = append(grown, int32(i))
		if ctx.Reserved() != before+8000+4*int64(cap(grown)) {
			t.Fatalf("%d bytes are reserved for %d places", ctx.Reserved(), cap(grown))
		}
	}
	if err != nil || grown[99_999] != 99_999 {
		t.Errorf("%d elements, %v", len(grown), err)
	}
	for err == nil {
		if grown, err = kernel.Grow(ctx, grown, 1); err == nil {
			grown = append(grown, 0)
		}
	}
	if status.CodeOf(err) != status.ResourceExhausted || len(grown) < 100_000 {
		t.Errorf("%d elements, %v", len(grown), err)
	}
	if ctx.UnreserveTo(before); ctx.Reserved() != before {
		t.Errorf("%d bytes are left", ctx.Reserved())
	}
}
