package session_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// What variables, queues, tables, staging areas and lists in them hold between steps, of
// numbers and of strings, rows of a few bytes and tensors of many, is on the account: it
// agrees with the heap.
func TestAccountIsHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("figures of memory, which the race detector changes")
	}
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		root := op.NewScope()
		var targets []*tf.Operation
		hold := func(s *op.Scope, x tf.Output, dt tf.DataType, shared string) {
			switch rng.IntN(5) {
			case 0:
				h := op.VarHandleOp(s, dt, tf.Shape{}, op.VarHandleOpSharedName(shared))
				targets = append(targets, op.AssignVariableOp(s, h, x))
				return
			case 1: // its rows, in a list
				list := op.TensorListFromTensor(s, x, op.Const(s.SubScope("any"), int32(-1)))
				h := op.VarHandleOp(s, tensor.Variant, tf.ScalarShape(), op.VarHandleOpSharedName(shared))
				targets = append(targets, op.AssignVariableOp(s, h, list))
				return
			case 2: // its rows
				q := op.FIFOQueueV2(s, []tf.DataType{dt}, op.FIFOQueueV2Capacity(-1), op.FIFOQueueV2SharedName(shared))
				targets = append(targets, op.QueueEnqueueManyV2(s, q, []tf.Output{x}))
				return
			case 3:
				targets = append(targets, op.Stage(s, []tf.Output{x}, op.StageSharedName(shared)))
				return
			}
			q := op.FIFOQueueV2(s, []tf.DataType{dt}, op.FIFOQueueV2Capacity(-1), op.FIFOQueueV2SharedName(shared))
			targets = append(targets, op.QueueEnqueueV2(s, q, []tf.Output{x}))
		}
		for i := range 6 {
			n := int32(1 + rng.IntN(4000))
			name := strings.Repeat("v", i+1)
			s := root.SubScope(name)
			if rng.IntN(2) == 0 {
				rows := op.RandomUniform(s, op.Const(s.SubScope("dims"), []int32{n, int32(1 + rng.IntN(1<<rng.IntN(9)))}), tf.Float)
				hold(s, rows, tf.Float, name)
				continue
			}
			numbers := op.Range(s.SubScope("range"), op.Const(s.SubScope("lo"), int32(0)), op.Const(s.SubScope("hi"), n), op.Const(s.SubScope("one"), int32(1)))
			random := op.RandomUniform(s, op.Const(s.SubScope("dims"), []int32{n}), tf.Float) // nothing is folded
			texts := op.StringJoin(s.SubScope("join"), []tf.Output{op.AsString(s, random), op.Const(s.SubScope("text"), strings.Repeat("x", rng.IntN(1500)))})
			if rng.IntN(3) == 0 {
				h := op.MutableHashTableV2(s, tf.Int64, tf.String, op.MutableHashTableV2SharedName(name))
				targets = append(targets, op.LookupTableInsertV2(s, h, op.Cast(s, numbers, tf.Int64), texts))
				continue
			}
			hold(s, texts, tf.String, name)
		}
		g, err := root.Finalize()
		if err != nil {
			t.Fatal(err)
		}
		se, err := tf.NewSession(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		run := func() {
			if _, err := se.RunContext(context.Background(), nil, nil, targets); err != nil {
				t.Fatal(err)
			}
		}
		run() // what is compiled, and rests in pools, is there now
		heap, account := heapInUse(), se.MemoryInUse()
		const runs = 3
		for range runs {
			run()
		}
		heap, account = heapInUse()-heap, se.MemoryInUse()-account
		if d := account - heap; d > heap/10+1<<20 || -d > heap/10+1<<20 {
			for _, o := range targets {
				t.Log(o.Type())
			}
			t.Errorf("seed %d: %d bytes more are on the account, and %d on the heap", seed, account, heap)
		}
		if err := se.Close(); err != nil {
			t.Error(err)
		}
		if left := se.MemoryInUse(); left != 0 {
			t.Errorf("seed %d: %d bytes are left on the account", seed, left)
		}
	}
}

// heapInUse is the bytes that somebody refers to.
func heapInUse() int64 {
	for range 3 { // pools keep things over two collections
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
