package dataset

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("CacheDataset").
		Input("input_dataset: variant").Input("filename: string").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another, which are kept by the first iteration for all others.

input_dataset: The other dataset.
filename: Where they are kept: empty for memory.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("CacheDatasetV2").
		Input("input_dataset: variant").Input("filename: string").Input("cache: resource").
		Output("handle: variant").
		Leaves("cache").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the elements of another, which are kept by the first iteration for all others.

input_dataset: The other dataset.
filename: Where they are kept: empty for memory.
cache: A cache, as AnonymousMemoryCache makes it.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("AnonymousMemoryCache").
		Output("handle: resource").Output("deleter: variant").
		Stateful().
		Doc(`Makes a cache for CacheDatasetV2.

handle: The cache.
deleter: What DeleteMemoryCache takes.`)
	registry.Define("DummyMemoryCache").
		Output("handle: resource").
		Stateful().
		Doc("Gives a handle in the place of a cache, for a dataset that has one of its own.")
	registry.Define("DeleteMemoryCache").
		Input("handle: resource").Input("deleter: variant").
		Leaves("handle").
		Stateful().
		Doc(`Empties a cache.

handle: The cache.
deleter: What came with it.`)
	register(newCache, "CacheDataset", "CacheDatasetV2")
	kernel.ForAll(newMemoryCache, "AnonymousMemoryCache", "DummyMemoryCache")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, _ []tensor.Value) error {
			m, err := resource.Held[*memory](&in[0])
			if err == nil {
				m.clear()
			}
			return err
		}), nil
	}, "DeleteMemoryCache")
}

// A memory holds the elements of a dataset, once an iteration has gone through all
// of them. What it holds is charged until it is cleared, or the collector finds
// that nobody has it any more.
type memory struct {
	mu     sync.Mutex
	full   bool
	all    rows
	charge *charge
}

// A charge is bytes on a session's account.
type charge struct {
	mu     sync.Mutex
	budget *tensor.Budget
	bytes  int64
}

func newMemory(budget *tensor.Budget) *memory {
	m := &memory{charge: &charge{budget: budget}}
	runtime.AddCleanup(m, (*charge).release, m.charge)
	return m
}

func (c *charge) take(n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.budget.Charge(n)
	if err == nil {
		c.bytes += n
	}
	return err
}

func (c *charge) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget.Release(c.bytes)
	c.bytes = 0
}

// elements returns what the memory holds; false while it is not full.
func (m *memory) elements() (rows, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all, m.full
}

// fill keeps all elements, of which the first to come stay.
func (m *memory) fill(all rows) error {
	size := int64(0)
	for _, e := range all.all() {
		size += sizeOf(e)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return nil
	}
	err := m.charge.take(size)
	if err == nil {
		m.full, m.all = true, all
	}
	return err
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.full, m.all = false, rows{}
	m.charge.release()
}

// newCache makes the kernels of CacheDataset and its second form.
func newCache(c *kernel.Construction, like *Dataset) (maker, error) {
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		file, err := scalar[string](&in[1], "filename")
		if err != nil {
			return nil, err
		}
		if file != "" {
			return nil, status.Errorf(status.Unimplemented, "%s keeps elements in memory alone, not in file %q", c.Op.Name, file)
		}
		m := newMemory(ctx.Step.Resources.Budget)
		if len(in) > 2 {
			h, err := resource.HandleOf(&in[2])
			if err != nil {
				return nil, err
			}
			if given, ok := h.Value.(*memory); ok {
				m = given
			}
		}
		return like.like(d.size, func(ctx context.Context, p *pass) (iterator, error) { return m.begin(ctx, p, d) }), nil
	}, nil
}

// begin goes through what is kept, or through d, keeping its elements.
func (m *memory) begin(ctx context.Context, p *pass, d *Dataset) (iterator, error) {
	if all, full := m.elements(); full {
		return listed(all), nil
	}
	it, err := d.begin(ctx, p)
	var all rows
	over := false
	return func(ctx context.Context) (element, error) {
		if over {
			return nil, errEnd
		}
		e, err := it(ctx)
		switch {
		case err == nil:
			if err := p.hold(e); err != nil {
				return nil, err
			}
			all.add(e)
		case err == errEnd:
			over = true
			for _, e := range all.all() {
				p.drop(e)
			}
			if err := m.fill(all); err != nil {
				return nil, err
			}
			all = rows{}
		}
		return e, err
	}, err
}

// listed returns the elements of a list.
func listed(all rows) iterator {
	i := 0
	return func(context.Context) (element, error) {
		if i == all.n {
			return nil, errEnd
		}
		i++
		return *all.at(i - 1), nil
	}
}

// newMemoryCache makes the kernels of AnonymousMemoryCache and DummyMemoryCache,
// whose handle leads nowhere.
func newMemoryCache(c *kernel.Construction) (kernel.Kernel, error) {
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		h := &tensor.Handle{Device: c.Device, Container: "dummy", Name: "DummyMemoryCache", Type: "MemoryCache"}
		if len(out) > 1 {
			h.Container, h.Name = anonymous, fmt.Sprintf("MemoryCache%d", ctx.Step.Resources.NextID())
			h.Value = newMemory(ctx.Step.Resources.Budget)
			out[1] = tensor.Scalar(&tensor.Object{Value: deleter{}})
		}
		out[0] = tensor.Scalar(h)
		return nil
	}), nil
}

// anonymous is the container of what only handles lead to.
const anonymous = "_anonymous"

// A deleter is what comes with the handle of an anonymous resource.
type deleter struct{}
