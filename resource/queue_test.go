package resource_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newQueue(capacity int) *resource.Queue {
	return resource.NewQueue(resource.NewManager(), resource.QueueOptions{
		Name: "_0_q", Kind: "FIFOQueue", Types: []tensor.DType{tensor.Int32}, Capacity: capacity, Order: resource.NewFIFO(1),
	})
}

// A client calls a queue and notes what it is told, in order.
type client struct {
	q   *resource.Queue
	mu  sync.Mutex
	log []string
}

func (c *client) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, fmt.Sprintf(format, args...))
}

func (c *client) result(what string, err error) {
	if err != nil {
		what += ": " + status.From(err).Message
	}
	c.note("%s", what)
}

func (c *client) put(ctx context.Context, xs ...int32) {
	t, _ := tensor.FromSlice(xs, int64(len(xs)))
	c.q.EnqueueMany(ctx, []tensor.Value{tensor.ValueOf(t)}, len(xs), func(err error) { c.result(fmt.Sprint("put ", xs), err) })
}

func (c *client) put1(ctx context.Context, x int32) {
	c.q.Enqueue(ctx, []tensor.Value{tensor.Scalar(x)}, func(err error) { c.result(fmt.Sprint("put ", x), err) })
}

func (c *client) take(ctx context.Context, n int, upTo bool) {
	var got []int32
	c.q.Dequeue(ctx, n, upTo, func(t *resource.Taken) error {
		got = ints(t.Elements)
		return nil
	}, func(err error) {
		c.result(fmt.Sprintf("take %d: %v", n, got), err)
	})
}

func ints(values []tensor.Value) []int32 {
	var xs []int32
	for i := range values {
		xs = append(xs, tensor.At0[int32](&values[i]))
	}
	return xs
}

func (c *client) want(t *testing.T, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(c.log, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("told:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	c.log = nil
}

func TestQueueServesInOrderOfArrival(t *testing.T) {
	ctx := context.Background()
	c := &client{q: newQueue(2)}
	c.take(ctx, 1, false)
	c.take(ctx, 2, false)
	c.want(t)
	c.put1(ctx, 1)
	c.want(t, "take 1: [1]", "put 1")
	c.put(ctx, 2, 3, 4, 5)
	c.want(t, "take 2: [2 3]", "put [2 3 4 5]")
	c.put(ctx, 6, 7)
	c.put1(ctx, 8)
	c.want(t)
	if n := c.q.Len(); n != 2 {
		t.Errorf("%d elements, want the capacity 2", n)
	}
	c.take(ctx, 1, false)
	c.want(t, "take 1: [4]")
	c.take(ctx, 1, false)
	c.want(t, "take 1: [5]", "put [6 7]")
	c.take(ctx, 3, false) // more than fit at once
	c.want(t, "put 8", "take 3: [6 7 8]")
}

func TestQueueClosed(t *testing.T) {
	ctx := context.Background()
	c := &client{q: newQueue(2)}
	shut := func(cancel bool) { c.q.Shut(ctx, cancel, func(err error) { c.result("shut", err) }) }
	c.put(ctx, 1, 2, 3)
	shut(false)
	c.put1(ctx, 9)
	c.want(t) // closing waits for those who came before
	c.take(ctx, 1, false)
	c.want(t, "take 1: [1]", "put [1 2 3]", "shut", "put 9: FIFOQueue '_0_q' is closed.")
	shut(false)
	c.take(ctx, 3, false)
	c.take(ctx, 3, true)
	c.take(ctx, 3, true)
	c.want(t, "shut: Queue '_0_q' is already closed.",
		"take 3: []: FIFOQueue '_0_q' is closed and has insufficient elements (requested 3, current size 2)",
		"take 3: [2 3]",
		"take 3: []: FIFOQueue '_0_q' is closed and has insufficient elements (requested 3, current size 0)")
	c.put(ctx)
	c.want(t, "put []")

	c = &client{q: newQueue(1)}
	c.put(ctx, 1, 2)
	shut(true)
	c.want(t, "put [1 2]: Enqueue operation was cancelled", "shut")
	c.take(ctx, 1, false)
	c.want(t, "take 1: [1]")
}

// A taker that waits for more than there is when the queue closes gives back
// what it has, for others to take.
func TestQueueClosedUnderATaker(t *testing.T) {
	ctx := context.Background()
	c := &client{q: newQueue(-1)}
	c.take(ctx, 3, false)
	c.take(ctx, 5, true)
	c.put(ctx, 1, 2)
	if n := c.q.Len(); n != 0 {
		t.Errorf("%d elements, want none: they have been taken", n)
	}
	c.want(t, "put [1 2]")
	c.q.Shut(ctx, false, func(err error) { c.result("shut", err) })
	c.want(t, "shut", "take 3: []: FIFOQueue '_0_q' is closed and has insufficient elements (requested 3, current size 2)", "take 5: [1 2]")
}

func TestQueueWaitersLeaveWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &client{q: newQueue(1)}
		first, cancel := context.WithCancel(t.Context())
		c.take(first, 2, false)
		c.take(t.Context(), 1, false)
		c.put1(t.Context(), 1)
		c.want(t, "put 1")
		cancel()
		synctest.Wait() // what the first has got goes to the second
		c.want(t, "take 2: []: the step was cancelled", "take 1: [1]")

		first, cancel = context.WithCancel(t.Context())
		c.put(first, 2, 3, 4)
		c.put1(t.Context(), 5)
		cancel()
		synctest.Wait() // what was put in stays
		c.want(t, "put [2 3 4]: the step was cancelled")
		c.take(t.Context(), 2, false)
		c.want(t, "put 5", "take 2: [2 5]")
	})
}

func TestQueueDestroyed(t *testing.T) {
	m := resource.NewManager()
	q, err := resource.LookupOrCreate(m, "", "q", func() (*resource.Queue, error) { return newQueue(1), nil })
	if err != nil {
		t.Fatal(err)
	}
	c := &client{q: q}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.take(ctx, 2, false)
	m.Clear()
	c.want(t, "take 2: []: FIFOQueue '_0_q' has been destroyed")
	c.put1(ctx, 1)
	c.want(t, "put 1: FIFOQueue '_0_q' is closed.")
}

func TestQueueManyGoroutines(t *testing.T) {
	q := newQueue(3)
	const putters, each = 8, 200
	var wg sync.WaitGroup
	ctx := context.Background()
	for p := range putters {
		wg.Go(func() {
			for i := range each {
				done := make(chan error)
				q.Enqueue(ctx, []tensor.Value{tensor.Scalar(int32(p*each + i))}, func(err error) { go func() { done <- err }() })
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		})
	}
	seen := make([]bool, putters*each)
	var mu sync.Mutex
	for range putters {
		wg.Go(func() {
			last := make([]int32, putters) // of each putter
			for range each / 2 {
				done := make(chan []int32, 1)
				q.Dequeue(ctx, 2, false, func(t *resource.Taken) error {
					done <- ints(t.Elements)
					return nil
				}, func(error) {})
				for _, x := range <-done {
					mu.Lock()
					if seen[x] {
						t.Errorf("%d was given twice", x)
					}
					seen[x] = true
					mu.Unlock()
					if p := x / each; x < last[p] {
						t.Errorf("%d came after %d", x, last[p])
					} else {
						last[p] = x
					}
				}
			}
		})
	}
	wg.Wait()
	for x, s := range seen {
		if !s {
			t.Errorf("%d is lost", x)
		}
	}
}

// A FIFO behaves as a sorted slice does, to which elements come back that left it.
func TestFIFOAgreesWithASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order, next := resource.NewFIFO(2), int32(0)
		type left struct {
			x    int32
			turn int64
		}
		var model []int32
		var out []left
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				order.Push([]tensor.Value{tensor.Scalar(next), tensor.Scalar(-next)})
				model = append(model, next)
				next++
			},
			"pop": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				e, turn := order.Pop(nil)
				got := ints(e)
				if len(got) != 2 || got[0] != model[0] || got[1] != -model[0] {
					t.Fatalf("popped %v, want %d", got, model[0])
				}
				model, out = model[1:], append(out, left{model[0], turn})
			},
			"unpop": func(t *rapid.T) {
				if len(out) == 0 {
					return
				}
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				e := out[i]
				out = slices.Delete(out, i, i+1)
				order.Unpop([]tensor.Value{tensor.Scalar(e.x), tensor.Scalar(-e.x)}, e.turn)
				model = append([]int32{e.x}, model...)
				slices.Sort(model)
			},
			"": func(t *rapid.T) {
				if order.Len() != len(model) {
					t.Fatalf("%d elements, want %d", order.Len(), len(model))
				}
			},
		})
	})
}

// A queue of which several elements are taken at once, and returned or kept, behaves as a
// sorted slice does.
func TestTakenElementsAgreeWithASlice(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		q, next := newQueue(-1), int32(0)
		var model []int32
		var out []*resource.Taken
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					q.Enqueue(ctx, []tensor.Value{tensor.Scalar(next)}, func(error) {})
					model = append(model, next)
					next++
				}
			},
			"take": func(t *rapid.T) {
				if len(model) == 0 {
					return
				}
				n := rapid.IntRange(1, len(model)).Draw(t, "n")
				var got *resource.Taken
				q.Dequeue(ctx, n, false, func(t *resource.Taken) error { got = t; return nil }, func(error) {})
				if got == nil || !slices.Equal(ints(got.Elements), model[:n]) {
					t.Fatalf("took %v, want %v", got, model[:n])
				}
				model, out = model[n:], append(out, got)
			},
			"return": func(t *rapid.T) {
				if len(out) == 0 {
					return
				}
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				model = append(model, ints(out[i].Elements)...)
				slices.Sort(model)
				out[i].Return()
				out = slices.Delete(out, i, i+1)
			},
			"accept": func(t *rapid.T) {
				if len(out) > 0 {
					out = slices.Delete(out, 0, 1)
				}
			},
			"": func(t *rapid.T) {
				if q.Len() != len(model) {
					t.Fatalf("%d elements, want %d", q.Len(), len(model))
				}
			},
		})
	})
}

// What was taken and is returned comes before what was behind it, whatever was taken
// since; a queue that has been closed takes it back as well.
func TestTakenElementsAreReturned(t *testing.T) {
	ctx := context.Background()
	c := &client{q: newQueue(4)}
	c.put(ctx, 1, 2, 3, 4)
	first, _ := c.q.TryDequeue()
	var pair *resource.Taken
	c.q.Dequeue(ctx, 2, false, func(t *resource.Taken) error { pair = t; return nil }, func(error) {})
	c.put(ctx, 5, 6, 7)
	pair.Return() // more than the capacity
	first.Return()
	c.q.Shut(ctx, false, func(error) {})
	c.take(ctx, 7, false)
	c.want(t, "put [1 2 3 4]", "put [5 6 7]", "take 7: [1 2 3 4 5 6 7]")
	last := &client{q: newQueue(1)}
	last.put1(ctx, 1)
	taken, _ := last.q.TryDequeue()
	last.take(ctx, 1, false)
	taken.Return() // to who waits
	last.want(t, "put 1", "take 1: [1]")
	last.put1(ctx, 2)
	taken, _ = last.q.TryDequeue()
	last.q.Close()
	taken.Return()
	if n := last.q.Len(); n != 0 {
		t.Errorf("%d elements in a queue that has been destroyed", n)
	}
}

// Many waiters leave their line, the last first.
func TestManyWaitersLeave(t *testing.T) {
	const many = 50_000
	for name, wait := range map[string]func(ctx context.Context, q *resource.Queue, done func(error)){
		"takers": func(ctx context.Context, q *resource.Queue, done func(error)) {
			q.Dequeue(ctx, 2, false, func(*resource.Taken) error { return nil }, done)
		},
		"putters": func(ctx context.Context, q *resource.Queue, done func(error)) {
			q.Enqueue(ctx, []tensor.Value{tensor.Scalar(int32(1))}, done)
		},
	} {
		q := newQueue(1)
		if name == "putters" {
			q.Enqueue(context.Background(), []tensor.Value{tensor.Scalar(int32(0))}, func(error) {})
		}
		var left sync.WaitGroup
		left.Add(many)
		ends := make([]context.CancelFunc, many)
		for i := range ends {
			var ctx context.Context
			ctx, ends[i] = context.WithCancel(context.Background())
			wait(ctx, q, func(err error) {
				if status.CodeOf(err) != status.Canceled {
					t.Error(err)
				}
				left.Done()
			})
		}
		for _, end := range slices.Backward(ends) { // the last first
			end()
		}
		left.Wait()
	}
}

func TestPriorityOrder(t *testing.T) {
	order := resource.NewPriority(2)
	for i, p := range []int64{3, 1, 3, 2, 1} {
		order.Push([]tensor.Value{tensor.Scalar(p), tensor.Scalar(int32(i))})
	}
	var got []string
	pop := func() ([]tensor.Value, int64) {
		e, turn := order.Pop(nil)
		got = append(got, fmt.Sprintf("%d:%d", tensor.At0[int64](&e[0]), tensor.At0[int32](&e[1])))
		return e, turn
	}
	pop()
	order.Unpop(pop()) // again the first of its priority
	for order.Len() > 0 {
		pop()
	}
	if want := "1:1 1:4 1:4 2:3 3:0 3:2"; strings.Join(got, " ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
}

func TestShuffleIsAPermutationBySeed(t *testing.T) {
	run := func(seed uint64) (xs []int32) {
		order := resource.NewShuffle(1, seed, 1)
		for i := range int32(20) {
			order.Push([]tensor.Value{tensor.Scalar(i)})
		}
		for order.Len() > 0 {
			e, _ := order.Pop(nil)
			xs = append(xs, ints(e)...)
		}
		return xs
	}
	a, b, other := run(7), run(7), run(8)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
	if fmt.Sprint(a) == fmt.Sprint(other) {
		t.Errorf("two seeds give %v", a)
	}
	seen := map[int32]bool{}
	for _, x := range a {
		seen[x] = true
	}
	if len(seen) != 20 {
		t.Errorf("%v is no permutation", a)
	}
}
