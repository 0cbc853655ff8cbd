package state

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ResourceGather").
		Input("resource: resource").Input("indices: Tindices").Output("output: dtype").
		Reads("resource").
		Attr("batch_dims: int = 0").
		Attr("validate_indices: bool = true").
		Attr("dtype: type").
		Attr("Tindices: {int32, int64}").
		Stateful().
		Doc(`Gives the slices of a variable along its first dimension that indices name.

indices: Which slices, in any shape; one that is not in [0, n) is an error.
batch_dims: How many leading dimensions the variable and indices have in common, and are walked together.
validate_indices: Ignored: indices are always checked.`)
	registry.Define("ResourceGatherNd").
		Input("resource: resource").Input("indices: Tindices").Output("output: dtype").
		Reads("resource").
		Attr("dtype: type").
		Attr("Tindices: {int32, int64}").
		Stateful().
		Doc(`Gives the elements or slices of a variable at given coordinates.

indices: Vectors of coordinates in the last dimension, each as long as the variable has dimensions, for elements, or shorter, for slices.`)

	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return &gather{dt: c.Type("dtype"), batch: c.Int("batch_dims")}, nil
	}, "ResourceGather")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return &gatherNd{dt: c.Type("dtype"), node: c.Node}, nil
	}, "ResourceGatherNd")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.SetRows(0, c.RowsAt(c.Input(0), c.Input(1), c.Dy(0)))
		}
	}, "ResourceGather")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			handle, indices := c.Input(0), c.Input(1)
			c.Set(0, c.Apply("ScatterNd", indices, c.Dy(0), c.ShapeOf(handle, indices.DataType())))
		}
	}, "ResourceGatherNd")
}

// view calls f with the value of the variable that v means.
func view(ctx *kernel.Context, target *resource.Target, v *tensor.Value, dt tensor.DType, f func(params tensor.Value) error) error {
	variable, err := target.Find(ctx.Step.Resources, v)
	if err != nil {
		return err
	}
	return variable.View(ctx.Step.Context, func(val tensor.Value) error {
		if val.IsZero() {
			return variable.Uninitialized()
		}
		if err := sameType(val.DType(), dt, "read"); err != nil {
			return err
		}
		return f(val)
	})
}

type gather struct {
	target resource.Target
	dt     tensor.DType
	batch  int64
}

func (k *gather) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return view(ctx, &k.target, &in[0], k.dt, func(params tensor.Value) error {
		o, err := k.rows(ctx, &params, &in[1])
		if err == nil {
			out[0] = o
		}
		return err
	})
}

func (k *gather) rows(ctx *kernel.Context, params, indices *tensor.Value) (tensor.Value, error) {
	if params.Rank() < 1 {
		return tensor.Value{}, status.Invalid("params must be at least 1 dimensional")
	}
	if k.batch < 0 || k.batch > int64(indices.Rank()) || k.batch >= int64(params.Rank()) {
		return tensor.Value{}, status.Invalid("batch_dims (%d) must not be more than the rank of indices (%d) and less than the rank of the variable (%d)",
			k.batch, indices.Rank(), params.Rank())
	}
	b := int(k.batch)
	pd, id := params.Dims(), indices.Dims()
	if !slices.Equal(pd[:b], id[:b]) {
		return tensor.Value{}, status.Invalid("the first %d dimensions of the variable %s and of indices %s must be equal",
			b, tensor.FormatDims(pd), tensor.FormatDims(id))
	}
	o, err := ctx.Alloc(k.dt, slices.Concat(pd[:b], id[b:], pd[b+1:]))
	if err != nil {
		return tensor.Value{}, err
	}
	limit, size, perBatch := pd[b], int(product(pd[b+1:])), int(product(id[b:]))
	err = eachIndex(ctx, indices, func(i int, index int64) error {
		if index < 0 || index >= limit {
			return status.Invalid("indices%s = %d is not in [0, %d)", position(i, id), index, limit)
		}
		strided.Move(&o, i*size, params, (i/perBatch*int(limit)+int(index))*size, size)
		return nil
	})
	if err != nil {
		ctx.Free(o)
	}
	return o, err
}

type gatherNd struct {
	target resource.Target
	dt     tensor.DType
	node   string
}

func (k *gatherNd) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return view(ctx, &k.target, &in[0], k.dt, func(params tensor.Value) error {
		o, err := k.slices(ctx, &params, &in[1])
		if err == nil {
			out[0] = o
		}
		return err
	})
}

func (k *gatherNd) slices(ctx *kernel.Context, params, indices *tensor.Value) (tensor.Value, error) {
	if params.Rank() < 1 || indices.Rank() < 1 {
		return tensor.Value{}, status.Invalid("params and indices must be at least vectors, got shapes %s and %s",
			tensor.FormatDims(params.Dims()), tensor.FormatDims(indices.Dims()))
	}
	outer, dims := indices.Dims()[:indices.Rank()-1], params.Dims()
	depth := indices.Dim(len(outer))
	if depth > len(dims) {
		return tensor.Value{}, status.Invalid("index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, len(dims))
	}
	o, err := ctx.Alloc(k.dt, slices.Concat(outer, dims[depth:]))
	if err != nil {
		return tensor.Value{}, err
	}
	if params.NumElements() == 0 && product(outer) > 0 {
		return tensor.Value{}, status.Invalid("Requested more than 0 entries, but params is empty.  Params shape: %s", tensor.FormatDims(dims))
	}
	size := int(product(dims[depth:]))
	if depth == 0 { // each vector names the whole variable
		for n := range int(product(outer)) {
			strided.Move(&o, n*size, params, 0, size)
		}
		return o, nil
	}
	at, bad := 0, false
	err = eachIndex(ctx, indices, func(i int, index int64) error {
		d := i % depth
		if d == 0 {
			at, bad = 0, false
		}
		if bad = bad || index < 0 || index >= dims[d]; !bad {
			at = at*int(dims[d]) + int(index)
		}
		if d < depth-1 {
			return nil
		}
		n := i / depth
		if bad {
			return status.Invalid("indices%s = %s does not index into param shape %s, node name: %s",
				position(n, outer), coordinates(indices, n, depth), tensor.FormatDims(dims), k.node)
		}
		strided.Move(&o, n*size, params, at*size, size)
		return nil
	})
	if err != nil {
		ctx.Free(o)
	}
	return o, err
}
