package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ShuffleDataset").
		Input("input_dataset: variant").Input("buffer_size: int64").Input("seed: int64").
		Input("seed2: int64").Output("handle: variant").
		Attr("reshuffle_each_iteration: bool = true").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another in random order.

input_dataset: The other dataset.
buffer_size: Among how many elements the next one is drawn.
seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
reshuffle_each_iteration: Whether each iteration has an order of its own.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ShuffleDatasetV2").
		Input("input_dataset: variant").Input("buffer_size: int64").Input("seed_generator: resource").
		Output("handle: variant").
		Leaves("seed_generator").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the elements of another in random order.

input_dataset: The other dataset.
buffer_size: Among how many elements the next one is drawn.
seed_generator: The generator of each iteration's seeds.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ShuffleDatasetV3").
		Input("input_dataset: variant").Input("buffer_size: int64").Input("seed: int64").
		Input("seed2: int64").Input("seed_generator: resource").Output("handle: variant").
		Leaves("seed_generator").
		Attr("reshuffle_each_iteration: bool = true").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the elements of another in random order.

input_dataset: The other dataset.
buffer_size: Among how many elements the next one is drawn.
seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
seed_generator: The generator of each iteration's seeds, or a handle of DummySeedGenerator.
reshuffle_each_iteration: Whether each iteration has an order of its own.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("ShuffleAndRepeatDataset").
		Input("input_dataset: variant").Input("buffer_size: int64").Input("seed: int64").
		Input("seed2: int64").Input("count: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("reshuffle_each_iteration: bool = true").
		Attr("metadata: string = ''").
		Doc(`Makes a dataset of the elements of another in random order, several times over.

input_dataset: The other dataset.
buffer_size: Among how many elements the next one is drawn.
seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
count: How many times; negative for ever.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
reshuffle_each_iteration: Whether each iteration has an order of its own.
metadata: Ignored.`)
	registry.Define("ShuffleAndRepeatDatasetV2").
		Input("input_dataset: variant").Input("buffer_size: int64").Input("seed: int64").
		Input("seed2: int64").Input("count: int64").Input("seed_generator: resource").
		Output("handle: variant").
		Leaves("seed_generator").
		Attr("reshuffle_each_iteration: bool = true").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the elements of another in random order, several times over.

input_dataset: The other dataset.
buffer_size: Among how many elements the next one is drawn.
seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
count: How many times; negative for ever.
seed_generator: The generator of each iteration's seeds, or a handle of DummySeedGenerator.
reshuffle_each_iteration: Whether each iteration has an order of its own.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	register(newShuffle, "ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3", "ShuffleAndRepeatDataset", "ShuffleAndRepeatDatasetV2")
}

// newShuffle makes the kernels of ShuffleDataset and its kin, whose order is
// TensorFlow's for the same seeds.
func newShuffle(c *kernel.Construction, like *Dataset) (maker, error) {
	reshuffle := c.Bool("reshuffle_each_iteration")
	seeded, repeated, generated := c.Op.Name != "ShuffleDatasetV2", false, false
	for _, in := range c.Op.Inputs {
		repeated = repeated || in.Name == "count"
		generated = generated || in.Name == "seed_generator"
	}
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		most, err := scalar[int64](&in[1], "buffer_size")
		switch {
		case err != nil:
			return nil, err
		case most == unknown || most == infinite:
			most = 1<<63 - 1
		case most <= 0:
			return nil, status.Invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
		}
		count := int64(1)
		if repeated {
			if count, err = scalar[int64](&in[4], "count"); err != nil {
				return nil, err
			}
			if count == 0 || count < -1 {
				return nil, status.Invalid("count must be greater than zero or equal to -1.")
			}
		}
		var g *seeds
		if generated {
			if g, err = seedsOf(&in[len(in)-1]); err != nil {
				return nil, err
			}
		}
		switch {
		case g != nil:
		case !seeded:
			g = newSeeds(ctx, c.Node, 0, 0, true)
		default:
			if g, err = seedsFrom(ctx, c.Node, in[2:4], reshuffle); err != nil {
				return nil, err
			}
		}
		return like.like(times(d.size, count), func(_ context.Context, p *pass) (iterator, error) {
			s := &shuffle{p: p, d: d, most: most, left: count, seeds: g, random: philox.NewSingle(philox.New(g.next()))}
			return s.next, nil
		}), nil
	}, nil
}

// A shuffle is an iteration of a ShuffleDataset: a ring of elements, the next of
// which is drawn among those of the first epoch in it.
type shuffle struct {
	p      *pass
	d      *Dataset
	most   int64 // elements in the ring
	left   int64 // epochs still to begin; negative without end
	seeds  *seeds
	random *philox.Single // of the first epoch in the ring

	ring   rows
	n      int64 // elements in it
	epochs []stretch
	below  *pass
	it     iterator // of the last epoch; nil if that is over
	fed    bool     // the last epoch has an element
}

// A stretch is where the elements of an epoch are in the ring: from begin up to end,
// which count on beyond the ring's size.
type stretch struct{ begin, end int64 }

// mostEpochs is of how many epochs there may be elements in the ring.
const mostEpochs = 3

func (s *shuffle) next(ctx context.Context) (element, error) {
	for (s.it != nil || s.left != 0) && s.n < s.most && (len(s.epochs) <= mostEpochs || s.n == 0) {
		if err := s.take(ctx); err != nil {
			return nil, err
		}
	}
	if s.n == 0 {
		return nil, errEnd
	}
	for s.epochs[0].begin == s.epochs[0].end {
		s.epochs = s.epochs[1:]
		s.random = philox.NewSingle(philox.New(s.seeds.next()))
	}
	first := &s.epochs[0]
	drawn := (first.begin + int64(s.random.One())%(first.end-first.begin)) % s.most
	e := *s.ring.at(int(drawn))
	at := s.ring.at(int(first.begin % s.most))
	*s.ring.at(int(drawn)), *at = *at, nil
	first.begin++
	s.n--
	s.p.drop(e)
	return e, nil
}

// take takes another element into the ring, or begins or ends an epoch.
func (s *shuffle) take(ctx context.Context) error {
	if err := stopped(ctx); err != nil {
		return err
	}
	if s.it == nil {
		s.below = s.p.sub()
		it, err := s.d.begin(ctx, s.below)
		if err != nil {
			s.below.close()
			return err
		}
		at := int64(0)
		if k := len(s.epochs); k > 0 {
			at = s.epochs[k-1].end
		}
		s.epochs = append(s.epochs, stretch{at, at})
		s.it, s.fed = it, false
		if s.left > 0 {
			s.left--
		}
	}
	e, err := s.it(ctx)
	if err == errEnd {
		s.below.close()
		s.it = nil
		if !s.fed { // for ever is not long
			s.left = 0
		}
		return nil
	}
	if err == nil {
		err = s.p.hold(e)
	}
	if err != nil {
		return err
	}
	last := &s.epochs[len(s.epochs)-1]
	if at := last.end % s.most; at == int64(s.ring.n) {
		s.ring.add(e)
	} else {
		*s.ring.at(int(at)) = e
	}
	last.end++
	s.n++
	s.fed = true
	return nil
}
