package model_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/registry"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// mapped is a model whose signatures read one large variable in different ways: within a
// unit, shared out among workers, on goroutines of their own, outside of the step.
func mapped(t *testing.T, dir string) model.Export {
	const rows, columns = 1024, 256
	s := op.NewScope().WithUniqueNames()
	handle, w := variable(s, "w", rows, columns)
	x := placeholder(s, "x", tf.Float, -1, rows)
	all := op.Const(s, []int32{0, 1})
	file := filepath.Join(dir, "saved")
	saved := op.SaveV2(s, op.Const(s, file), op.Const(s, []string{"w"}), op.Const(s, []string{""}), []tf.Output{w})

	queue := op.FIFOQueueV2(s, []tf.DataType{tf.Float})
	in := op.QueueEnqueueV2(s, queue, []tf.Output{w})
	taken := op.QueueDequeueV2(s.WithControlDependencies(in), queue, []tf.DataType{tf.Float})[0]

	row := []tf.Shape{tf.MakeShape(columns)}
	set := op.TensorSliceDataset(s, []tf.Output{w}, row)
	set = op.PrefetchDataset(s, set, op.Const(s, int64(3)), []tf.DataType{tf.Float}, row)
	iterator := op.IteratorV2(s, "rows", "", []tf.DataType{tf.Float}, row)
	begun := op.MakeIterator(s, set, iterator)
	element := op.IteratorGetNext(s.WithControlDependencies(begun), iterator, []tf.DataType{tf.Float}, row)[0]

	// Batches are copied where the dataset runs: on the goroutine of the iterator's kernel, or
	// of the prefetching.
	inBatches := func(prefetch bool) tf.Output {
		batch := []tf.Shape{tf.MakeShape(rows/2, columns)}
		set := op.BatchDatasetV2(s, op.TensorSliceDataset(s, []tf.Output{w}, row), op.Const(s, int64(rows/2)), op.Const(s, true), []tf.DataType{tf.Float}, batch)
		if prefetch {
			set = op.PrefetchDataset(s, set, op.Const(s, int64(1)), []tf.DataType{tf.Float}, batch)
		}
		iterator := op.IteratorV2(s, fmt.Sprint("batches", prefetch), "", []tf.DataType{tf.Float}, batch)
		begun := op.MakeIterator(s, set, iterator)
		return op.IteratorGetNext(s.WithControlDependencies(begun), iterator, []tf.DataType{tf.Float}, batch)[0]
	}

	// Elements are stacked where the kernel starts that takes them, in a loop within a unit.
	stacked := func(s *op.Scope, queue, w tf.Output) tf.Output {
		in := op.QueueEnqueueManyV2(s, queue, []tf.Output{w})
		return op.QueueDequeueManyV2(s.WithControlDependencies(in), queue, op.Const(s, int32(rows)), []tf.DataType{tf.Float})[0]
	}
	rowsQueue := op.FIFOQueueV2(s, []tf.DataType{tf.Float}, op.FIFOQueueV2Shapes(row))
	waiting := op.While(s, []tf.Output{op.Const(s, int32(0)), op.Const(s, float32(0)), rowsQueue, w},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Const(s, int32(3))) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, v[0], op.Const(s, int32(1))), op.Add(s, v[1], op.Sum(s, stacked(s, v[2], v[3]), op.Const(s, []int32{0, 1}))), v[2], v[3]}
		})[1]

	sum := op.While(s, []tf.Output{op.Const(s, int32(0)), op.Const(s, float32(0))},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], op.Const(s, int32(3))) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, v[0], op.Const(s, int32(1))), op.Add(s, v[1], op.Sum(s, w, op.Const(s, []int32{0, 1})))}
		})[1]
	outputs := map[string]tf.Output{
		"product":     op.MatMul(s, x, w),
		"row":         op.MatMul(s, op.Slice(s, x, op.Const(s, []int32{0, 0}), op.Const(s, []int32{1, -1})), w),
		"elementwise": op.Relu(s, op.Mul(s, w, w)),
		"sum":         op.Sum(s, w, all),
		"transposed":  op.Transpose(s, w, op.Const(s, []int32{1, 0})),
		"convolution": op.Conv2D(s, op.Reshape(s, x, op.Const(s, []int32{1, 8, 8, -1})), op.Reshape(s, w, op.Const(s, []int32{2, 2, -1, 64})), []int64{1, 1, 1, 1}, "SAME"),
		"gathered":    op.ResourceGather(s, handle, op.Const(s, []int32{5, 1000}), tf.Float),
		"fetched":     w,
		"viewed":      op.Reshape(s, w, op.Const(s, []int32{-1})),
		"queue":       op.Sum(s, taken, all),
		"dataset":     op.Mul(s, element, element),
		"loop":        sum,
		"batches":     inBatches(false),
		"prefetched":  inBatches(true),
		"stacked":     stacked(s, rowsQueue, w),
		"waiting":     waiting,
		"saved":       op.Const(s.WithControlDependencies(saved), float32(1)),
	}
	w1 := make([][]float32, rows)
	for i := range w1 {
		w1[i] = make([]float32, columns)
		for j := range w1[i] {
			w1[i][j] = float32((i*31+j*17)%101)/50 - 1
		}
	}
	e := model.Export{Variables: map[string]*tf.Tensor{"w": tensorOf(t, w1)}, Signatures: map[string]model.ExportSignature{}}
	for key, o := range outputs {
		sig := model.ExportSignature{Outputs: map[string]tf.Output{"y": o}}
		switch key {
		case "product", "row", "convolution":
			sig.Inputs = map[string]tf.Output{"x": x}
		}
		e.Signatures[key] = sig
	}
	e.Graph = finish(t, s)
	// Rows of several callers are joined on the goroutine of the batch: here one caller's, and
	// copies of the first row.
	def, err := notation.Parse("func Same(x: float) -> (y: float) {\n  y = Identity(x) {T=DT_FLOAT}\n  return y = y:output:0\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Graph.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	joined, err := e.Graph.AddOperation(graph.OpSpec{Type: "BatchFunction", Input: []graph.Input{graph.OutputList{w}, graph.OutputList{}}, Attrs: graph.Attrs{
		"f": &registry.Func{Name: "Same"}, "Tout": []tf.DataType{tf.Float}, "num_batch_threads": int64(1), "max_batch_size": int64(2 * rows),
		"batch_timeout_micros": int64(0), "allowed_batch_sizes": []int64{2 * rows},
	}})
	if err != nil {
		t.Fatal(err)
	}
	e.Signatures["joined"] = model.ExportSignature{Outputs: map[string]tf.Output{"y": joined.Output(0)}}
	return e
}

// identical reports whether tensors of floats have the same bits.
func identical(a, b *tf.Tensor) bool {
	x, err := a.Contents()
	y, other := b.Contents()
	return err == nil && other == nil && bytes.Equal(x, y)
}

// Models whose variables are mapped compute what others do. Where the file is cut off under
// them, every way to read a variable is an error that names it, on every engine.
func TestMappedFileIsCutOff(t *testing.T) {
	if !files.CanMap {
		t.Skip("files are not mapped here")
	}
	for _, engine := range []string{"actors", "tokens", "messages", "messages:4", "seeded:3", "sequential"} {
		for _, threads := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/%d", engine, threads), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "model")
				if err := model.Write(dir, mapped(t, filepath.Dir(dir))); err != nil {
					t.Fatal(err)
				}
				data := filepath.Join(dir, "variables", "variables.data-00000-of-00001")
				load := func(m bool) *model.SavedModel {
					loaded, err := model.Load(dir, []string{"serve"}, &tf.SessionOptions{Engine: engine, Threads: threads, MapFiles: m})
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { loaded.Session.Close() })
					return loaded
				}
				x := make([]float32, 64*1024)
				for i := range x {
					x[i] = float32(i%13) - 6
				}
				in, err := tf.FromSlice(x, 64, 1024)
				if err != nil {
					t.Fatal(err)
				}
				read, m := load(false), load(true)
				run := func(m *model.SavedModel, key string) (*tf.Tensor, error) {
					feeds := map[string]*tf.Tensor{}
					if _, ok := m.Signatures[key].Inputs["x"]; ok {
						feeds["x"] = in
					}
					out, err := m.Run(context.Background(), key, feeds)
					return out["y"], err
				}
				if n := m.Session.MemoryInUse(); n > 64<<10 {
					t.Errorf("%d bytes are charged to a session whose variable is mapped", n)
				}
				got := map[string]*tf.Tensor{}
				for key := range m.Signatures {
					for range 2 {
						want, err := run(read, key)
						if err != nil {
							t.Fatal(err)
						}
						if got[key], err = run(m, key); err != nil {
							t.Fatal(err)
						}
						if !identical(got[key], want) {
							t.Errorf("%s: differs from that of a file that is read", key)
						}
					}
				}
				kept := m.Session.Variables()["w"]
				if err := os.Truncate(data, 10); err != nil {
					t.Fatal(err)
				}
				for key := range m.Signatures {
					_, err := run(m, key)
					if status.CodeOf(err) != status.DataLoss || !strings.Contains(err.Error(), data) {
						t.Errorf("%s, of a file that was cut off: %v", key, err)
					}
				}
				if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "saved*temp*")); len(left) > 0 || err != nil {
					t.Errorf("of a checkpoint that was not written, %v is left (%v)", left, err)
				}
				// What has left a step is not the file's.
				if want := read.Session.Variables()["w"]; !identical(got["fetched"], want) || !identical(kept, want) {
					t.Error("what was fetched has changed")
				}
				if w, ok := m.Session.Variables()["w"]; ok {
					t.Errorf("a variable that cannot be read is %v", w)
				}
			})
		}
	}
}

// The files stay mapped as long as a session has a variable of them, and no longer.
func TestMappingsEnd(t *testing.T) {
	if !files.CanMap {
		t.Skip("files are not mapped here")
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := model.Write(dir, mapped(t, filepath.Dir(dir))); err != nil {
		t.Fatal(err)
	}
	is := func() bool {
		t.Helper()
		b, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip(err)
		}
		return strings.Contains(string(b), dir)
	}
	m, err := model.Load(dir, []string{"serve"}, &tf.SessionOptions{MapFiles: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		runtime.GC()
	}
	if !is() {
		t.Error("the file is not mapped, though the model has a variable of it")
	}
	if _, err := m.Run(context.Background(), "elementwise", nil); err != nil {
		t.Error(err)
	}
	m.Session.Close()
	m = nil
	for range 1000 {
		if runtime.GC(); !is() {
			return
		}
		runtime.Gosched()
	}
	t.Error("the file is still mapped, though the session is closed")
}
