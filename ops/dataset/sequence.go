package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	registry.Define("RepeatDataset").
		Input("input_dataset: variant").Input("count: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another, several times over.

input_dataset: The other dataset.
count: How many times; negative for ever.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("TakeDataset").
		Input("input_dataset: variant").Input("count: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the first elements of another.

input_dataset: The other dataset.
count: How many; negative for all.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("SkipDataset").
		Input("input_dataset: variant").Input("count: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of all but the first elements of another.

input_dataset: The other dataset.
count: How many are left out; negative for all.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ConcatenateDataset").
		Input("input_dataset: variant").Input("another_dataset: variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of one dataset, and then of another.

input_dataset: The first dataset.
another_dataset: The second.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ZipDataset").
		Input("input_datasets: N * variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("N: int >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset whose elements have the components of those of several others, side by side.

input_datasets: The others; the shortest ends it.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ShardDataset").
		Input("input_dataset: variant").Input("num_shards: int64").Input("index: int64").
		Output("handle: variant").
		Attr("require_non_empty: bool = false").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of every n-th element of another.

input_dataset: The other dataset.
num_shards: The number n.
index: Which element is the first, less than num_shards.
require_non_empty: Whether an element for each shard must be there.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("DirectedInterleaveDataset").
		Input("selector_input_dataset: variant").Input("data_input_datasets: N * variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("N: int >= 1").
		Attr("stop_on_empty_dataset: bool = false").
		Doc(`Makes a dataset that takes each element from the one of several that another dataset names.

selector_input_dataset: A dataset of int64 scalars: which dataset is next.
data_input_datasets: The datasets that elements are taken from.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
stop_on_empty_dataset: Whether the first dataset that has ended ends it all.`)
	registry.Define("AssertCardinalityDataset").
		Input("input_dataset: variant").Input("cardinality: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset of the elements of another, and fails if these are not of the expected number.

input_dataset: The other dataset.
cardinality: The number; -1 for infinitely many, -2 for any.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	registry.Define("UniqueDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another without those that were there before.

input_dataset: The other dataset, of one component.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("IgnoreErrorsDataset").
		Input("input_dataset: variant").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("log_warning: bool = false").
		Doc(`Makes a dataset of the elements of another, of which those that fail are left out.

input_dataset: The other dataset.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
log_warning: Ignored.`)
	onto(newRepeat, "RepeatDataset")
	onto(newTake, "TakeDataset")
	onto(newSkip, "SkipDataset")
	onto(newConcatenate, "ConcatenateDataset")
	register(newZip, "ZipDataset")
	onto(newShard, "ShardDataset")
	onto(newDirected, "DirectedInterleaveDataset")
	onto(newAssertCardinality, "AssertCardinalityDataset")
	onto(newUnique, "UniqueDataset")
	onto(newIgnoreErrors, "IgnoreErrorsDataset")
}

// newRepeat is RepeatDataset.
func newRepeat(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	count, err := scalar[int64](&in[1], "count")
	if err != nil {
		return nil, err
	}
	return like.like(times(d.size, count), func(_ context.Context, p *pass) (iterator, error) {
		return repeat(p, d, count), nil
	}), nil
}

// times returns the number of elements of a dataset that is repeated.
func times(size, count int64) int64 {
	switch {
	case count == 0 || size == 0:
		return 0
	case count < 0:
		return infinite
	case size < 0:
		return size
	case size > (1<<63-1)/count:
		return 1<<63 - 1
	}
	return size * count
}

// repeat iterates over d count times; for ever if that is negative, but not once
// more over a dataset that turned out empty.
func repeat(p *pass, d *Dataset, count int64) iterator {
	var below *pass
	var it iterator
	some := false
	return func(ctx context.Context) (element, error) {
		for count != 0 {
			if it == nil {
				below, some = p.sub(), false
				var err error
				if it, err = d.begin(ctx, below); err != nil {
					below.close()
					it = nil
					return nil, err
				}
			}
			e, err := it(ctx)
			if err != errEnd {
				some = true
				return e, err
			}
			below.close()
			it = nil
			switch {
			case count > 0:
				count--
			case !some:
				count = 0
			}
		}
		return nil, errEnd
	}
}

// newTake is TakeDataset.
func newTake(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	count, err := scalar[int64](&in[1], "count")
	if err != nil {
		return nil, err
	}
	size := d.size
	switch {
	case count >= 0 && size == infinite, size >= 0 && count >= 0 && count < size:
		size = count
	}
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		if count == 0 {
			return ended, nil
		}
		it, err := d.begin(ctx, p)
		left := count
		return func(ctx context.Context) (element, error) {
			if left == 0 {
				return nil, errEnd
			}
			e, err := it(ctx)
			switch {
			case err == errEnd:
				left = 0
			case err == nil && left > 0:
				left--
			}
			return e, err
		}, err
	}), nil
}

// newSkip is SkipDataset.
func newSkip(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	count, err := scalar[int64](&in[1], "count")
	if err != nil {
		return nil, err
	}
	size := d.size
	switch {
	case count < 0:
		size = 0
	case size >= 0:
		size = max(size-count, 0)
	}
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		if count < 0 {
			return ended, nil
		}
		it, err := d.begin(ctx, p)
		left := count
		return func(ctx context.Context) (element, error) {
			for ; left > 0; left-- {
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				if _, err := it(ctx); err != nil {
					return nil, err
				}
			}
			return it(ctx)
		}, err
	}), nil
}

// stopped returns the reason to stop, nil while there is none.
func stopped(ctx context.Context) error {
	if err := status.FromContext(ctx); err != nil {
		return err
	}
	return nil
}

// newConcatenate is ConcatenateDataset.
func newConcatenate(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	other, err := datasetOf(&in[1])
	if err != nil {
		return nil, err
	}
	if len(d.types) != len(other.types) {
		return nil, status.Invalid("input dataset and dataset to concatenate have different output_types %v and %v", d.types, other.types)
	}
	for i := range d.types {
		if d.types[i] != other.types[i] {
			return nil, status.Invalid("input dataset and dataset to concatenate have different output_types %v and %v", d.types, other.types)
		}
	}
	size := d.size
	switch {
	case d.size == infinite || other.size == infinite:
		size = infinite
	case d.size == unknown || other.size == unknown:
		size = unknown
	default:
		if size += other.size; size < 0 {
			size = 1<<63 - 1
		}
	}
	return like.like(size, func(_ context.Context, p *pass) (iterator, error) { return chain(p, d, other), nil }), nil
}

// chain iterates over one dataset after the other.
func chain(p *pass, list ...*Dataset) iterator {
	var below *pass
	var it iterator
	return func(ctx context.Context) (element, error) {
		for len(list) > 0 {
			if it == nil {
				below = p.sub()
				var err error
				if it, err = list[0].begin(ctx, below); err != nil {
					below.close()
					it = nil
					return nil, err
				}
			}
			e, err := it(ctx)
			if err != errEnd {
				return e, err
			}
			below.close()
			it, list = nil, list[1:]
		}
		return nil, errEnd
	}
}

// newZip makes the kernel of ZipDataset.
func newZip(_ *kernel.Construction, like *Dataset) (maker, error) {
	return func(_ *kernel.Context, in []tensor.Value) (*Dataset, error) {
		list, err := datasetsOf(in)
		if err != nil {
			return nil, err
		}
		size := int64(infinite)
		for _, d := range list {
			switch {
			case size == unknown:
			case d.size == unknown:
				size = unknown
			case d.size >= 0 && (size < 0 || d.size < size):
				size = d.size
			}
		}
		return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
			its, err := beginAll(ctx, p, list)
			return func(ctx context.Context) (element, error) {
				var zipped element
				var failed error
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				var held []element // while others are made
				defer func() {
					for _, e := range held {
						p.drop(e)
					}
				}()
				for i, it := range its { // a failure of one does not keep the others back
					switch e, err := it(ctx); {
					case err == errEnd:
						its = []iterator{ended}
						return nil, errEnd
					case err != nil && failed == nil:
						failed = err
					default:
						zipped = append(zipped, e...)
						if i < len(its)-1 {
							if err := p.hold(e); err != nil {
								return nil, err
							}
							held = append(held, e)
						}
					}
				}
				return zipped, failed
			}, err
		}), nil
	}, nil
}

func datasetsOf(in []tensor.Value) ([]*Dataset, error) {
	list := make([]*Dataset, len(in))
	for i := range in {
		var err error
		if list[i], err = datasetOf(&in[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func beginAll(ctx context.Context, p *pass, list []*Dataset) ([]iterator, error) {
	its := make([]iterator, len(list))
	for i, d := range list {
		var err error
		if its[i], err = d.begin(ctx, p); err != nil {
			return nil, err
		}
	}
	return its, nil
}

// newShard is ShardDataset.
func newShard(c *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	n, err := scalar[int64](&in[1], "num_shards")
	if err != nil {
		return nil, err
	}
	index, err := scalar[int64](&in[2], "index")
	switch {
	case err != nil:
		return nil, err
	case n <= 0:
		return nil, status.Invalid("Number of shards must be greater than zero (currently num_shards = %d).", n)
	case index < 0 || index >= n:
		return nil, status.Invalid("Index must be between 0 and %d (currently index = %d).", n-1, index)
	}
	size := d.size
	if size >= 0 {
		size = size / n
		if index < d.size%n {
			size++
		}
	}
	nonEmpty := c.Bool("require_non_empty")
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		at, first := int64(0), nonEmpty
		return func(ctx context.Context) (element, error) {
			for {
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				e, err := it(ctx)
				if err != nil {
					return nil, err
				}
				mine := at == index
				if at++; at == n {
					at = 0
				}
				if !mine {
					continue
				}
				if first { // the others have one too if the last has
					first = false
					for range n - 1 - index {
						if _, err := it(ctx); err == errEnd {
							return nil, status.Invalid("Could not apply FILE based sharding: the dataset only has fewer than %d file(s), which is not enough for the required %d shards.", n, n)
						} else if err != nil {
							return nil, err
						}
					}
					at = 0
				}
				return e, nil
			}
		}, err
	}), nil
}

// newDirected is DirectedInterleaveDataset; d is the selector.
func newDirected(c *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	if len(d.types) != 1 || d.types[0] != tensor.Int64 {
		return nil, status.Invalid("The selector input must be a dataset of scalar int64 elements.")
	}
	list, err := datasetsOf(in[1:])
	if err != nil {
		return nil, err
	}
	stop := c.Bool("stop_on_empty_dataset")
	return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
		which, err := d.begin(ctx, p)
		if err != nil {
			return nil, err
		}
		its, err := beginAll(ctx, p, list)
		left := len(its)
		return func(ctx context.Context) (element, error) {
			for left > 0 {
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				e, err := which(ctx)
				if err == errEnd {
					break
				}
				if err != nil {
					return nil, err
				}
				if e[0].Rank() != 0 {
					return nil, status.Invalid("The selector input must be a dataset of scalar int64 elements.")
				}
				i := tensor.At0[int64](&e[0])
				if i < 0 || i >= int64(len(its)) {
					return nil, status.Invalid("Selector index out of range: %d >= %d", i, len(its))
				}
				if its[i] == nil {
					continue
				}
				next, err := its[i](ctx)
				if err != errEnd {
					return next, err
				}
				its[i] = nil
				if left--; stop {
					left = 0
				}
			}
			left = 0
			return nil, errEnd
		}, err
	}), nil
}

// newAssertCardinality is AssertCardinalityDataset.
func newAssertCardinality(_ *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error) {
	want, err := scalar[int64](&in[1], "cardinality")
	if err != nil {
		return nil, err
	}
	return like.like(want, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		n := int64(0)
		return func(ctx context.Context) (element, error) {
			e, err := it(ctx)
			if err == nil {
				n++
			}
			switch {
			case err == errEnd && want != unknown && n != want:
				return nil, status.Errorf(status.FailedPrecondition, "Input dataset was expected to contain %s but contained only %d element%s.", elements(want), n, plural(n))
			case err == nil && want >= 0 && n > want:
				return nil, status.Errorf(status.FailedPrecondition, "Input dataset was expected to contain %s but contained at least %d element%s.", elements(want), n, plural(n))
			}
			return e, err
		}, err
	}), nil
}

func elements(n int64) string {
	if n == infinite {
		return "an infinite number of elements"
	}
	return tensor.Scalar(n).Tensor().ElementText(0) + " element" + plural(n)
}

func plural(n int64) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// newUnique is UniqueDataset.
func newUnique(_ *kernel.Construction, d, like *Dataset, _ []tensor.Value) (*Dataset, error) {
	if len(d.types) != 1 {
		return nil, status.Invalid("UniqueDataset only supports inputs with a single component.")
	}
	if dt := d.types[0]; dt == tensor.Resource || dt == tensor.Variant {
		return nil, status.Invalid("UniqueDataset does not support elements of %v", dt)
	}
	return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		seen := map[string]bool{}
		return func(ctx context.Context) (element, error) {
			for {
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				e, err := it(ctx)
				if err != nil {
					return nil, err
				}
				b, err := tensorproto.Marshal(e[0].Tensor())
				if err != nil {
					return nil, err
				}
				if seen[string(b)] {
					continue
				}
				if err := p.hold(e); err != nil {
					return nil, err
				}
				seen[string(b)] = true
				return e, nil
			}
		}, err
	}), nil
}

// newIgnoreErrors is IgnoreErrorsDataset.
func newIgnoreErrors(_ *kernel.Construction, d, like *Dataset, _ []tensor.Value) (*Dataset, error) {
	size := d.size
	if size >= 0 {
		size = unknown
	}
	return like.like(size, func(ctx context.Context, p *pass) (iterator, error) {
		it, err := d.begin(ctx, p)
		return func(ctx context.Context) (element, error) {
			for {
				e, err := it(ctx)
				if err == nil || err == errEnd || stopped(ctx) != nil {
					return e, err
				}
			}
		}, err
	}), nil
}
