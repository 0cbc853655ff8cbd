package list

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// elementBytes is what an element of the test takes: more than what a budget may
// be behind.
const elementBytes = 1 << 16

// A ledger plays the driver of a step: it holds lists and elements by tokens, and
// knows by a model of plain slices which elements somebody has.
type ledger struct {
	ctx    kernel.Context
	lists  []tensor.Value
	models [][]int
	loose  map[int]tensor.Value // elements of which a token is held
	made   int
}

func (g *ledger) hold(t *rapid.T, l *List, model []int) {
	v, err := l.token(&g.ctx)
	if err != nil {
		t.Fatal(err)
	}
	g.ctx.Arena.Claim(v)
	v.Hold(1)
	g.lists, g.models = append(g.lists, v), append(g.models, model)
}

func (g *ledger) element(t *rapid.T) (int, item) {
	v, err := g.ctx.Alloc(tensor.Int64, []int64{elementBytes / 8})
	if err != nil {
		t.Fatal(err)
	}
	g.made++
	tensor.Of[int64](&v)[0] = int64(g.made)
	x, err := keep(&g.ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	return g.made, x
}

// check compares what is charged with what lists and tokens have, and all lists
// with their models.
func (g *ledger) check(t *rapid.T, budget *tensor.Budget) {
	alive := map[int]bool{}
	for k := range g.loose {
		alive[k] = true
	}
	for _, m := range g.models {
		for _, k := range m {
			if k > 0 {
				alive[k] = true
			}
		}
	}
	// Versions and places are charged besides; a few hundred of them are less than an
	// element.
	const grain = 1 << 12
	rest := budget.Used() - int64(len(alive))*(tensor.HeaderBytes+elementBytes)
	if rest < -grain || rest > grain+int64(len(g.lists))*(versionBytes+2*128*placeBytes) {
		t.Fatalf("%d bytes are charged for %d elements in %d lists", budget.Used(), len(alive), len(g.lists))
	}
}

func (g *ledger) read(t *rapid.T, k int) {
	l, err := listOf(&g.lists[k])
	if err != nil {
		t.Fatal(err)
	}
	if l.n != len(g.models[k]) {
		t.Fatalf("list %d has %d elements, want %d", k, l.n, len(g.models[k]))
	}
	for i, want := range g.models[k] {
		v, got := l.at(i), int64(0)
		if !v.IsZero() {
			got = tensor.Of[int64](&v)[0]
		}
		if got != int64(want) {
			t.Fatalf("element %d of list %d is %d, want %d", i, k, got, want)
		}
	}
}

// TestHold changes, reads and drops arbitrary versions of lists, and wants every
// element to be charged for just as long as some list or token has it.
func TestHold(t *testing.T) {
	for _, away := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) { hold(t, away) })
	}
}

func hold(t *rapid.T, away bool) {
	budget := tensor.NewBudget(16 << 20)
	g := &ledger{ctx: kernel.Context{Arena: &tensor.Arena{Budget: budget}}, loose: map[int]tensor.Value{}}
	if away {
		g.ctx.Lock = new(sync.Mutex)
	}
	g.hold(t, newList(tensor.Int64, shape.Shape{}, -1, 0), nil)
	for range rapid.IntRange(1, 80).Draw(t, "changes") {
		if len(g.lists) == 0 {
			break
		}
		k := rapid.IntRange(0, len(g.lists)-1).Draw(t, "list")
		l, err := listOf(&g.lists[k])
		if err != nil {
			t.Fatal(err)
		}
		m := append([]int(nil), g.models[k]...)
		switch rapid.SampledFrom([]string{"set", "push", "push", "pop", "cut", "grow", "read", "take", "drop", "drop"}).Draw(t, "change") {
		case "set":
			if l.n > 0 {
				i := rapid.IntRange(0, l.n-1).Draw(t, "i")
				e, x := g.element(t)
				m[i] = e
				g.hold(t, l.with(l.n, change{i, x}), m)
			}
		case "push":
			if len(g.lists) < 8 {
				e, x := g.element(t)
				g.hold(t, l.with(l.n+1, change{l.n, x}), append(m, e))
			}
		case "pop":
			if l.n > 0 {
				g.hold(t, l.first(l.n-1), m[:l.n-1])
			}
		case "cut":
			n := rapid.IntRange(0, l.n).Draw(t, "n")
			g.hold(t, l.first(n), m[:n])
		case "grow":
			g.hold(t, l.first(l.n+2), append(m, 0, 0))
		case "read":
			g.read(t, k)
		case "take": // an element out of the list, which lives on without it
			if l.n > 0 && m[l.n-1] > 0 && g.loose[m[l.n-1]].IsZero() {
				v := l.at(l.n - 1)
				v.Hold(1)
				g.loose[m[l.n-1]] = v
			}
		case "drop":
			g.ctx.Arena.Drop(g.lists[k])
			g.lists, g.models = append(g.lists[:k], g.lists[k+1:]...), append(g.models[:k], g.models[k+1:]...)
		}
		g.check(t, budget)
	}
	for k := range g.lists {
		g.read(t, k)
		g.ctx.Arena.Drop(g.lists[k])
	}
	g.lists, g.models = nil, nil
	g.check(t, budget)
	for k, v := range g.loose {
		g.ctx.Arena.Drop(v)
		delete(g.loose, k)
	}
	g.check(t, budget)
}

// Lists in lists, deeper than any stack, go with the outermost one, or are shared
// with it.
func TestNested(t *testing.T) {
	for _, shared := range []bool{false, true} {
		budget := tensor.NewBudget(1 << 30)
		ctx := kernel.Context{Arena: &tensor.Arena{Budget: budget}}
		innermost, err := ctx.Alloc(tensor.Int64, []int64{elementBytes / 8})
		if err != nil {
			t.Fatal(err)
		}
		v := innermost
		for range 300_000 {
			l, x := newList(v.DType(), shape.Shape{}, -1, 1), once(v)
			l.own.set(0, x)
			l.owe(x)
			if v, err = l.token(&ctx); err != nil {
				t.Fatal(err)
			}
		}
		v.Hold(1)
		if shared {
			v.Share()
		}
		if got := innermost.Shared(); got != shared {
			t.Errorf("the innermost is shared: %v, want %v", got, shared)
		}
		ctx.Arena.Drop(v)
		const grain = 1 << 16
		if used := budget.Used(); shared != (used >= 300_000*versionBytes) || !shared && (used < -grain || used > grain) {
			t.Errorf("shared: %v: %d bytes are charged at the end", shared, used)
		}
	}
}
