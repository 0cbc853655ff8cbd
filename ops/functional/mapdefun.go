package functional

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() { kernel.ForAll(newMapDefun, "MapDefun") }

// A mapDefun is the kernel of MapDefun. Calls for different slices go on at the
// same time, on as many goroutines as the pool has workers.
type mapDefun struct {
	f      *registry.Func
	sliced int // arguments that come before the captured ones
	types  []tensor.DType
	shapes []registry.Shape
}

func newMapDefun(c *kernel.Construction) (kernel.Kernel, error) {
	k := &mapDefun{f: c.Func("f"), sliced: len(c.Types("Targuments")), types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
	if len(k.types) != len(k.shapes) {
		return nil, c.Errorf("output_types and output_shapes must be of the same length, got %d and %d", len(k.types), len(k.shapes))
	}
	return kernel.BlockingFunc(k.run), nil
}

func (k *mapDefun) run(ctx *kernel.Context, in, out []tensor.Value) error {
	n := int64(-1)
	for i, v := range in[:k.sliced] {
		if v.Rank() == 0 {
			return status.Invalid("All inputs must have rank at least 1. Input %d has a rank of 0", i)
		}
		switch d := v.Dims()[0]; {
		case n < 0:
			n = d
		case d != n:
			return status.Invalid("All inputs must have the same dimension 0. Input %d has leading dimension %d, while all previous inputs have leading dimension %d", i, d, n)
		}
	}
	f, err := ctx.Step.Function(k.f)
	if err != nil {
		return err
	}
	args := make([]tensor.Value, len(in))
	for i, v := range in {
		args[i] = v.Share()
	}
	m := &mapping{k: k, ctx: ctx, n: n, out: out, made: make([]bool, len(out))}
	for i, s := range k.shapes { // those that are known need no result
		if n == 0 && s.Unknown {
			return status.Invalid("nothing is known of the shape of output %d, and there is no slice to call the function with", i)
		}
		if known(s) || n == 0 {
			if err := m.make(i, s.Dims); err != nil {
				return err
			}
		}
	}
	return m.run(f, args)
}

// known reports whether a shape says all.
func known(s registry.Shape) bool {
	for _, d := range s.Dims {
		if d < 0 {
			return false
		}
	}
	return !s.Unknown
}

// A mapping is one run of a mapDefun.
type mapping struct {
	k   *mapDefun
	ctx *kernel.Context
	n   int64

	mu    sync.Mutex
	out   []tensor.Value
	made  []bool // whether there is an output, into which results are copied
	first int64  // the slice with err
	err   error
}

// make makes output i for results of a shape.
func (m *mapping) make(i int, dims []int64) error {
	v, err := m.ctx.AllocZeroed(m.k.types[i], append([]int64{m.n}, dims...))
	m.out[i], m.made[i] = v, err == nil
	return err
}

// run calls the function for all slices. The error is that of the first slice that
// has one, of those that were called.
func (m *mapping) run(f kernel.Function, args []tensor.Value) error {
	step := *m.ctx.Step
	var cancel context.CancelFunc
	step.Context, cancel = context.WithCancel(step.Context)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(int64(max(step.Pool.Workers(), 1)), m.n) {
		wg.Go(func() {
			own := make([]tensor.Value, len(args))
			for {
				i := next.Add(1) - 1
				if i >= m.n || step.Context.Err() != nil {
					return
				}
				copy(own, args)
				for j := range own[:m.k.sliced] {
					own[j] = args[j].Row(int(i))
				}
				results, err := f.Call(&step, own)
				if err == nil {
					err = returns(m.k.f, results.Values, m.k.types)
				}
				if err == nil {
					err = m.store(i, results.Values)
				}
				results.Release()
				if err != nil {
					m.fail(i, err)
					cancel()
					return
				}
			}
		})
	}
	wg.Wait()
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return m.err
}

func (m *mapping) fail(i int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil || i < m.first && status.CodeOf(err) != status.Canceled {
		m.first, m.err = i, err
	}
}

// store puts the results of slice i into the outputs.
func (m *mapping) store(i int64, results []tensor.Value) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for o, v := range results {
		if !m.made[o] {
			if err := m.make(o, v.Dims()); err != nil {
				return err
			}
		}
		if want := m.out[o].Dims()[1:]; tensor.FormatDims(want) != tensor.FormatDims(v.Dims()) {
			return status.Invalid("Expected output %d of slice %d to have shape %s, got %s", o, i, tensor.FormatDims(want), tensor.FormatDims(v.Dims()))
		}
		m.out[o].SetRow(int(i), v)
	}
	return nil
}
