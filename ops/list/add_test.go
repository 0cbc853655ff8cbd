package list

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// TestSums adds lists of which some elements are set, as AddN does for a driver that moves
// the first token or keeps it, against plain slices. In the end nothing is charged.
func TestSums(t *testing.T) {
	for _, away := range []bool{false, true} {
		inPlace := 0
		rapid.Check(t, func(t *rapid.T) { inPlace += sums(t, away) })
		if (inPlace > 0) == away {
			t.Errorf("away from the driver: %v, %d sums in place", away, inPlace)
		}
	}
}

func sums(t *rapid.T, away bool) (inPlace int) {
	const n = 12
	budget := tensor.NewBudget(64 << 20)
	ctx := &kernel.Context{Arena: &tensor.Arena{Budget: budget}, Step: &kernel.Step{Context: t.Context()}}
	if away {
		ctx.Lock = new(sync.Mutex)
	}
	var lists []tensor.Value
	var models [][]int64 // 0: not set
	keepList := func(v tensor.Value, m []int64) {
		ctx.Arena.Claim(v)
		v.Hold(1)
		lists, models = append(lists, v), append(models, m)
	}
	add := func(i, j int, moved bool) {
		in, out := []tensor.Value{lists[i], lists[j]}, make([]tensor.Value, 1)
		ctx.Keep = 2
		if !moved || i == j || !lists[i].Sole() {
			ctx.Keep = 3
		}
		done, err := variant.AddTo(ctx, in, &out[0], &in[1])
		if done {
			inPlace++
		} else if err == nil {
			out[0], err = variant.Add(ctx, &in[0], &in[1], 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		sum := slices.Clone(models[i])
		for k := range sum {
			sum[k] += models[j][k]
		}
		if moved {
			if !in[0].IsZero() {
				defer ctx.Arena.Drop(in[0])
			}
			lists, models = slices.Delete(lists, i, i+1), slices.Delete(models, i, i+1)
		}
		keepList(out[0], sum)
	}
	value := func(v tensor.Value) int64 {
		if v.IsZero() {
			return 0
		}
		return tensor.Of[int64](&v)[0]
	}
	made := int64(0)
	for range rapid.IntRange(1, 60).Draw(t, "changes") {
		kind := rapid.SampledFrom([]string{"make", "make", "add", "add", "add", "copy", "drop"}).Draw(t, "change")
		if len(lists) == 0 {
			kind = "make"
		}
		i := rapid.IntRange(0, max(0, len(lists)-1)).Draw(t, "list")
		switch kind {
		case "make":
			l, m := newList(tensor.Int64, shape.Shape{}, -1, n), make([]int64, n)
			for range rapid.SampledFrom([]int{0, 1, 1, 2, n}).Draw(t, "elements") {
				v, err := ctx.Alloc(tensor.Int64, []int64{elementBytes / 8})
				if err != nil {
					t.Fatal(err)
				}
				made++
				for k := range tensor.Of[int64](&v) {
					tensor.Of[int64](&v)[k] = made
				}
				at := rapid.IntRange(0, n-1).Draw(t, "at")
				if m[at] == 0 {
					l.begin(at, once(v))
					m[at] = made
				} else {
					ctx.Free(v)
				}
			}
			v, err := l.token(ctx)
			if err != nil {
				t.Fatal(err)
			}
			keepList(v, m)
		case "add":
			add(i, rapid.IntRange(0, len(lists)-1).Draw(t, "to"), rapid.Bool().Draw(t, "moved"))
		case "copy":
			lists[i].Hold(1)
			lists, models = append(lists, lists[i]), append(models, models[i])
		case "drop":
			ctx.Arena.Drop(lists[i])
			lists, models = slices.Delete(lists, i, i+1), slices.Delete(models, i, i+1)
		}
		for k := range lists {
			l, err := listOf(&lists[k])
			if err != nil {
				t.Fatal(err)
			}
			for at, want := range models[k] {
				if got := value(l.at(at)); got != want {
					t.Fatalf("element %d of list %d is %d, not %d", at, k, got, want)
				}
			}
		}
	}
	for _, v := range lists {
		ctx.Arena.Drop(v)
	}
	if used := budget.Used(); used <= -elementBytes || used >= elementBytes {
		t.Fatalf("%d bytes are charged for nothing", used)
	}
	return inPlace
}
