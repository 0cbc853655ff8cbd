package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The operations that change slices of a variable: the slice at each vector of
// coordinates along the last dimension of indices.
func init() {
	for _, op := range []struct {
		name, doc string
		update    elementwise.Update
		types     []tensor.DType
	}{
		{"ScatterNdAdd", "Adds updates to a variable at given coordinates.", elementwise.UpdateAdd, elementwise.Numbers},
		{"ScatterNdSub", "Subtracts updates from a variable at given coordinates.", elementwise.UpdateSub, elementwise.Numbers},
		{"ScatterNdMax", "Makes elements of a variable at given coordinates no less than updates.", elementwise.UpdateMax, elementwise.Reals},
		{"ScatterNdMin", "Makes elements of a variable at given coordinates no greater than updates.", elementwise.UpdateMin, elementwise.Reals},
	} {
		ref, resource := defineScatterNd(op.name, "numbertype", "false", op.doc)
		access := (*registry.Builder).Writes
		if op.update == elementwise.UpdateAdd || op.update == elementwise.UpdateSub {
			access = (*registry.Builder).AddsTo
		}
		access(ref, "ref")
		access(resource, "ref")
		kernel.ForType("Resource"+op.name, "T", tensor.Bool, func(c *kernel.Construction) (kernel.Kernel, error) {
			return newScatterNd(c, elementwise.CombineBools(op.update))
		})
		for _, name := range []string{op.name, "Resource" + op.name} {
			for _, dt := range op.types {
				kernel.ForType(name, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
					return newScatterNd(c, elementwise.Combine(op.update, dt))
				})
			}
		}
	}
	ref, resource := defineScatterNd("ScatterNdUpdate", "type", "true", "Sets a variable at given coordinates to updates.")
	ref.Writes("ref")
	resource.Writes("ref")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return newScatterNd(c, nil) }, "ScatterNdUpdate", "ResourceScatterNdUpdate")

	gradient.None("ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate")
}

// defineScatterNd defines the form for references and that for handles.
func defineScatterNd(name, types, locking, doc string) (ref, resource *registry.Builder) {
	doc += `

indices: Vectors of coordinates in the last dimension, each as long as the variable has dimensions, for elements, or shorter, for slices.
updates: For each vector an element or slice.`
	ref = registry.Define(name).
		Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").Output("output_ref: Ref(T)").
		Attr("T: " + types).
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = " + locking).
		Attr("bad_indices_policy: string = ''").
		Doc(doc)
	resource = registry.Define("Resource" + name).
		Input("ref: resource").Input("indices: Tindices").Input("updates: T").
		Attr("T: type").
		Attr("Tindices: {int32, int64}").
		Attr("use_locking: bool = true").
		Attr("bad_indices_policy: string = ''").
		Stateful().
		Doc(doc)
	shape.Register(scatterNdShape, name, "Resource"+name)
	return ref, resource
}

// scatterNdShape is for a variable, or a handle whose own shape counts as the
// variable's where nothing is known of that, as in TensorFlow.
func scatterNdShape(c *shape.Context) error {
	params := c.Input(0)
	if h, ok := c.Handle(0); ok {
		params = h.Shape
	}
	c.Try(c.Input(1).WithRankAtLeast(1))
	c.Try(c.Input(2).WithRankAtLeast(1))
	c.Fail(shape.CheckScatter(params, c.Input(1), c.Input(2)))
	c.SetOutput(0, c.Input(0))
	return c.Err()
}

// scatterNd serves both kinds of variable.
type scatterNd struct {
	target  resource.Target
	dt      tensor.DType
	combine *elementwise.Combination // nil: slices are replaced
	ignore  bool                     // bad indices
}

func newScatterNd(c *kernel.Construction, combine *elementwise.Combination) (kernel.Kernel, error) {
	k := &scatterNd{dt: c.Type("T"), combine: combine}
	switch policy := c.Str("bad_indices_policy"); policy {
	case "", "DEFAULT", "ERROR":
	case "IGNORE":
		k.ignore = true
	default:
		return nil, c.Errorf("Unknown bad_indices_policy '%s'", policy)
	}
	return k, nil
}

func (k *scatterNd) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	if v.Type != k.dt {
		return status.Invalid("DType of scatter resource and updates does not match.")
	}
	indices, updates := in[1], in[2]
	err = v.Rewrite(ctx.Step.Context, func(now, next tensor.Value) (tensor.Value, error) {
		if err := checkScatterNd(now, indices, updates); err != nil {
			return tensor.Value{}, err
		}
		start(&next, &now)
		return next, k.slices(ctx, &next, &indices, &updates)
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}

func checkScatterNd(params, indices, updates tensor.Value) error {
	if params.Rank() < 1 {
		return status.Invalid("Output must be at least 1-D, got shape: %s", tensor.FormatDims(params.Dims()))
	}
	if indices.Rank() < 1 {
		return status.Invalid("indices must be at least 1-D, got shape: %s", tensor.FormatDims(indices.Dims()))
	}
	outer := indices.Dims()[:indices.Rank()-1]
	depth := indices.Dim(len(outer))
	if depth > params.Rank() {
		return status.Invalid("The last dimension of indices[shape=%s] is more than the rank of input[shape=%s]",
			tensor.FormatDims(indices.Dims()), tensor.FormatDims(params.Dims()))
	}
	if n := indices.NumElements() + updates.NumElements(); n > 0 && (params.NumElements() == 0 || depth == 0) {
		return status.Invalid("Indices and updates specified for empty output.  indices shape: %s", tensor.FormatDims(indices.Dims()))
	}
	got, want := updates.Dims(), slices.Concat(outer, params.Dims()[depth:])
	if slices.Equal(got, want) {
		return nil
	}
	if len(got) >= len(outer) && slices.Equal(got[:len(outer)], outer) {
		return status.Invalid("Dimensions [%d,%d) of input[shape=%s] must match dimensions [%d,%d) of updates[shape=%s]",
			depth, params.Rank(), tensor.FormatDims(params.Dims()), len(outer), len(got), tensor.FormatDims(got))
	}
	return status.Invalid("Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of updates[shape=%s]",
		len(outer), tensor.FormatDims(indices.Dims()), len(outer), tensor.FormatDims(got))
}

// slices changes the slices of params that indices name.
func (k *scatterNd) slices(ctx *kernel.Context, params, indices, updates *tensor.Value) error {
	outer := indices.Dims()[:indices.Rank()-1]
	depth := indices.Dim(len(outer))
	dims := params.Dims()
	size := int(product(dims[depth:]))
	count := int(product(outer))
	at, bad := 0, false // of the coordinates read so far
	if depth == 0 || count == 0 {
		return nil
	}
	return eachIndex(ctx, indices, func(i int, index int64) error {
		d := i % depth
		if d == 0 {
			at, bad = 0, false
		}
		bad = bad || index < 0 || index >= dims[d]
		if !bad {
			at = at*int(dims[d]) + int(index)
		}
		if d < depth-1 {
			return nil
		}
		n := i / depth
		switch {
		case bad && k.ignore:
			return nil
		case bad:
			return status.Invalid("indices%s = %s does not index into shape %s", position(n, outer), coordinates(indices, n, depth), tensor.FormatDims(dims))
		case k.combine == nil:
			strided.Move(params, at*size, updates, n*size, size)
			return nil
		default:
			return k.combine.Range(params, params, at*size, updates, n*size, size)
		}
	})
}

// coordinates returns the n-th vector of indices in words: "[2, 2]".
func coordinates(indices *tensor.Value, n, depth int) string {
	var words []string
	for i := n * depth; i < (n+1)*depth; i++ {
		one := tensor.ScalarAt(indices, i)
		words = append(words, fmt.Sprint(kernel.AppendInts(nil, &one)[0]))
	}
	return "[" + strings.Join(words, ", ") + "]"
}
