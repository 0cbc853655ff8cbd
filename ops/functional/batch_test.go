package functional_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func TestBatchAlone(t *testing.T) { kerneltest.Script(t, "testdata/batch") }

// Callers who come together share a batch, which one of them gets; everybody's
// rows are in it, where the index says.
func TestBatchOfSeveral(t *testing.T) {
	const callers = 3
	attrs := registry.Attrs{
		{Name: "num_batch_threads", Value: registry.IntAttr(1)}, {Name: "max_batch_size", Value: registry.IntAttr(2 * callers)},
		{Name: "batch_timeout_micros", Value: registry.IntAttr(60e6)}, {Name: "grad_timeout_micros", Value: registry.IntAttr(0)},
	}
	var r kerneltest.Runner
	k, outputs, err := kerneltest.New("batch", "Batch", attrs, tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	results := make([][]tensor.Value, callers)
	var all sync.WaitGroup
	for i := range callers {
		x, err := tensor.FromSlice([]int64{int64(10 * i), int64(10*i + 1)}, 2)
		if err != nil {
			t.Fatal(err)
		}
		ctx := r.Context()
		results[i] = make([]tensor.Value, len(outputs))
		all.Go(func() {
			if err := k.Run(ctx, []tensor.Value{tensor.ValueOf(x)}, results[i]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	winner := slices.IndexFunc(results, func(out []tensor.Value) bool { return out[0].Dim(0) > 0 })
	rows, index := tensor.Of[int64](&results[winner][0]), tensor.Of[int64](&results[winner][1])
	if len(rows) != 2*callers || len(index) != 3*callers {
		t.Fatalf("the batch is %v with the index %v", rows, index)
	}
	for i, out := range results {
		if i != winner && (out[0].Dim(0) != 0 || out[1].Dim(0) != 0 || out[1].Dim(1) != 3) {
			t.Errorf("caller %d got %v and %v, too", i, out[0], out[1])
		}
		id, found := tensor.At0[int64](&out[2]), false
		for at := 0; at < len(index); at += 3 {
			if index[at] == id {
				found = index[at+2] == index[at+1]+2 && rows[index[at+1]] == int64(10*i)
			}
		}
		if !found {
			t.Errorf("caller %d, id %d, is not where the index %v of %v says", i, id, index, rows)
		}
	}
}
