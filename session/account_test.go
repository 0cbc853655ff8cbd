package session_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// A keeper draws what is kept, and what keeps it from step to step.
type keeper struct {
	*rand.Rand
	targets []*tf.Operation
	drawn   []string
}

// one calls one of the functions.
func (k *keeper) one(from map[string]func()) {
	names := make([]string, 0, len(from))
	for name := range from {
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[k.IntN(len(names))]
	k.drawn = append(k.drawn, name)
	from[name]()
}

func (k *keeper) run(o *tf.Operation) { k.targets = append(k.targets, o) }

// rows returns a tensor of rows: of numbers, from one to some hundred, or of strings.
func (k *keeper) rows(s *op.Scope) (x tf.Output, dt tf.DataType, row []int64, n int32) {
	n = int32(1 + k.IntN(3000))
	random := func(dims ...int32) tf.Output { // nothing is folded
		return op.RandomUniform(s.SubScope("random"), op.Const(s.SubScope("dims"), dims), tf.Float)
	}
	if k.IntN(2) == 0 {
		m := int32(1 + k.IntN(1<<k.IntN(9)))
		return random(n, m), tf.Float, []int64{int64(m)}, n
	}
	return op.StringJoin(s, []tf.Output{op.AsString(s, random(n)), op.Const(s.SubScope("text"), strings.Repeat("x", k.IntN(1500)))}), tf.String, nil, n
}

// wrapped is x within a variant, and that perhaps within another.
func (k *keeper) wrapped(s *op.Scope, x tf.Output, dt tf.DataType) tf.Output {
	v := x
	for depth := 0; depth == 0 || k.IntN(2) == 0; depth++ {
		s := s.SubScope("wrap")
		around := map[string]func(){
			"optional":  func() { v = op.OptionalFromValue(s, []tf.Output{v}) },
			"composite": func() { v = op.CompositeTensorVariantFromComponents(s, []tf.Output{v}, "") },
			"list": func() {
				l := op.EmptyTensorList(s, op.Const(s.SubScope("any"), int32(-1)), op.Const(s.SubScope("most"), int32(-1)), dt)
				v = op.TensorListPushBack(s, l, v)
			},
		}
		if depth == 0 {
			around["rows"] = func() { v = op.TensorListFromTensor(s, x, op.Const(s.SubScope("any"), int32(-1))) }
			around["ragged"] = func() { v = op.RaggedTensorToVariant(s, nil, x, false) }
			around["compressed"] = func() { v = op.CompressElement(s, []tf.Output{x}) }
		}
		k.one(around)
		dt = tensor.Variant
	}
	return v
}

// keep keeps x, a tensor or a variant of type dt, under a name, in whatever keeps anything.
func (k *keeper) keep(s *op.Scope, x tf.Output, dt tf.DataType, dims []int64, name string) {
	types := []tf.DataType{dt}
	priority := op.Const(s.SubScope("priority"), int64(1))
	k.one(map[string]func(){
		"variable": func() {
			h := op.VarHandleOp(s, dt, tf.Shape{}, op.VarHandleOpSharedName(name))
			k.run(op.AssignVariableOp(s, h, x))
		},
		"queue": func() {
			q := op.FIFOQueueV2(s, types, op.FIFOQueueV2Capacity(-1), op.FIFOQueueV2SharedName(name))
			k.run(op.QueueEnqueueV2(s, q, []tf.Output{x}))
		},
		"shuffle queue": func() {
			q := op.RandomShuffleQueueV2(s, types, op.RandomShuffleQueueV2Capacity(-1), op.RandomShuffleQueueV2SharedName(name))
			k.run(op.QueueEnqueueV2(s, q, []tf.Output{x}))
		},
		"priority queue": func() {
			q := op.PriorityQueueV2(s, []tf.Shape{tf.MakeShape(dims...)}, op.PriorityQueueV2ComponentTypes(types), op.PriorityQueueV2Capacity(-1), op.PriorityQueueV2SharedName(name))
			k.run(op.QueueEnqueueV2(s, q, []tf.Output{priority, x}))
		},
		"stage": func() { k.run(op.Stage(s, []tf.Output{x}, op.StageSharedName(name))) },
		"map stage": func() {
			key := op.Bitcast(s, op.RandomUniform(s.SubScope("key"), op.Const(s.SubScope("two"), []int32{2}), tf.Float), tf.Int64)
			k.run(op.MapStage(s, key, op.Const(s.SubScope("zero"), []int32{0}), []tf.Output{x}, types, op.MapStageSharedName(name)))
		},
		"session tensor": func() { k.run(op.GetSessionHandleV2(s, x).Op) },
	})
}

// keepRows keeps the rows of x in what has many elements.
func (k *keeper) keepRows(s *op.Scope, x tf.Output, dt tf.DataType, row []int64, n int32, name string) {
	types := []tf.DataType{dt}
	numbers := op.Range(s.SubScope("range"), op.Const(s.SubScope("lo"), int64(0)), op.Const(s.SubScope("hi"), int64(n)), op.Const(s.SubScope("by"), int64(1)))
	from := map[string]func(){
		"queue of rows": func() {
			q := op.FIFOQueueV2(s, types, op.FIFOQueueV2Capacity(-1), op.FIFOQueueV2SharedName(name))
			k.run(op.QueueEnqueueManyV2(s, q, []tf.Output{x}))
		},
		"shuffle queue of rows": func() {
			q := op.RandomShuffleQueueV2(s, types, op.RandomShuffleQueueV2Capacity(-1), op.RandomShuffleQueueV2SharedName(name))
			k.run(op.QueueEnqueueManyV2(s, q, []tf.Output{x}))
		},
		"priority queue of rows": func() {
			q := op.PriorityQueueV2(s, []tf.Shape{tf.MakeShape(row...)}, op.PriorityQueueV2ComponentTypes(types), op.PriorityQueueV2Capacity(-1), op.PriorityQueueV2SharedName(name))
			k.run(op.QueueEnqueueManyV2(s, q, []tf.Output{numbers, x}))
		},
		"shuffled dataset": func() { // whose iterator has them in its buffer
			d := op.TensorSliceDataset(s, []tf.Output{x}, []tf.Shape{{}})
			d = op.ShuffleDataset(s, d, op.Const(s.SubScope("buffer"), int64(1)<<40), op.Const(s.SubScope("seed"), int64(1)), op.Const(s.SubScope("seed2"), int64(2)), types, []tf.Shape{{}})
			it := op.IteratorV2(s, name, "", types, []tf.Shape{{}})
			made := op.MakeIterator(s, d, it)
			k.run(op.IteratorGetNext(s.WithControlDependencies(made), it, types, []tf.Shape{{}})[0].Op)
		},
	}
	if dt == tf.String {
		from["table"] = func() {
			h := op.MutableHashTableV2(s, tf.Int64, dt, op.MutableHashTableV2SharedName(name))
			k.run(op.LookupTableInsertV2(s, h, numbers, x))
		}
		from["table by text"] = func() {
			h := op.MutableHashTableV2(s, dt, tf.Int64, op.MutableHashTableV2SharedName(name))
			k.run(op.LookupTableInsertV2(s, h, x, numbers))
		}
	}
	k.one(from)
}

// What resources hold between steps, whatever it is made of and however it is kept, is
// on the account: that agrees with the heap, within a tenth and a MiB.
func TestAccountIsHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("figures of memory, which the race detector changes")
	}
	for seed := range *accounts {
		k := &keeper{Rand: rand.New(rand.NewPCG(seed, 0))}
		root := op.NewScope()
		for i := range 8 {
			name := strings.Repeat("v", i+1)
			s := root.SubScope(name)
			x, dt, row, n := k.rows(s)
			switch k.IntN(4) {
			case 0:
				k.keep(s, x, dt, append([]int64{int64(n)}, row...), name)
			case 1, 2:
				k.keep(s, k.wrapped(s, x, dt), tensor.Variant, nil, name)
			default:
				k.keepRows(s, x, dt, row, n, name)
			}
		}
		g, err := root.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		se, err := tf.NewSession(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := se.RunContext(context.Background(), nil, nil, k.targets); err != nil {
				t.Fatal(err)
			}
		}
		heap, account := heapInUse(), se.MemoryInUse()
		if err := se.Close(); err != nil {
			t.Error(err)
		}
		heap -= heapInUse()
		if d := account - heap; d > heap/10+1<<20 || -d > heap/10+1<<20 {
			t.Errorf("seed %d: %d bytes are on the account, and %d on the heap, of %v", seed, account, heap, k.drawn)
		}
		if left := se.MemoryInUse(); left != 0 {
			t.Errorf("seed %d: %d bytes are left on the account", seed, left)
		}
		runtime.KeepAlive(g)
	}
}

var accounts = flag.Uint64("accounts", 16, "check the accounts of `N` random programs")

// heapInUse returns the bytes that somebody refers to.
func heapInUse() int64 {
	for range 3 { // pools keep things over two collections
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
