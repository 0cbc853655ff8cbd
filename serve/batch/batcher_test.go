package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func floats(t testing.TB, x []float32, dims ...int64) *tensor.Tensor {
	t.Helper()
	v, err := tensor.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func values(t *tensor.Tensor) []float32 {
	v := tensor.ValueOf(t)
	return tensor.Of[float32](&v)
}

// A fake is a model that takes its time and doubles its input; a negative element makes
// the step fail.
type fake struct {
	took  time.Duration
	sizes []int64
	mu    sync.Mutex
	mix   bool // rows depend on the number of rows
	flat  bool // the output has one row
	ended atomic.Int32
}

func (f *fake) run(ctx context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
	x := feeds[0]
	f.mu.Lock()
	f.sizes = append(f.sizes, x.Dims()[0])
	f.mu.Unlock()
	select {
	case <-time.After(f.took):
	case <-ctx.Done():
		f.ended.Add(1)
		return nil, status.From(context.Cause(ctx))
	}
	y := slices.Clone(values(x))
	for i := range y {
		if y[i] < 0 {
			return nil, status.Invalid("%v is negative", y[i])
		}
		if y[i] *= 2; f.mix {
			y[i] += float32(x.Dims()[0])
		}
	}
	dims := x.Shape()
	if f.flat {
		y, dims = y[:1], []int64{1}
	}
	out, err := tensor.FromSlice(y, dims...)
	return []*tensor.Tensor{out}, err
}

func (f *fake) seen() []int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sizes)
}

func batcher(t *testing.T, o Options) *Batcher {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// trusted is a signature that has passed its trials.
func trusted(b *Batcher, f *fake) *Signature {
	s := b.Add("s", Step{Run: f.run})
	s.trials = 0
	return s
}

// TestTogether: requests that arrive while a step runs share the next, and each has its
// own rows.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: time.Millisecond}
		b := batcher(t, Options{Threads: 1})
		defer b.Close()
		s := trusted(b, f)
		var wait sync.WaitGroup
		for round := range 6 { // costs are measured, and batches grow
			for i := range 9 {
				wait.Go(func() {
					time.Sleep(time.Duration(i) * time.Microsecond)
					x := []float32{float32(i), float32(100 * i)}
					out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, x, 2)})
					if err != nil || !slices.Equal(values(out[0]), []float32{2 * x[0], 2 * x[1]}) {
						t.Errorf("round %d: %v, %v", round, out, err)
					}
				})
			}
			wait.Wait()
		}
		sizes := f.seen()
		if slices.Max(sizes) < 8 {
			t.Errorf("batches of %v rows", sizes)
		}
	})
}

// TestYield: a caller that finds a free place while others are about lets those run first
// that are ready on its processor, and shares its step with them.
func TestYield(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := batcher(t, Options{Threads: 2})
	defer b.Close()
	var mu sync.Mutex
	var sizes []int64
	began, hold := make(chan struct{}), make(chan struct{})
	s := b.Add("s", Step{Run: func(_ context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
		mu.Lock()
		sizes = append(sizes, feeds[0].Dims()[0])
		first := len(sizes) == 1
		mu.Unlock()
		if first {
			close(began)
			<-hold
		}
		return feeds, nil
	}})
	s.trials = 0
	x := floats(t, []float32{1}, 1)
	key := appendKey(nil, []*tensor.Tensor{x}, false)
	for rows := 1; rows < 9; rows++ { // a step costs the same with more rows
		for range sure {
			s.class(key).cost.add(rows, time.Millisecond, true)
		}
	}
	var wait sync.WaitGroup
	run := func() {
		if _, _, err := s.Run(t.Context(), []*tensor.Tensor{x}); err != nil {
			t.Error(err)
		}
	}
	wait.Go(run)
	<-began
	for range 4 {
		wait.Go(run)
	}
	for done := 0; done < 2; runtime.Gosched() {
		mu.Lock()
		done = len(sizes)
		mu.Unlock()
	}
	close(hold)
	wait.Wait()
	if sizes[1] < 2 {
		t.Errorf("steps of %v rows", sizes)
	}
}

// TestYieldForOthers: a request that comes while another caller yields, and cannot join its step,
// starts beside it if there is room.
func TestYieldForOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		b := batcher(t, Options{Threads: 3})
		defer b.Close()
		hold := make(chan struct{})
		var running atomic.Int32
		s := b.Add("s", Step{Run: func(_ context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
			running.Add(1)
			<-hold
			return feeds, nil
		}})
		s.trials = 0
		var wait sync.WaitGroup
		for k := range 3 { // of three shapes
			x := floats(t, make([]float32, k+1), 1, int64(k+1))
			wait.Go(func() {
				if _, _, err := s.Run(t.Context(), []*tensor.Tensor{x}); err != nil {
					t.Error(err)
				}
			})
			if k == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if running.Load() != 3 {
			t.Errorf("%d of 3 steps run", running.Load())
		}
		close(hold)
		wait.Wait()
	})
}

// TestApart: requests of unequal inner shapes or types do not share a step.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: time.Millisecond}
		b := batcher(t, Options{Parameters: &Parameters{MaxBatchSize: 8, BatchTimeout: time.Second, NumBatchThreads: 4}})
		defer b.Close()
		s := b.Add("s", Step{Run: f.run})
		var wait sync.WaitGroup
		for _, dims := range [][]int64{{1, 2}, {1, 3}, {1, 2}, {1, 3, 1}} {
			wait.Go(func() {
				out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, make([]float32, dims[1]), dims...)})
				if err != nil || !slices.Equal(out[0].Dims(), dims) {
					t.Errorf("%v, %v", out, err)
				}
			})
		}
		wait.Wait()
		sizes := f.seen()
		slices.Sort(sizes)
		if !slices.Equal(sizes, []int64{1, 1, 2}) {
			t.Errorf("steps of %v rows", sizes)
		}
	})
}

// TestOneBad: the error of one request is its own.
func TestOneBad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: time.Millisecond}
		b := batcher(t, Options{Parameters: &Parameters{MaxBatchSize: 4, BatchTimeout: time.Second}})
		defer b.Close()
		s := b.Add("s", Step{Run: f.run})
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, []float32{float32(2 - i)}, 1)})
				if bad := i > 2; bad != (err != nil) || !bad && values(out[0])[0] != float32(4-2*i) {
					t.Errorf("request %d: %v, %v", i, out, err)
				}
			})
		}
		wait.Wait()
		if got := f.seen(); !slices.Equal(got, []int64{4, 1, 1, 1, 1}) || !s.Batched() {
			t.Errorf("steps of %v rows; batched: %v", got, s.Batched())
		}
	})
}

// TestGone: a caller whose context ends returns at once, and its batch goes on for the
// others; the step ends when all callers are gone.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: time.Minute}
		b := batcher(t, Options{Parameters: &Parameters{MaxBatchSize: 2, BatchTimeout: time.Hour, NumBatchThreads: 1}})
		s := b.Add("s", Step{Run: f.run})
		gone, leave := context.WithCancelCause(t.Context())
		stays, leaveToo := context.WithCancel(t.Context())
		one, two, three := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		ask := func(ctx context.Context, to chan error) {
			_, _, err := s.Run(ctx, []*tensor.Tensor{floats(t, []float32{1}, 1)})
			to <- err
		}
		go ask(gone, one)
		go ask(stays, two)
		synctest.Wait()
		go ask(gone, three) // which waits for its turn
		synctest.Wait()
		leave(errors.New("the client is gone"))
		for _, c := range []chan error{one, three} {
			if err := <-c; err == nil || !strings.Contains(err.Error(), "the client is gone") {
				t.Errorf("a caller that is gone: %v", err)
			}
		}
		synctest.Wait()
		if f.ended.Load() != 0 {
			t.Error("the step ends although one caller waits")
		}
		leaveToo()
		if err := <-two; status.CodeOf(err) != status.Canceled {
			t.Error(err)
		}
		b.Close()
		if f.ended.Load() != 1 {
			t.Error("the step goes on without callers")
		}
	})
}

// TestDeadline: a request's deadline holds while it waits and while its batch runs.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: 10 * time.Second}
		b := batcher(t, Options{Parameters: &Parameters{MaxBatchSize: 2, BatchTimeout: time.Second, NumBatchThreads: 1}})
		defer b.Close()
		s := b.Add("s", Step{Run: f.run})
		var wait sync.WaitGroup
		for _, d := range []time.Duration{time.Millisecond, 3 * time.Second, 20 * time.Second} {
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), d)
				defer cancel()
				begin := time.Now()
				_, _, err := s.Run(ctx, []*tensor.Tensor{floats(t, []float32{1}, 1)})
				if late := d < 10*time.Second; late && (status.CodeOf(err) != status.DeadlineExceeded || time.Since(begin) != d) || !late && err != nil {
					t.Errorf("deadline %v: %v after %v", d, err, time.Since(begin))
				}
			})
		}
		wait.Wait()
	})
}

// TestTrial: a signature whose rows depend on each other is found out, and all requests
// have the results of separate runs.
func TestTrial(t *testing.T) {
	for name, f := range map[string]*fake{"mix": {mix: true}, "flat": {flat: true}, "right": {}} {
		synctest.Test(t, func(t *testing.T) {
			f.took = time.Millisecond
			var reason error
			b := batcher(t, Options{Threads: 1, Refused: func(_ string, err error) { reason = err }})
			defer b.Close()
			s := b.Add("s", Step{Run: f.run})
			var wait sync.WaitGroup
			for i := range 40 {
				wait.Go(func() {
					time.Sleep(time.Duration(i) * 100 * time.Microsecond)
					want := float32(2 * i)
					if f.mix {
						want++
					}
					if out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, []float32{float32(i)}, 1)}); err != nil || values(out[0])[0] != want {
						t.Errorf("%s: %v, %v; want %v", name, out, err, want)
					}
				})
			}
			wait.Wait()
			if right := name == "right"; s.Batched() != right || (reason == nil) != right {
				t.Errorf("%s: batched %v, reason %v", name, s.Batched(), reason)
			}
			t.Logf("%s: steps of %v rows, reason %v", name, f.seen(), reason)
		})
	}
}

// TestPadding: with parameters, batches are padded to allowed sizes and inputs to the
// greatest shape, and large requests are split.
func TestPadding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{took: time.Millisecond}
		b := batcher(t, Options{Parameters: &Parameters{
			MaxBatchSize: 8, BatchTimeout: time.Second, NumBatchThreads: 1, AllowedBatchSizes: []int{4, 8}, PadVariableLengthInputs: true, EnableLargeBatchSplitting: true,
		}})
		defer b.Close()
		s := b.Add("s", Step{Run: f.run})
		var wait sync.WaitGroup
		for _, c := range []struct {
			x    []float32
			dims []int64
			want string
		}{
			{[]float32{1, 2, 3, 4}, []int64{1, 2, 2}, "[2 4 2 6 8 2 2 2 2]"},
			{[]float32{5, 6, 7, 8, 9, 10, 11, 12, 13}, []int64{1, 3, 3}, "[10 12 14 16 18 20 22 24 26]"},
		} {
			wait.Go(func() {
				out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, c.x, c.dims...)})
				if err != nil || fmt.Sprint(values(out[0])) != c.want {
					t.Errorf("%v, %v; want %s", out, err, c.want)
				}
			})
		}
		wait.Wait()
		x := make([]float32, 19)
		for i := range x {
			x[i] = float32(i)
		}
		out, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, x, 19)})
		if err != nil || out[0].Dims()[0] != 19 || values(out[0])[18] != 36 {
			t.Errorf("%v, %v", out, err)
		}
		if got := f.seen(); !slices.Equal(got, []int64{4, 8, 8, 4}) {
			t.Errorf("steps of %v rows", got)
		}
	})
}

// TestStrings: strings are joined and split too.
func TestStrings(t *testing.T) {
	x, _ := tensor.FromSlice([]string{"a", "b"}, 2)
	y, _ := tensor.FromSlice([]string{"c"}, 1)
	all, err := join([]*request{{rows: 2, call: call{feeds: []*tensor.Tensor{x}}}, {rows: 1, call: call{feeds: []*tensor.Tensor{y}}}}, 0, 5)
	if err != nil || fmt.Sprint(all.Value()) != "[a b c a a]" {
		t.Errorf("%v, %v", all, err)
	}
	if p := part([]*tensor.Tensor{all}, 1, 2); fmt.Sprint(p[0].Value()) != "[b c]" {
		t.Error(p)
	}
}

func TestParameters(t *testing.T) {
	p, err := ParseParameters([]byte(`
max_batch_size { value: 128 }
batch_timeout_micros { value: 500 }
max_enqueued_batches { value: 10 }
num_batch_threads { value: 8 }
thread_pool_name { value: "pool" }
allowed_batch_sizes: 1
allowed_batch_sizes: 128
pad_variable_length_inputs: true
`))
	if err != nil || fmt.Sprintf("%+v", *p) != "{MaxBatchSize:128 BatchTimeout:500µs MaxEnqueuedBatches:10 NumBatchThreads:8 AllowedBatchSizes:[1 128] PadVariableLengthInputs:true EnableLargeBatchSplitting:false}" {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]string{
		"max_batch_size { value: 0 }":                         "max_batch_size is 0",
		"max_batch: 3":                                        "unknown field",
		"allowed_batch_sizes: 4 allowed_batch_sizes: 2":       "ascending order",
		"max_batch_size { value: 8 } allowed_batch_sizes: 4":  "must be max_batch_size",
		"num_batch_threads { value: -1 }":                     "num_batch_threads is -1",
		"batch_timeout_micros { value: 9223372036854775807 }": "not between",
		strings.Repeat("allowed_batch_sizes: 4\n", 10_000):    "more than",
	} {
		if _, err := ParseParameters([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// TestClosed: a Batcher that is closed refuses requests.
func TestClosed(t *testing.T) {
	f := &fake{}
	b := batcher(t, Options{})
	s := b.Add("s", Step{Run: f.run})
	b.Close()
	if _, _, err := s.Run(t.Context(), []*tensor.Tensor{floats(t, []float32{1}, 1)}); status.CodeOf(err) != status.Unavailable {
		t.Error(err)
	}
}

// FuzzParameters: whatever the file, there are parameters that hold together or an error.
func FuzzParameters(f *testing.F) {
	f.Add("max_batch_size { value: 128 }")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := ParseParameters([]byte(text)); err == nil && p.Check() != nil {
			t.Error(p.Check())
		}
	})
}
