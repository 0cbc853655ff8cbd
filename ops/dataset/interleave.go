package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("FlatMapDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of the datasets that a function returns for each element of another, one after the other.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
f: The function, which returns a dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("InterleaveDataset").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("cycle_length: int64").
		Input("block_length: int64").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of the datasets that a function returns for each element of another, taking turns.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
cycle_length: How many datasets take turns.
block_length: How many elements a turn has.
f: The function, which returns a dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ParallelInterleaveDatasetV2").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("cycle_length: int64").
		Input("block_length: int64").Input("num_parallel_calls: int64").Output("handle: variant").
		Attr("f: func").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("sloppy: bool = false").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of the datasets that a function returns for each element of another, taking turns and reading ahead.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
cycle_length: How many datasets take turns; -1 leaves it to the runtime.
block_length: How many elements a turn has.
num_parallel_calls: How many datasets are read ahead at one time; -1 leaves it to the runtime.
f: The function, which returns a dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
sloppy: Ignored: elements always come in order.
metadata: Ignored.`)
	registry.Define("ParallelInterleaveDatasetV3").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("cycle_length: int64").
		Input("block_length: int64").Input("num_parallel_calls: int64").Output("handle: variant").
		Attr("f: func").
		Attr("deterministic: string = 'default'").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of the datasets that a function returns for each element of another, taking turns and reading ahead.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
cycle_length: How many datasets take turns; -1 leaves it to the runtime.
block_length: How many elements a turn has.
num_parallel_calls: How many datasets are read ahead at one time; -1 leaves it to the runtime.
f: The function, which returns a dataset.
deterministic: Ignored: elements always come in order.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ParallelInterleaveDatasetV4").
		Input("input_dataset: variant").Input("other_arguments: Targuments").Input("cycle_length: int64").
		Input("block_length: int64").Input("buffer_output_elements: int64").Input("prefetch_input_elements: int64").
		Input("num_parallel_calls: int64").Output("handle: variant").
		Attr("f: func").
		Attr("deterministic: string = 'default'").
		Attr("Targuments: list(type) >= 0").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of the datasets that a function returns for each element of another, taking turns and reading ahead.

input_dataset: The other dataset.
other_arguments: What the function takes after the element.
cycle_length: How many datasets take turns; -1 leaves it to the runtime.
block_length: How many elements a turn has.
buffer_output_elements: How many elements of a dataset are read ahead; -1 leaves it to the runtime.
prefetch_input_elements: How many datasets are made ahead; -1 leaves it to the runtime.
num_parallel_calls: How many datasets are read ahead at one time; -1 leaves it to the runtime.
f: The function, which returns a dataset.
deterministic: Ignored: elements always come in order.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	register(newFlatMap, "FlatMapDataset")
	register(newInterleave, "InterleaveDataset", "ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV4")
}

// beginOf calls a function that returns a dataset for an element, and begins to
// iterate over that, in a pass of its own.
func beginOf(ctx context.Context, p *pass, f call, e element, like *Dataset) (*pass, iterator, error) {
	got, err := f(ctx, e...)
	if err != nil {
		return nil, nil, err
	}
	if len(got) != 1 || got[0].DType() != tensor.Variant || got[0].Rank() != 0 {
		return nil, nil, status.Invalid("Function must return a single scalar of dtype DT_VARIANT.")
	}
	d, err := datasetOf(&got[0])
	if err != nil {
		return nil, nil, err
	}
	below := p.sub()
	it, err := d.begin(ctx, below)
	if err != nil {
		below.close()
		return nil, nil, err
	}
	return below, func(ctx context.Context) (element, error) {
		e, err := it(ctx)
		if err == nil {
			err = like.check(e)
		}
		return e, err
	}, nil
}

// newFlatMap makes the kernel of FlatMapDataset.
func newFlatMap(c *kernel.Construction, like *Dataset) (maker, error) {
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		captured, err := capture(c, ctx, "f", in[1:])
		return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
			outer, err := d.begin(ctx, p)
			if err != nil {
				return nil, err
			}
			f, err := captured.bind(ctx, p)
			var below *pass
			var it iterator
			return func(ctx context.Context) (element, error) {
				for {
					if it == nil {
						e, err := outer(ctx)
						if err != nil {
							return nil, err
						}
						if below, it, err = beginOf(ctx, p, f, e, like); err != nil {
							return nil, err
						}
					}
					e, err := it(ctx)
					if err != errEnd {
						return e, err
					}
					below.close()
					it = nil
				}
			}, err
		}), err
	}, nil
}

// newInterleave makes the kernels of InterleaveDataset and its parallel forms,
// whose datasets are read ahead.
func newInterleave(c *kernel.Construction, like *Dataset) (maker, error) {
	captures := len(c.Types("Targuments"))
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		n := &interleaving{d: d, like: like}
		if n.f, err = capture(c, ctx, "f", in[1:1+captures]); err != nil {
			return nil, err
		}
		rest := in[1+captures:]
		if n.cycle, err = scalar[int64](&rest[0], "cycle_length"); err != nil {
			return nil, err
		}
		if n.block, err = scalar[int64](&rest[1], "block_length"); err != nil {
			return nil, err
		}
		n.parallel = 1
		if len(rest) > 2 {
			if n.parallel, err = calls(ctx, &rest[len(rest)-1]); err != nil {
				return nil, err
			}
			if n.cycle == -1 {
				n.cycle = int64(max(ctx.Step.Pool.Workers(), 1))
			}
		}
		switch {
		case n.cycle <= 0:
			return nil, status.Invalid("cycle_length must be greater than zero.")
		case n.block <= 0:
			return nil, status.Invalid("block_length must be greater than zero.")
		}
		return like.like(unknown, n.begin), nil
	}, nil
}

// An interleaving is what an InterleaveDataset does.
type interleaving struct {
	d, like      *Dataset
	f            captured
	cycle, block int64
	parallel     int // how many datasets are read ahead; 1: none
}

// A source is a dataset that takes turns; closed ones have no pass.
type source struct {
	below *pass
	next  iterator
}

func (n *interleaving) begin(ctx context.Context, p *pass) (iterator, error) {
	outer, err := n.d.begin(ctx, p)
	if err != nil {
		return nil, err
	}
	f, err := n.f.bind(ctx, p)
	if err != nil {
		return nil, err
	}
	var sources []source // as many as there were elements for, up to cycle
	turn, given, open := int64(0), int64(0), 0
	exhausted := false
	advance := func() {
		given = 0
		if turn++; turn == n.cycle {
			turn = 0
		}
	}
	return func(ctx context.Context) (element, error) {
		for !exhausted || open > 0 {
			if err := stopped(ctx); err != nil {
				return nil, err
			}
			if turn == int64(len(sources)) {
				if exhausted { // all the turns that follow are empty
					turn, given = 0, 0
					continue
				}
				sources = append(sources, source{})
			}
			s := &sources[turn]
			switch {
			case s.next != nil:
				e, err := s.next(ctx)
				if err != errEnd {
					if given++; given == n.block {
						advance()
					}
					return e, err
				}
				s.below.close()
				*s = source{}
				open--
				advance()
			case exhausted:
				advance()
			default:
				e, err := outer(ctx)
				if err == errEnd {
					exhausted = true
					continue
				}
				if err != nil {
					return nil, err
				}
				below, it, err := beginOf(ctx, p, f, e, n.like)
				if err != nil {
					return nil, err
				}
				if n.parallel > 1 && turn < int64(n.parallel) {
					it = ahead(below, min(n.block, mostAhead), it)
				}
				*s = source{below, it}
				open++
			}
		}
		return nil, errEnd
	}, nil
}
