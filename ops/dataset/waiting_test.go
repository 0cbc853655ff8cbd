package dataset_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// engines are the names of all of them.
var engines = []string{"actors", "tokens", "messages", "seeded:3", "sequential"}

// Whoever waits for an element waits no longer than their context, and takes
// nothing from the others; what is made ahead is not lost; and an iterator whose
// function waits for ever ends with the session.
func TestWaitingForElements(t *testing.T) {
	for _, engine := range engines {
		for _, c := range []struct {
			name string
			make func(p *pipeline) graph.Output
		}{
			{"prefetch", func(p *pipeline) graph.Output {
				return p.add("PrefetchDataset", attrs(nil), p.mapped(p.numbers(8), "Wait", 1), int64(2))
			}},
			{"parallel", func(p *pipeline) graph.Output { return p.mapped(p.numbers(8), "Wait", 3) }},
		} {
			t.Run(engine+"/"+c.name, func(t *testing.T) {
				p := newPipeline(t, &session.SessionOptions{Engine: engine, Threads: 1})
				next, err := p.over(c.make(p), tensor.Int64)
				if err != nil {
					t.Fatal(err)
				}
				i := int64(0)
				take := func(ctx context.Context) error {
					t.Helper()
					got, err := next(ctx)
					if err == nil && got[0].Value() != i+100 {
						t.Fatalf("element %d: %v", i, got)
					}
					i++
					return err
				}
				// impatient fails, after at most that many elements.
				impatient := func(most int) {
					t.Helper()
					for n := 0; ; n++ {
						ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
						err := take(ctx)
						cancel()
						if err != nil && session.CodeOf(err) == session.DeadlineExceeded {
							i--
							return
						}
						if err != nil || n == most {
							t.Fatalf("element %d: error %v, want DEADLINE_EXCEEDED", i-1, err)
						}
					}
				}
				impatient(0)
				for range 5 { // for whichever calls: the two after the third may be first
					p.give(100)
				}
				for range 3 {
					if err := take(t.Context()); err != nil {
						t.Fatalf("element %d: %v", i-1, err)
					}
				}
				impatient(2)
				if err := p.session.Close(); err != nil { // while calls wait
					t.Error(err)
				}
				if used := p.session.MemoryInUse(); used != 0 {
					t.Errorf("%d bytes in use", used)
				}
			})
		}
	}
}

// A function that is called in the step of whoever asks ends with it, and the
// element is gone with it.
func TestFunctionsEndWithTheStep(t *testing.T) {
	for _, engine := range engines {
		p := newPipeline(t, &session.SessionOptions{Engine: engine, Threads: 1})
		next, err := p.over(p.mapped(p.numbers(3), "Begin", 1), tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		types := map[string]any{"component_types": []tensor.DType{tensor.Int64}}
		begun := p.add("QueueDequeueV2", types, p.add("FIFOQueueV2", map[string]any{"component_types": types["component_types"], "shared_name": "begun"}))
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := next(ctx)
			failed <- err
		}()
		if _, err := p.session.Run(nil, nil, []*graph.Node{begun.Op}); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-failed; session.CodeOf(err) != session.Canceled {
			t.Errorf("%s: %v", engine, err)
		}
		p.give(10)
		if got, err := next(t.Context()); err != nil || got[0].Value() != int64(11) {
			t.Errorf("%s: %v, %v", engine, got, err)
		}
	}
}

// A step that waits in an iterator hears that another has deleted it.
func TestDeletedWhileWaiting(t *testing.T) {
	p := newPipeline(t, nil)
	next, err := p.over(p.mapped(p.numbers(3), "Begin", 1), tensor.Int64)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]any{"component_types": []tensor.DType{tensor.Int64}}
	begun := p.add("QueueDequeueV2", types, p.add("FIFOQueueV2", map[string]any{"component_types": types["component_types"], "shared_name": "begun"}))
	gone := p.add("DeleteIterator", nil, p.iterator, p.add("OptionalNone", nil)).Op
	failed := make(chan error, 1)
	go func() {
		_, err := next(t.Context())
		failed <- err
	}()
	for _, o := range []*graph.Node{begun.Op, gone} {
		if _, err := p.session.Run(nil, nil, []*graph.Node{o}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-failed; session.CodeOf(err) != session.Canceled || !strings.Contains(err.Error(), "has been deleted") {
		t.Errorf("error %v, want CANCELLED", err)
	}
}

// Pipelines that never come to an element end with the step.
func TestEndlessPipelinesEndWithTheStep(t *testing.T) {
	f := func(attr, name string) map[string]any { return attrs(map[string]any{attr: &registry.Func{Name: name}}) }
	none := graph.OutputList{}
	for name, make := range map[string]func(p *pipeline, all graph.Output) graph.Output{
		"skip": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("SkipDataset", attrs(nil), all, int64(1<<62))
		},
		"shard": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("ShardDataset", attrs(nil), all, int64(1<<62), int64(1<<61))
		},
		"filter": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("FilterDataset", f("predicate", "Never"), all, none)
		},
		"flat": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("FlatMapDataset", f("f", "Nothing"), all, none)
		},
		"interleave": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("InterleaveDataset", f("f", "Nothing"), all, none, int64(4), int64(4))
		},
		"interleave parallel": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("ParallelInterleaveDatasetV2", f("f", "Nothing"), all, none, int64(4), int64(4), int64(2))
		},
		"parallel": func(p *pipeline, all graph.Output) graph.Output {
			return p.add("PrefetchDataset", attrs(nil), p.add("FilterDataset", f("predicate", "Never"), all, none), int64(3))
		},
		"window": func(p *pipeline, all graph.Output) graph.Output {
			w := p.add("WindowDataset", attrs(nil), all, int64(1), int64(1<<62), int64(1), false)
			return p.add("SkipDataset", attrs(nil), w, int64(1))
		},
		"reduce": func(p *pipeline, all graph.Output) graph.Output {
			sum := p.add("ReduceDataset", f("f", "Plus"), all, graph.OutputList{p.add("Const", map[string]any{"dtype": tensor.Int64, "value": tensor.FromScalar(int64(0))})}, none)
			return p.add("TensorDataset", map[string]any{"output_shapes": attrs(nil)["output_shapes"]}, graph.OutputList{sum})
		},
	} {
		for _, engine := range []string{"actors", "sequential"} {
			p := newPipeline(t, &session.SessionOptions{Engine: engine, Threads: 1, Timeout: 5 * time.Millisecond})
			next, err := p.over(make(p, p.numbers(1<<62)), tensor.Int64)
			if err == nil {
				_, err = next(t.Context())
			}
			if session.CodeOf(err) != session.DeadlineExceeded {
				t.Errorf("%s, %s: %v", name, engine, err)
			}
			p.session.Close()
		}
	}
}

// What iterators make ahead and hold is on the session's account.
func TestHeldElementsAreCharged(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(p *pipeline) graph.Output
	}{
		{"prefetch", func(p *pipeline) graph.Output {
			return p.add("PrefetchDataset", attrs(nil), p.mapped(p.numbers(20), "Large", 1), int64(20))
		}},
		{"shuffle", func(p *pipeline) graph.Output {
			return p.add("ShuffleDataset", attrs(nil), p.mapped(p.numbers(20), "Large", 1), int64(20), int64(1), int64(2))
		}},
		{"batch", func(p *pipeline) graph.Output {
			return p.add("BatchDataset", attrs(nil), p.mapped(p.numbers(20), "Large", 1), int64(20))
		}},
		{"cache", func(p *pipeline) graph.Output {
			return p.add("CacheDataset", attrs(nil), p.mapped(p.numbers(20), "Large", 1), "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeline(t, &session.SessionOptions{MemoryLimit: 8 << 20})
			next, err := p.over(c.make(p), tensor.Int64)
			for range 20 {
				if err == nil {
					_, err = next(t.Context())
				}
			}
			if c.name != "prefetch" && session.CodeOf(err) != session.ResourceExhausted { // whoever takes fast leaves room
				t.Errorf("error %v, want RESOURCE_EXHAUSTED", err)
			}
			p.session.Close()
			if used := p.session.MemoryInUse(); used != 0 {
				t.Errorf("%d bytes in use", used)
			}

			p = newPipeline(t, nil)
			if next, err = p.over(c.make(p), tensor.Int64); err != nil {
				t.Fatal(err)
			}
			n := 0
			for ; err == nil; n++ {
				_, err = next(t.Context())
				for n == 0 && c.name == "prefetch" && p.session.MemoryInUse() < 19<<20 { // all others are made
					runtime.Gosched()
				}
			}
			if session.CodeOf(err) != session.OutOfRange {
				t.Errorf("error %v after %d elements", err, n)
			}
			if used := p.session.MemoryInUse(); c.name != "cache" && used != 0 || c.name == "cache" && used < 20<<20 {
				t.Errorf("%d bytes in use after the last element", used)
			}
		})
	}
}
