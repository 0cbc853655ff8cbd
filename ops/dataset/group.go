package dataset

import (
	"context"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("GroupByWindowDataset").
		Input("input_dataset: variant").Input("key_func_other_arguments: Tkey_func_other_arguments").
		Input("reduce_func_other_arguments: Treduce_func_other_arguments").
		Input("window_size_func_other_arguments: Twindow_size_func_other_arguments").
		Output("handle: variant").
		Attr("key_func: func").
		Attr("reduce_func: func").
		Attr("window_size_func: func").
		Attr("Tkey_func_other_arguments: list(type) >= 0").
		Attr("Treduce_func_other_arguments: list(type) >= 0").
		Attr("Twindow_size_func_other_arguments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of what a function makes of windows of elements that have the same key.

input_dataset: The other dataset.
key_func_other_arguments: What key_func takes after the element.
reduce_func_other_arguments: What reduce_func takes after the key and the window.
window_size_func_other_arguments: What window_size_func takes after the key.
key_func: A function of an element that returns its key, an int64 scalar.
reduce_func: A function of a key and a dataset, the window, that returns a dataset.
window_size_func: A function of a key that returns how many elements its windows have.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	register(newGroupByWindow, "GroupByWindowDataset")
}

// newGroupByWindow makes the kernel of GroupByWindowDataset.
func newGroupByWindow(c *kernel.Construction, like *Dataset) (maker, error) {
	nKey, nReduce := len(c.Types("Tkey_func_other_arguments")), len(c.Types("Treduce_func_other_arguments"))
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		rest := in[1:]
		var key, reduce, size captured
		for _, f := range []struct {
			to   *captured
			attr string
			in   []tensor.Value
		}{{&key, "key_func", rest[:nKey]}, {&reduce, "reduce_func", rest[nKey : nKey+nReduce]}, {&size, "window_size_func", rest[nKey+nReduce:]}} {
			if *f.to, err = capture(c, ctx, f.attr, f.in); err != nil {
				return nil, err
			}
		}
		return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
			it, err := d.begin(ctx, p)
			if err != nil {
				return nil, err
			}
			g := &grouping{p: p, d: d, like: like, it: it, windows: map[int64]*window{}}
			for _, f := range []struct {
				to *call
				of captured
			}{{&g.key, key}, {&g.reduce, reduce}, {&g.size, size}} {
				if *f.to, err = f.of.bind(ctx, p); err != nil {
					return nil, err
				}
			}
			return g.next, nil
		}), nil
	}, nil
}

// A grouping is an iteration of a GroupByWindowDataset.
type grouping struct {
	p                 *pass
	d, like           *Dataset
	it                iterator // nil at its end
	key, reduce, size call

	windows map[int64]*window // that are not full
	left    []int64           // keys of those that the end finds so
	below   *pass
	out     iterator // of the window that was full last; nil without one
	full    rows     // of that window, held until out is at its end
}

// A window is elements of one key.
type window struct {
	size     int64
	elements rows
}

func (g *grouping) next(ctx context.Context) (element, error) {
	for {
		if err := stopped(ctx); err != nil {
			return nil, err
		}
		if g.out != nil {
			e, err := g.out(ctx)
			if err != errEnd {
				return e, err
			}
			g.below.close()
			g.out = nil
			for _, e := range g.full.all() {
				g.p.drop(e)
			}
			g.full = rows{}
		}
		if g.it == nil { // what is left, in the order of keys
			if len(g.left) == 0 {
				return nil, errEnd
			}
			key := g.left[0]
			g.left = g.left[1:]
			if err := g.flush(ctx, key); err != nil {
				return nil, err
			}
			continue
		}
		e, err := g.it(ctx)
		if err == errEnd {
			g.it, g.left = nil, slices.Sorted(maps.Keys(g.windows))
			continue
		}
		if err == nil {
			err = g.put(ctx, e)
		}
		if err != nil {
			return nil, err
		}
	}
}

// put puts an element into the window of its key.
func (g *grouping) put(ctx context.Context, e element) error {
	key, err := integer(ctx, g.key, "key_func", e...)
	if err != nil {
		return err
	}
	w := g.windows[key]
	if w == nil {
		size, err := integer(ctx, g.size, "window_size_func", tensor.Scalar(key))
		if err != nil {
			return err
		}
		if size <= 0 {
			return status.Invalid("Window size must be greater than zero, but got %d.", size)
		}
		w = &window{size: size}
		g.windows[key] = w
	}
	if err := g.p.hold(e); err != nil {
		return err
	}
	w.elements.add(e)
	if int64(w.elements.n) < w.size {
		return nil
	}
	return g.flush(ctx, key)
}

// flush begins to iterate over what reduce_func makes of a window.
func (g *grouping) flush(ctx context.Context, key int64) error {
	all := g.windows[key].elements
	delete(g.windows, key)
	g.full = all
	window := g.d.like(int64(all.n), func(context.Context, *pass) (iterator, error) { return listed(all), nil })
	var err error
	g.below, g.out, err = beginOf(ctx, g.p, g.reduce, element{tensor.Scalar(key), variantOf(window)}, g.like)
	return err
}

// integer returns the number that a function returns.
func integer(ctx context.Context, f call, name string, args ...tensor.Value) (int64, error) {
	got, err := f(ctx, args...)
	if err != nil {
		return 0, err
	}
	if len(got) != 1 || got[0].DType() != tensor.Int64 || got[0].NumElements() != 1 {
		return 0, status.Invalid("`%s` must return a scalar int64.", name)
	}
	return tensor.At0[int64](&got[0]), nil
}
