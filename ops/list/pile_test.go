package list

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// TestPiles pushes, pops, joins, copies and drops lists by their kernels, as a driver
// does that moves tokens or keeps them, against plain slices. In the end nothing is
// charged.
func TestPiles(t *testing.T) {
	for _, away := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) { piles(t, away) })
	}
}

func piles(t *rapid.T, away bool) {
	budget := tensor.NewBudget(16 << 20)
	ctx := &kernel.Context{Arena: &tensor.Arena{Budget: budget}}
	if away {
		ctx.Lock = new(sync.Mutex)
	}
	k := typed{dt: tensor.Int64}
	var lists []tensor.Value
	var models [][]int64
	// play runs a kernel on a list's token, which it gives up if moved, and is what the
	// kernel put out, held.
	play := func(run func(*kernel.Context, []tensor.Value, []tensor.Value) error, i int, moved bool, outs int, more ...tensor.Value) []tensor.Value {
		in, out := append([]tensor.Value{lists[i]}, more...), make([]tensor.Value, outs)
		ctx.Keep = 0
		if !moved || !lists[i].Sole() {
			ctx.Keep = 1
		}
		if err := run(ctx, in, out); err != nil {
			t.Fatal(err)
		}
		for _, v := range out {
			if !v.Plain() {
				ctx.Arena.Claim(v)
				v.Hold(1)
			}
		}
		if moved && !in[0].IsZero() {
			ctx.Arena.Drop(in[0])
		}
		if moved {
			lists, models = slices.Delete(lists, i, i+1), slices.Delete(models, i, i+1)
		}
		return out
	}
	first := func(v tensor.Value) int64 { return tensor.Of[int64](&v)[0] }
	begin := func() {
		v, err := newList(tensor.Int64, shape.Shape{}, -1, 0).token(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ctx.Arena.Claim(v)
		v.Hold(1)
		lists, models = append(lists, v), append(models, nil)
	}
	anyShape := tensor.Scalar(int32(-1))
	begin()
	made := int64(0)
	for range rapid.IntRange(1, 120).Draw(t, "changes") {
		if len(lists) == 0 {
			begin()
		}
		i := rapid.IntRange(0, len(lists)-1).Draw(t, "list")
		m, moved := slices.Clone(models[i]), rapid.IntRange(0, 5).Draw(t, "moved") > 0
		add := func(v tensor.Value, m []int64) { lists, models = append(lists, v), append(models, m) }
		switch rapid.SampledFrom([]string{"push", "push", "push", "push", "pop", "pop", "stack", "get", "copy", "drop"}).Draw(t, "change") {
		case "push":
			made++
			n := int64(2)
			switch rapid.IntRange(0, 30).Draw(t, "size") {
			case 0:
				n = 3
			case 1:
				n = tensor.Piled
			}
			v, err := ctx.Alloc(tensor.Int64, []int64{n})
			if err != nil {
				t.Fatal(err)
			}
			v.Hold(1)
			for j := range tensor.Of[int64](&v) {
				tensor.Of[int64](&v)[j] = made
			}
			out := play(k.pushBack, i, moved, 1, v)
			ctx.Arena.Drop(v)
			add(out[0], append(m, made))
		case "pop":
			if len(m) == 0 {
				continue
			}
			out := play(k.popBack, i, moved, 2, anyShape)
			if got := first(out[1]); got != m[len(m)-1] {
				t.Fatalf("popped %d, not %d", got, m[len(m)-1])
			}
			ctx.Arena.Drop(out[1])
			add(out[0], m[:len(m)-1])
		case "get":
			if len(m) == 0 {
				continue
			}
			at := rapid.IntRange(0, len(m)-1).Draw(t, "at")
			out := play(k.getItem, i, false, 1, tensor.Scalar(int32(at)), anyShape)
			if got := first(out[0]); got != m[at] {
				t.Fatalf("element %d is %d, not %d", at, got, m[at])
			}
			ctx.Arena.Drop(out[0])
		case "stack":
			l, err := listOf(&lists[i])
			if err != nil {
				t.Fatal(err)
			}
			if !l.isPile() {
				continue
			}
			dims, _ := l.dims(0)
			v, err := l.poured(ctx, append([]int64{int64(len(m))}, dims...))
			if err != nil {
				t.Fatal(err)
			}
			v.Hold(1)
			for j, want := range m {
				if got := tensor.Of[int64](&v)[int64(j)*dims[0]]; got != want {
					t.Fatalf("row %d is %d, not %d", j, got, want)
				}
			}
			ctx.Arena.Drop(v)
		case "copy":
			lists[i].Hold(1)
			add(lists[i], m)
		case "drop":
			ctx.Arena.Drop(lists[i])
			lists, models = slices.Delete(lists, i, i+1), slices.Delete(models, i, i+1)
		}
	}
	for i := range lists {
		l, err := listOf(&lists[i])
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range models[i] {
			if v := l.at(j); first(v) != want {
				t.Fatalf("element %d of list %d is %d, not %d", j, i, first(v), want)
			}
		}
	}
	for _, v := range lists {
		ctx.Arena.Drop(v)
	}
	const grain = 1 << 12
	if used := budget.Used(); used < -grain || used > grain {
		t.Fatalf("%d bytes are charged for nothing", used)
	}
}
