package serve

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/benchmarks/decoders"
	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// TestBatchLoops has requests of a decoder meet in its loop: more run than there are CPUs, all in
// the same iterations, and each has the answer that it has alone.
func TestBatchLoops(t *testing.T) {
	d, err := decoders.New("gru", 16, 50)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "decoder")
	if err := model.Write(dir, model.Export{Graph: d.Graph, Signatures: map[string]model.ExportSignature{"serving_default": {
		Inputs:  map[string]graph.Output{"word": d.Word, "length": d.Length, "scale": d.Scale},
		Outputs: map[string]graph.Output{"words": d.Words},
	}}}); err != nil {
		t.Fatal(err)
	}
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "alone", Path: dir}); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(t.Context(), Config{Name: "together", Path: dir, BatchLoops: true}); err != nil {
		t.Fatal(err)
	}
	const callers = 16
	request := func(i int) map[string]*tensor.Tensor {
		a := decoders.Args(int32(i), int32(10+5*i), 1)
		return map[string]*tensor.Tensor{"word": a[0], "length": a[1], "scale": a[2]}
	}
	entered := make(chan struct{}, callers)
	var once sync.Once
	ctx := cellular.Watched(context.Background(), &cellular.Watch{
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			once.Do(func() {
				for range callers {
					<-entered
				}
			})
		},
	})
	iterations, rows := cellular.Counts()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			want, _, err := m.Predict(t.Context(), Spec{Model: "alone"}, request(i))
			if err != nil {
				t.Error(err)
				return
			}
			got, _, err := m.Predict(ctx, Spec{Model: "together"}, request(i))
			if err != nil {
				t.Error(err)
			} else if err := tensor.Compare(got["words"], want["words"], tensor.Tolerance{Exact: true}); err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	i, r := cellular.Counts()
	if iterations, rows = i-iterations, r-rows; iterations > 90 || rows != 16*10+5*120 {
		t.Errorf("%d iterations of %d callers in all", iterations, rows)
	}
}

// TestMeeting: requests that share iterations take as many places as there are CPUs, however many
// run, and leave the others to other models.
func TestMeeting(t *testing.T) {
	o := Options{Session: session.SessionOptions{BatchLoops: true}}
	cores := o.atATime()
	turns := newTurns(cores + 1)
	loops, other := turns.line("loops", &meter{}), lineOf(turns, "other", 9, 9, 1)
	loops.set(o, Config{})
	var running []*turn
	for range meeting * cores {
		w, err := loops.turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		running = append(running, w)
	}
	if turns.taken != cores {
		t.Errorf("%d places are taken, not %d", turns.taken, cores)
	}
	w, err := other.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other.end(w)
	for _, w := range running {
		loops.end(w)
	}
	if turns.taken != 0 {
		t.Errorf("%d places are left", turns.taken)
	}
}
