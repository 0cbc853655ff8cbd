package dataset

import (
	"context"
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AnonymousSeedGenerator").
		Input("seed: int64").Input("seed2: int64").Input("reshuffle: bool").
		Output("handle: resource").Output("deleter: variant").
		Stateful().
		Doc(`Makes a generator of seeds for datasets.

seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
reshuffle: Whether it returns new seeds on each request.
handle: The generator.
deleter: What DeleteSeedGenerator takes.`)
	registry.Define("AnonymousRandomSeedGenerator").
		Input("seed: int64").Input("seed2: int64").Output("handle: resource").
		Output("deleter: variant").
		Stateful().
		Doc(`Makes a generator of seeds for datasets, which returns new ones on each request.

seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
handle: The generator.
deleter: What DeleteRandomSeedGenerator takes.`)
	registry.Define("DummySeedGenerator").
		Output("handle: resource").
		Stateful().
		Doc("Gives a handle in the place of a generator of seeds, for a dataset that has one of its own.")
	registry.Define("DeleteSeedGenerator").
		Input("handle: resource").Input("deleter: variant").
		Leaves("handle").
		Stateful().
		Doc(`Lets a generator of seeds go.

handle: The generator.
deleter: What came with it.`)
	registry.Define("DeleteRandomSeedGenerator").
		Input("handle: resource").Input("deleter: variant").
		Leaves("handle").
		Stateful().
		Doc(`Lets a generator of seeds go.

handle: The generator.
deleter: What came with it.`)
	registry.Define("RandomDataset").
		Input("seed: int64").Input("seed2: int64").Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of random numbers without end.

seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	registry.Define("RandomDatasetV2").
		Input("seed: int64").Input("seed2: int64").Input("seed_generator: resource").
		Output("handle: variant").
		Leaves("seed_generator").
		Attr("rerandomize_each_iteration: bool = false").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of random numbers without end.

seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
seed_generator: A generator of seeds, as AnonymousSeedGenerator makes it.
rerandomize_each_iteration: Whether each iteration has seeds of its own.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.
metadata: Ignored.`)
	kernel.ForAll(newSeedGenerator, "AnonymousSeedGenerator", "AnonymousRandomSeedGenerator", "DummySeedGenerator")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, _ []tensor.Value) error {
			_, err := resource.Held[*seeds](&in[0])
			return err
		}), nil
	}, "DeleteSeedGenerator", "DeleteRandomSeedGenerator")
	register(newRandom, "RandomDataset", "RandomDatasetV2")
}

// A seeds gives each iteration over a dataset its two seeds: always the same, or
// numbers that are drawn with them.
type seeds struct {
	seed, seed2 uint64
	mu          sync.Mutex
	random      *philox.Single // nil: always the same
}

// newSeeds begins with two seeds. If both are 0 they follow from the session's seed
// and the node's name, or, without one, are taken by chance.
func newSeeds(ctx *kernel.Context, node string, seed, seed2 int64, draws bool) *seeds {
	s := &seeds{seed: uint64(seed), seed2: uint64(seed2)}
	if seed == 0 && seed2 == 0 {
		g := philox.Unseeded(node, ctx.Step.Seed)
		a, b := g.Next(), g.Next()
		s.seed, s.seed2 = uint64(a[0])|uint64(a[1])<<32, uint64(b[0])|uint64(b[1])<<32
	}
	if draws {
		s.random = philox.NewSingle(philox.New(s.seed, s.seed2))
	}
	return s
}

// seedsFrom is newSeeds of two inputs.
func seedsFrom(ctx *kernel.Context, node string, in []tensor.Value, draws bool) (*seeds, error) {
	seed, err := scalar[int64](&in[0], "seed")
	if err != nil {
		return nil, err
	}
	seed2, err := scalar[int64](&in[1], "seed2")
	return newSeeds(ctx, node, seed, seed2, draws), err
}

// next returns the seeds of another iteration.
func (s *seeds) next() (seed, seed2 uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.random == nil {
		return s.seed, s.seed2
	}
	seed = uint64(s.random.One())
	return seed, uint64(s.random.One())
}

// seedsOf returns the generator that a handle leads to; nil if it is a dummy.
func seedsOf(v *tensor.Value) (*seeds, error) {
	h, err := resource.HandleOf(v)
	if err != nil || h.Value == nil {
		return nil, err
	}
	return resource.Held[*seeds](v)
}

// newSeedGenerator makes the kernels of AnonymousSeedGenerator,
// AnonymousRandomSeedGenerator and DummySeedGenerator, whose handle leads nowhere.
func newSeedGenerator(c *kernel.Construction) (kernel.Kernel, error) {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		h := &tensor.Handle{Device: c.Device, Container: "dummy", Name: "DummySeedGenerator", Type: "SeedGenerator"}
		if len(in) > 0 {
			draws := true
			if len(in) > 2 {
				var err error
				if draws, err = scalar[bool](&in[2], "reshuffle"); err != nil {
					return err
				}
			}
			g, err := seedsFrom(ctx, c.Node, in[:2], draws)
			if err != nil {
				return err
			}
			h.Container, h.Name, h.Value = anonymous, fmt.Sprintf("SeedGenerator%d", ctx.Step.Resources.NextID()), g
			out[1] = tensor.Scalar(&tensor.Object{Value: deleter{}})
		}
		out[0] = tensor.Scalar(h)
		return nil
	}), nil
}

// newRandom makes the kernels of RandomDataset and its second form.
func newRandom(c *kernel.Construction, like *Dataset) (maker, error) {
	if len(like.types) != 1 || like.types[0] != tensor.Int64 {
		return nil, c.Errorf("random numbers are one component of int64, not %v", like.types)
	}
	redraws := c.Bool("rerandomize_each_iteration")
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		var g *seeds
		var err error
		if len(in) > 2 && redraws {
			if g, err = seedsOf(&in[2]); err != nil {
				return nil, err
			}
		}
		if g == nil {
			if g, err = seedsFrom(ctx, c.Node, in, redraws); err != nil {
				return nil, err
			}
		}
		return like.like(infinite, func(context.Context, *pass) (iterator, error) {
			random := philox.NewSingle(philox.New(g.next()))
			return func(context.Context) (element, error) {
				return element{tensor.Scalar(int64(random.One()))}, nil
			}, nil
		}), nil
	}, nil
}
