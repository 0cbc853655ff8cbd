package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("SamplingDataset").
		Input("input_dataset: variant").Input("rate: float").Input("seed: int64").Input("seed2: int64").
		Output("handle: variant").
		Attr("output_types: list(type) >= 1").
		Attr("output_shapes: list(shape) >= 1").
		Doc(`Makes a dataset of elements of another that are drawn by chance, in their order.

input_dataset: The other dataset.
rate: The probability of each element.
seed: The first seed.
seed2: The second seed; if both are 0 they are taken by chance.
output_types: The types of an element's components.
output_shapes: Their shapes, as far as they are known.`)
	register(newSampling, "SamplingDataset")
}

func newSampling(c *kernel.Construction, like *Dataset) (maker, error) {
	node := c.Node
	return func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error) {
		d, err := datasetOf(&in[0])
		if err != nil {
			return nil, err
		}
		rate, err := scalar[float32](&in[1], "rate")
		if err != nil {
			return nil, err
		}
		from, err := seedsFrom(ctx, node, in[2:], false)
		if err != nil {
			return nil, err
		}
		return like.like(unknown, func(ctx context.Context, p *pass) (iterator, error) {
			it, err := d.begin(ctx, p)
			numbers := philox.NewSingle(philox.New(from.next()))
			return func(ctx context.Context) (element, error) {
				for {
					if err := stopped(ctx); err != nil {
						return nil, err
					}
					e, err := it(ctx)
					if err != nil || philox.Unit(numbers) < rate {
						return e, err
					}
				}
			}, err
		}), nil
	}, nil
}
