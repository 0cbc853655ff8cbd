package dataset_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// Whatever numbers a dataset is made with, it answers: it does not panic, does not
// take memory by them, and ends with its step.
func TestExtremeNumbers(t *testing.T) {
	numbers := []int64{0, -1, -2, 1, 2, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, 1 << 40}
	ops := []struct {
		op   string
		ints int   // numbers after the dataset
		more []any // inputs after these
		none bool  // there is no dataset before
	}{
		{op: "RangeDataset", ints: 3, none: true},
		{op: "RandomDataset", ints: 2, none: true},
		{op: "RepeatDataset", ints: 1},
		{op: "TakeDataset", ints: 1},
		{op: "SkipDataset", ints: 1},
		{op: "ShardDataset", ints: 2},
		{op: "AssertCardinalityDataset", ints: 1},
		{op: "BatchDataset", ints: 1},
		{op: "BatchDatasetV2", ints: 1, more: []any{true}},
		{op: "ParallelBatchDataset", ints: 2, more: []any{false}},
		{op: "WindowDataset", ints: 3, more: []any{false}},
		{op: "WindowDataset", ints: 3, more: []any{true}},
		{op: "PrefetchDataset", ints: 1},
		{op: "ShuffleDataset", ints: 3},
		{op: "ShuffleAndRepeatDataset", ints: 4},
	}
	for _, o := range ops {
		t.Run(o.op, func(t *testing.T) {
			p := newPipeline(t, &session.SessionOptions{MemoryLimit: 16 << 20, Threads: 1})
			combinations := 1
			for range o.ints {
				combinations *= len(numbers)
			}
			for k := 0; k < combinations; k += 1 + combinations/120 {
				var args []any
				if !o.none {
					args = append(args, p.numbers(5))
				}
				for i, rest := 0, k; i < o.ints; i++ {
					args = append(args, numbers[rest%len(numbers)])
					rest /= len(numbers)
				}
				p.tryOut(fmt.Sprint(k), o.op, append(args, o.more...)...)
			}
		})
	}
}

// tryOut iterates over a dataset for a few elements.
func (p *pipeline) tryOut(label, op string, args ...any) {
	p.t.Helper()
	dt := tensor.Int64
	more := attrs(nil)
	if op == "WindowDataset" {
		dt = tensor.Variant
	}
	next, err := p.over(p.add(op, more, args...), dt)
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Millisecond)
	defer cancel()
	for range 4 {
		if err == nil {
			_, err = next(ctx)
		}
	}
	if kernel.IsPanic(err) || session.CodeOf(err) == session.Internal {
		p.t.Errorf("%s %v: %v", op, label, err)
	}
}
