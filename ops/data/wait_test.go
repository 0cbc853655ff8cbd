package data_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var floats = registry.ListAttr(registry.KindType, registry.TypeAttr(tensor.Float))

// A session makes kernels of operations on one queue.
type session struct {
	t      *testing.T
	runner kerneltest.Runner
	queue  tensor.Value
}

func newSession(t *testing.T, capacity int64) *session {
	s := &session{t: t}
	out, err := s.runner.Run("q", "FIFOQueueV2", registry.Attrs{
		{Name: "capacity", Value: registry.IntAttr(capacity)},
		{Name: "component_types", Value: floats},
		{Name: "shapes", Value: registry.ListAttr(registry.KindShape, registry.ShapeAttr(registry.Shape{Dims: []int64{2}}))},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.queue = tensor.ValueOf(out[0])
	return s
}

// start runs an operation on the queue in a step of ctx. The channel gets the
// outputs, none if there is an error.
func (s *session) start(ctx context.Context, op string, attrs registry.Attrs, inputs ...tensor.Value) (<-chan []tensor.Value, <-chan error) {
	s.t.Helper()
	types := []tensor.DType{tensor.Resource}
	for _, v := range inputs {
		types = append(types, v.DType())
	}
	k, outputs, err := kerneltest.New("node", op, attrs, types...)
	if err != nil {
		s.t.Fatal(err)
	}
	c := s.runner.Context()
	c.Step.Context = ctx
	in, out := append([]tensor.Value{s.queue}, inputs...), make([]tensor.Value, len(outputs))
	values, result := make(chan []tensor.Value, 1), make(chan error, 1)
	k.(kernel.Async).Start(c, in, out, func(err error) {
		values <- out
		result <- err
	})
	return values, result
}

func (s *session) enqueue(ctx context.Context, x, y float32) <-chan error {
	_, result := s.start(ctx, "QueueEnqueueV2", nil, vector(x, y))
	return result
}

func (s *session) dequeue(ctx context.Context) (<-chan []tensor.Value, <-chan error) {
	return s.start(ctx, "QueueDequeueV2", registry.Attrs{{Name: "component_types", Value: floats}})
}

func vector(xs ...float32) tensor.Value {
	t, err := tensor.FromSlice(xs, int64(len(xs)))
	if err != nil {
		panic(err)
	}
	return tensor.ValueOf(t)
}

func waits(t *testing.T, result <-chan error) {
	t.Helper()
	synctest.Wait()
	select {
	case err := <-result:
		t.Errorf("an operation that should wait ended with %v", err)
	default:
	}
}

func TestQueueOperationsOfDifferentStepsMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, 1)
		values, taken := s.dequeue(t.Context())
		waits(t, taken)
		if err := <-s.enqueue(t.Context(), 1, 2); err != nil {
			t.Fatal(err)
		}
		if err := <-taken; err != nil {
			t.Fatal(err)
		}
		if v := <-values; tensor.Of[float32](&v[0])[1] != 2 {
			t.Errorf("taken %v", v)
		}

		if err := <-s.enqueue(t.Context(), 3, 4); err != nil {
			t.Fatal(err)
		}
		second := s.enqueue(t.Context(), 5, 6)
		waits(t, second)
		values, taken = s.start(t.Context(), "QueueDequeueManyV2", registry.Attrs{{Name: "component_types", Value: floats}}, tensor.Scalar(int32(2)))
		if err := <-taken; err != nil {
			t.Fatal(err)
		}
		if v := <-values; v[0].String() != "[[3. 4.]\n [5. 6.]]" {
			t.Errorf("taken %v", v[0])
		}
		if err := <-second; err != nil {
			t.Error(err)
		}
	})
}

func TestQueueOperationsEndWithTheirStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, 1)
		ctx, cancel := context.WithCancel(t.Context())
		_, taken := s.dequeue(ctx)
		waits(t, taken)
		cancel()
		if err := <-taken; status.CodeOf(err) != status.Canceled {
			t.Errorf("error %v, want CANCELLED", err)
		}
		if err := <-s.enqueue(t.Context(), 1, 2); err != nil { // nobody took it
			t.Fatal(err)
		}

		ctx, cancel = context.WithTimeout(t.Context(), 5e9)
		defer cancel()
		full := s.enqueue(ctx, 3, 4)
		waits(t, full)
		if err := <-full; status.CodeOf(err) != status.DeadlineExceeded {
			t.Errorf("error %v, want DEADLINE_EXCEEDED", err)
		}
		_, closed := s.start(ctx, "QueueCloseV2", nil)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if err := <-s.enqueue(t.Context(), 5, 6); status.CodeOf(err) != status.Canceled {
			t.Errorf("error %v, want CANCELLED", err)
		}
	})
}

// What a queue holds is charged to the session; what waits in line is not
// lost.
func TestQueueKeepsToTheMemoryLimit(t *testing.T) {
	s := newSession(t, -1)
	m := s.runner.Context().Step.Resources
	m.Budget = tensor.NewBudget(tensor.HeaderBytes + 100)
	s = &session{t: t, runner: s.runner}
	out, err := s.runner.Run("other", "FIFOQueueV2", registry.Attrs{{Name: "component_types", Value: floats}})
	if err != nil {
		t.Fatal(err)
	}
	s.queue = tensor.ValueOf(out[0])
	if err := <-s.enqueue(t.Context(), 1, 2); err != nil {
		t.Fatal(err)
	}
	used := m.Budget.Used()
	if used < 8 {
		t.Errorf("%d bytes charged", used)
	}
	_, result := s.start(t.Context(), "QueueEnqueueV2", nil, vector(make([]float32, 30)...))
	if err := <-result; status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("error %v, want RESOURCE_EXHAUSTED", err)
	}
	if _, result := s.dequeue(t.Context()); <-result != nil || m.Budget.Used() != 0 {
		t.Errorf("%d bytes charged for an empty queue", m.Budget.Used())
	}
}

// A loop that pushes and pops takes no more than it holds at a time.
func TestStepsAccountForWhatTheyHold(t *testing.T) {
	budget := tensor.NewBudget(16 << 10)
	var runner kerneltest.Runner
	c := runner.Context()
	c.Step.Resources.Budget, c.Arena.Budget = budget, budget
	out, err := runner.Run("s", "StackV2", registry.Attrs{{Name: "elem_type", Value: registry.TypeAttr(tensor.Float)}}, tensor.Scalar(int32(-1)).Tensor())
	if err != nil {
		t.Fatal(err)
	}
	stack := tensor.ValueOf(out[0])
	push, _, err := kerneltest.New("push", "StackPushV2", nil, tensor.Resource, tensor.Float)
	if err != nil {
		t.Fatal(err)
	}
	pop, _, err := kerneltest.New("pop", "StackPopV2", registry.Attrs{{Name: "elem_type", Value: registry.TypeAttr(tensor.Float)}}, tensor.Resource)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		v, err := c.Alloc(tensor.Float, []int64{1000})
		if err != nil {
			t.Fatal(err)
		}
		v.Hold(1)
		if err := push.Run(c, []tensor.Value{stack, v}, make([]tensor.Value, 1)); err != nil {
			t.Fatal(err)
		}
		c.Arena.Drop(v)
		out := make([]tensor.Value, 1)
		if err := pop.Run(c, []tensor.Value{stack}, out); err != nil {
			t.Fatal(err)
		}
		c.Free(out[0])
	}
	c.Arena.Finish()
	if used := budget.Used(); used > 4<<10 {
		t.Errorf("%d bytes charged for an empty stack, which keeps a block", used)
	}
}

func TestTakersOfGradientsWaitInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s session
		s.t = t
		float := registry.NamedAttr{Name: "dtype", Value: registry.TypeAttr(tensor.Float)}
		out, err := s.runner.Run("acc", "ResourceConditionalAccumulator", registry.Attrs{
			float, {Name: "shape", Value: registry.ShapeAttr(registry.Shape{Dims: []int64{2}})},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.queue = tensor.ValueOf(out[0])
		apply := func(step int64, x float32) {
			t.Helper()
			k, _, err := kerneltest.New("apply", "ResourceAccumulatorApplyGradient", nil, tensor.Resource, tensor.Int64, tensor.Float)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Run(s.runner.Context(), []tensor.Value{s.queue, tensor.Scalar(step), vector(x, x)}, nil); err != nil {
				t.Fatal(err)
			}
		}
		take := func(ctx context.Context, n int32) (<-chan []tensor.Value, <-chan error) {
			return s.start(ctx, "ResourceAccumulatorTakeGradient", registry.Attrs{float}, tensor.Scalar(n))
		}
		impatient, cancel := context.WithCancel(t.Context())
		_, first := take(impatient, 3)
		second, taken := take(t.Context(), 1)
		apply(0, 2)
		waits(t, taken) // its turn comes after the first
		cancel()
		if err := <-first; status.CodeOf(err) != status.Canceled {
			t.Errorf("error %v, want CANCELLED", err)
		}
		if err := <-taken; err != nil {
			t.Fatal(err)
		}
		if v := <-second; tensor.Of[float32](&v[0])[0] != 2 {
			t.Errorf("taken %v", v[0])
		}
		third, taken := take(t.Context(), 2)
		apply(0, 9) // stale
		apply(1, 4)
		waits(t, taken)
		apply(1, 8)
		if err := <-taken; err != nil {
			t.Fatal(err)
		}
		if v := <-third; tensor.Of[float32](&v[0])[0] != 6 {
			t.Errorf("taken %v, want the mean", v[0])
		}
	})
}
