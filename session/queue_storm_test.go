package session_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var storms = flag.Int("storms", 200, "run `N` queues in TestQueuesUnderDeadlines")
var firstStorm = flag.Int("storm", 0, "the `SEED` of the first of them")

// A store is a queue, a staging area or a barrier as a graph, of int64 scalars.
type store struct {
	kind     string
	ordered  bool
	put      session.Output
	puts     *session.Operation // of one number
	putsMany *session.Operation // of several; nil: there is none
	take     session.Output
	count    session.Output // of takeMany
	takeMany []session.Output
	size     session.Output
}

var storeKinds = []string{"FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2", "Stage", "MapStage", "Barrier"}

// newStore adds a store to a graph.
func newStore(b builder, kind string, capacity int64) *store {
	long := []session.DataType{session.Int64}
	shapes := []session.Shape{session.ScalarShape()}
	s := &store{kind: kind, ordered: kind != "RandomShuffleQueueV2"}
	s.put, s.count = b.placeholder("put", session.Int64), b.placeholder("count", session.Int32)
	switch kind {
	case "Stage":
		area := map[string]any{"dtypes": long, "capacity": capacity, "shared_name": "area"}
		s.puts = b.add("Stage", "puts", area, session.OutputList{s.put})
		s.take = b.add("Unstage", "take", area).Output(0)
		s.size = b.add("StageSize", "size", area).Output(0)
	case "MapStage":
		area := map[string]any{"dtypes": long, "capacity": capacity, "shared_name": "area"}
		first := b.constant("first", []int32{0})
		s.puts = b.add("OrderedMapStage", "puts", area, s.put, first, session.OutputList{s.put})
		s.take = b.add("OrderedMapUnstageNoKey", "take", area, first).Output(1)
		s.size = b.add("OrderedMapSize", "size", area).Output(0)
	case "Barrier":
		h := b.add("Barrier", "store", map[string]any{"component_types": long, "shapes": shapes}).Output(0)
		key := b.add("AsString", "key", nil, s.put).Output(0)
		row := func(name string, x session.Output) session.Output {
			return b.add("ExpandDims", name, nil, x, b.constant(name+"/axis", int32(0))).Output(0)
		}
		s.puts = b.add("BarrierInsertMany", "puts", map[string]any{"component_index": int64(0)}, h, row("keys", key), row("values", s.put))
		one := b.constant("one", int32(1))
		s.take = b.add("Squeeze", "taken", nil, b.add("BarrierTakeMany", "take", map[string]any{"component_types": long}, h, one).Output(2)).Output(0)
		s.takeMany = []session.Output{b.add("BarrierTakeMany", "takeMany", map[string]any{"component_types": long}, h, s.count).Output(2)}
		s.take = b.add("BarrierTakeMany", "takeOne", map[string]any{"component_types": long}, h, one).Output(2)
		s.size = b.add("BarrierReadySize", "size", nil, h).Output(0)
	default:
		attrs := map[string]any{"component_types": long, "shapes": shapes, "capacity": capacity}
		types, at := long, 0
		if kind == "PriorityQueueV2" {
			attrs["component_types"], types, at = long, []session.DataType{session.Int64, session.Int64}, 1
		}
		h := b.add(kind, "store", attrs).Output(0)
		element := session.OutputList{s.put}
		if at == 1 {
			element = session.OutputList{s.put, s.put}
		}
		taking := map[string]any{"component_types": types}
		s.puts = b.add("QueueEnqueueV2", "puts", nil, h, element)
		s.putsMany = b.add("QueueEnqueueManyV2", "putsMany", nil, h, element)
		s.take = b.add("QueueDequeueV2", "take", taking, h).Output(at)
		for _, op := range []string{"QueueDequeueManyV2", "QueueDequeueUpToV2"} {
			s.takeMany = append(s.takeMany, b.add(op, op, taking, h, s.count).Output(at))
		}
		s.size = b.add("QueueSizeV2", "size", nil, h).Output(0)
	}
	return s
}

// TestQueuesUnderDeadlines puts numbers into a queue, a staging area or a barrier and takes
// them, on every engine, in steps of which many are cancelled or pass their deadline. What
// a step has put that succeeded is taken by a step that succeeds, or it is still there:
// none is lost and none comes twice, and of one producer they come to one consumer in
// order.
func TestQueuesUnderDeadlines(t *testing.T) {
	all := append([]string{"tokens"}, engines...)
	for seed := *firstStorm; seed < *firstStorm+*storms; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		engine, kind := all[r.IntN(len(all))], storeKinds[r.IntN(len(storeKinds))]
		if err := storm(t, r, engine, kind); err != nil {
			t.Fatalf("seed %d, %s on %s: %v", seed, kind, engine, err)
		}
	}
}

func storm(t *testing.T, r *rand.Rand, engine, kind string) error {
	b := build(t)
	st := newStore(b, kind, int64(1+r.IntN(8)))
	s, err := session.NewSession(b.Graph, &session.SessionOptions{Engine: engine, Threads: 1 + r.IntN(3)})
	if err != nil {
		return err
	}
	defer s.Close()
	var mu sync.Mutex
	var bad error
	fail := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if bad == nil {
			bad = fmt.Errorf(format, args...)
		}
	}
	// ended is a context that soon ends in one of many ways.
	soon := func(r *rand.Rand) (context.Context, context.CancelFunc) {
		switch r.IntN(4) {
		case 0:
			return context.WithTimeout(t.Context(), time.Duration(r.IntN(300))*time.Microsecond)
		case 1:
			ctx, cancel := context.WithCancel(t.Context())
			n := r.IntN(1 << r.IntN(10))
			go func() {
				for range n {
					runtime.Gosched()
				}
				cancel()
			}()
			return ctx, cancel
		}
		return context.WithTimeout(t.Context(), 3*time.Millisecond)
	}
	late := func(what string, err error) {
		if c := session.CodeOf(err); c != session.Canceled && c != session.DeadlineExceeded {
			fail("%s: %v", what, err)
		}
	}
	producers, consumers, each := 1+r.IntN(3), 1+r.IntN(3), 5+r.IntN(30)
	put := map[int64]bool{} // of what was tried: whether the step succeeded
	var got []int64
	var producing, consuming sync.WaitGroup
	for p := range producers {
		r := rand.New(rand.NewPCG(r.Uint64(), 1))
		producing.Go(func() {
			for i := 0; i < each; {
				ctx, cancel := soon(r)
				first := int64(p*1000 + i)
				numbers := []int64{first}
				var err error
				if st.putsMany != nil && r.IntN(4) == 0 {
					for range r.IntN(5) {
						numbers = append(numbers, first+int64(len(numbers)))
					}
					_, err = s.RunContext(ctx, feeds{st.put: tensorOf(t, numbers)}, nil, []*session.Operation{st.putsMany})
				} else {
					_, err = s.RunContext(ctx, feeds{st.put: tensorOf(t, first)}, nil, []*session.Operation{st.puts})
				}
				cancel()
				if err != nil {
					late("put", err)
				}
				mu.Lock()
				for _, x := range numbers {
					put[x] = err == nil
				}
				mu.Unlock()
				i += len(numbers)
			}
		})
	}
	stop := make(chan struct{})
	for range consumers {
		r := rand.New(rand.NewPCG(r.Uint64(), 2))
		consuming.Go(func() {
			last := map[int64]int64{} // by producer
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := soon(r)
				var out []*session.Tensor
				var err error
				if len(st.takeMany) > 0 && r.IntN(3) == 0 {
					fetch := []session.Output{st.takeMany[r.IntN(len(st.takeMany))]}
					out, err = s.RunContext(ctx, feeds{st.count: tensorOf(t, int32(1+r.IntN(4)))}, fetch, nil)
				} else {
					out, err = s.RunContext(ctx, nil, []session.Output{st.take}, nil)
				}
				cancel()
				if err != nil {
					late("take", err)
					continue
				}
				mu.Lock()
				for _, x := range numbersOf(out[0]) {
					got = append(got, x)
					if before, ok := last[x/1000]; ok && x < before && st.ordered && consumers == 1 && kind != "PriorityQueueV2" && kind != "MapStage" {
						bad = fmt.Errorf("%d came after %d", x, before)
					}
					last[x/1000] = x
				}
				mu.Unlock()
			}
		})
	}
	producing.Wait()
	close(stop)
	consuming.Wait()
	for {
		out, err := s.Run(nil, []session.Output{st.size}, nil)
		if err != nil {
			return err
		}
		if out[0].Value().(int32) == 0 {
			break
		}
		if out, err = s.Run(nil, []session.Output{st.take}, nil); err != nil {
			return err
		}
		got = append(got, numbersOf(out[0])...)
	}
	slices.Sort(got)
	for i, x := range got {
		switch _, tried := put[x]; {
		case !tried:
			fail("%d came and was never put", x)
		case i > 0 && got[i-1] == x:
			fail("%d came twice", x)
		}
		delete(put, x)
	}
	for x, succeeded := range put {
		if succeeded {
			fail("%d is lost", x)
		}
	}
	if n := s.MemoryInUse(); n > 4096 && bad == nil {
		return fmt.Errorf("%d bytes in use by an empty store", n)
	}
	return bad
}

func numbersOf(t *session.Tensor) []int64 {
	v := tensor.ValueOf(t)
	return tensor.Of[int64](&v)[:t.NumElements()]
}
