package frames_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/tensor"
)

// program returns a root frame, a loop "L" in it, and a loop "M" in that.
func program(parallel int) []*frames.Static {
	all := []*frames.Static{
		{Name: "", Index: 0, Parent: -1, Nodes: 1, Slots: 1, First: []uint32{2}, Later: []uint32{2}, Parallel: 1},
		{Name: "L", Index: 1, Parent: 0, Nodes: 2, Slots: 3, First: []uint32{2, 4}, Later: []uint32{6, 8}, Enters: 2, Exits: 1, Parallel: parallel},
		{Name: "M", Index: 2, Parent: 1, Nodes: 1, Slots: 1, First: []uint32{2}, Later: []uint32{2}, Enters: 1, Parallel: parallel},
	}
	frames.Number(all)
	return all
}

// loop begins a step and enters L.
func loop(parallel int) (*frames.Table, *frames.Instance) {
	statics := program(parallel)
	t := frames.NewTable(statics)
	return t, t.Enter(statics[1], t.Start())
}

// dropped collects what the table gives up.
type dropped []int32

func (d *dropped) drop(v tensor.Value) {
	if !v.IsZero() {
		*d = append(*d, tensor.At0[int32](&v))
	}
}

func none(tensor.Value) { panic("nothing was held") }

func TestCountsOfFirstAndLater(t *testing.T) {
	table, f := loop(10)
	for i, want := range [][]uint32{{2, 4}, {6, 8}, {6, 8}} {
		if i > 0 {
			table.Advance(f)
		}
		it := f.Iteration(i)
		if it.Index != i || it.Frame != f || !slices.Equal(it.Pending, want) {
			t.Errorf("iteration %d waits for %v, want %v", it.Index, it.Pending, want)
		}
	}
	if f.Newest() != 2 || f.Alive() != 3 || f.At(0).Index != 0 || f.At(2).Index != 2 {
		t.Errorf("newest %d of %d alive", f.Newest(), f.Alive())
	}
}

func TestIterationsRetireInOrder(t *testing.T) {
	table, f := loop(10)
	f.PendingEnters = 0
	for range 3 {
		table.Advance(f)
	}
	f.At(0).Outstanding, f.At(2).Outstanding = 1, 1
	if table.Retire(f, none) {
		t.Fatal("iteration 0 retired with something outstanding")
	}
	f.Iteration(0).Outstanding = 0
	retired := 0
	for table.Retire(f, none) {
		retired++
	}
	if retired != 2 || f.At(0).Index != 2 {
		t.Fatalf("%d retired, the oldest alive is %d; want 2, as iteration 2 has something outstanding", retired, f.At(0).Index)
	}
	f.Iteration(2).Outstanding = 0
	for table.Retire(f, none) {
	}
	if !f.Done() {
		t.Error("no iteration is alive and the frame is not done")
	}
}

func TestFirstIterationWaitsForEnters(t *testing.T) {
	table, f := loop(10)
	for ; f.PendingEnters > 0; f.PendingEnters-- {
		if table.Retire(f, none) || f.Done() {
			t.Fatalf("ended with %d Enters pending", f.PendingEnters)
		}
	}
	if !table.Retire(f, none) || !f.Done() {
		t.Error("did not end")
	}
}

func TestIterationWaitsForChildren(t *testing.T) {
	table, f := loop(10)
	statics := program(10)
	f.PendingEnters = 0
	child := table.Enter(statics[2], f.At(0))
	if f.At(0).Child(child.Static) != child || len(f.At(0).Children()) != 1 {
		t.Error("the child is not found")
	}
	if table.Retire(f, none) {
		t.Fatal("retired with a child alive")
	}
	child.PendingEnters = 0
	if !table.Retire(child, none) || !child.Done() {
		t.Fatal("the child did not end")
	}
	table.Leave(child)
	if f.At(0).Child(child.Static) != nil || !table.Retire(f, none) {
		t.Error("did not retire after its child")
	}
}

func TestLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 5, 32} {
		table, f := loop(limit)
		f.PendingEnters = 0
		for i := 1; i < 100; i++ {
			if f.Alive() > limit {
				t.Fatalf("%d alive, limit %d", f.Alive(), limit)
			}
			if f.Full() != (f.Alive() == limit) {
				t.Fatalf("%d alive, limit %d, full %v", f.Alive(), limit, f.Full())
			}
			if f.Full() && !table.Retire(f, none) {
				t.Fatal("nothing retired")
			}
			if it := table.Advance(f); it.Index != i || f.Iteration(i) != it {
				t.Fatalf("iteration %d started, want %d", it.Index, i)
			}
		}
	}
}

// TestDeadExits: those of the newest iteration are kept until another starts.
func TestDeadExits(t *testing.T) {
	table, f := loop(10)
	f.DeadExits = append(f.DeadExits, 7)
	table.Advance(f)
	if len(f.DeadExits) != 0 {
		t.Errorf("%v of iteration 0 outlived it", f.DeadExits)
	}
	f.DeadExits = append(f.DeadExits, 8)
	f.PendingEnters = 0
	for table.Retire(f, none) {
	}
	if !f.Done() || !slices.Equal(f.DeadExits, []int32{8}) {
		t.Errorf("done %v with dead exits %v, want [8]", f.Done(), f.DeadExits)
	}
}

func TestRetireDropsWhatWasNotConsumed(t *testing.T) {
	table, f := loop(10)
	f.PendingEnters = 0
	f.At(0).Inputs[1] = tensor.Scalar(int32(5))
	var d dropped
	table.Retire(f, d.drop)
	if fmt.Sprint(d) != "[5]" {
		t.Errorf("dropped %v", d)
	}
}

func TestTags(t *testing.T) {
	table, f := loop(10)
	statics := program(10)
	table.Advance(f)
	child := table.Enter(statics[2], f.Iteration(1))
	for _, c := range []struct {
		it   *frames.Iteration
		want string
	}{{nil, ""}, {table.Root(), ""}, {f.At(0), "L[0]"}, {f.At(1), "L[1]"}, {child.At(0), "L[1]/M[0]"}} {
		if got := c.it.Tag(); got != c.want {
			t.Errorf("tag %q, want %q", got, c.want)
		}
	}
	if !table.Root().Root() || f.At(0).Root() {
		t.Error("Root")
	}
}

// TestReset: whatever is held anywhere is given up, once, and the table serves
// another step without making anything new.
func TestReset(t *testing.T) {
	statics := program(4)
	table := frames.NewTable(statics)
	scalar := func(x int32) tensor.Value { return tensor.Scalar(x) }
	step := func() []int32 {
		root := table.Start()
		root.Inputs[0] = scalar(1)
		f := table.Enter(statics[1], root)
		if f.Alive() != 1 || f.Newest() != 0 || f.PendingEnters != 2 || f.Left[0] || f.Unfused || len(f.Constants)+len(f.Queued)+len(f.DeadExits) != 0 {
			t.Fatalf("entered %+v", f)
		}
		f.Constants = append(f.Constants, frames.Held{Node: 1, Value: scalar(2)}, frames.Held{Node: 2, Dead: true})
		f.Queued = append(f.Queued, frames.Held{Node: 3, Value: scalar(3)})
		f.DeadExits = append(f.DeadExits, 4)
		f.Left[0], f.Unfused = true, true
		f.At(0).Inputs[2] = scalar(4)
		f.At(0).Outstanding = 3
		table.Advance(f).Inputs[0] = scalar(5)
		table.Enter(statics[2], f.At(1)).At(0).Inputs[0] = scalar(6)
		table.Enter(statics[2], f.At(0)).At(0).Inputs[0] = scalar(7)
		var d dropped
		table.Reset(d.drop)
		slices.Sort(d)
		return d
	}
	for range 3 {
		if d := step(); fmt.Sprint(d) != "[1 2 3 4 5 6 7]" {
			t.Fatalf("gave up %v", d)
		}
		if table.Root() != nil {
			t.Fatal("a root after Reset")
		}
		table.Reset(none)
	}
	again := testing.AllocsPerRun(10, func() {
		f := table.Enter(statics[1], table.Start())
		table.Advance(f)
		table.Enter(statics[2], f.At(1))
		table.Reset(func(tensor.Value) {})
	})
	if again != 0 {
		t.Errorf("a step allocates %v times", again)
	}
}

// TestManyFrames: 50,000 frames below each other, and as many beside each other,
// are entered, named and given up in no time.
func TestManyFrames(t *testing.T) {
	const many = 50_000
	for _, deep := range []bool{true, false} {
		statics := []*frames.Static{{Parent: -1, Parallel: 1}}
		for i := 1; i <= many; i++ {
			s := &frames.Static{Name: "f", Index: i, Enters: 1, Parallel: 1}
			if deep {
				s.Parent = i - 1
			}
			statics = append(statics, s)
		}
		frames.Number(statics)
		table := frames.NewTable(statics)
		for _, leave := range []bool{true, false} {
			it := table.Start()
			var all []*frames.Instance
			for _, s := range statics[1:] {
				if it.Child(s) != nil {
					t.Fatal("entered before its time")
				}
				f := table.Enter(s, it)
				if all = append(all, f); it.Child(s) != f {
					t.Fatal("not found")
				}
				if deep {
					it = f.At(0)
				}
			}
			if want := many * len("/f[0]"); deep && len(it.Tag()) != want-1 {
				t.Fatalf("a tag of %d bytes, want %d", len(it.Tag()), want-1)
			}
			if leave {
				for i := range all {
					f := all[i]
					if deep {
						f = all[len(all)-1-i]
					}
					f.PendingEnters = 0
					if !table.Retire(f, none) || !f.Done() {
						t.Fatal("did not end")
					}
					table.Leave(f)
				}
				if n := len(table.Root().Children()); n != 0 {
					t.Fatalf("%d children are left", n)
				}
			}
			table.Reset(none)
		}
	}
}
