package array

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Placeholder").
		Output("output: dtype").
		Attr("dtype: type").
		Attr("shape: shape = { unknown_rank: true }").
		Doc(`Stands for a tensor that every step must feed.

shape: What is said of the tensor's shape; what is fed must agree with it.`)
	registry.Define("PlaceholderV2").
		Output("output: dtype").
		Attr("dtype: type").
		Attr("shape: shape").
		Deprecated(23, "Use Placeholder.").
		Doc(`Stands for a tensor that every step must feed, like Placeholder.

shape: What is said of the tensor's shape.`)
	registry.Define("PlaceholderWithDefault").
		Input("input: dtype").Output("output: dtype").
		Attr("dtype: type").
		Attr("shape: shape").
		Doc(`Passes its input on, unless a step feeds another tensor in its place.

shape: What is said of the shape of both.`)

	kernel.ForAll(newPlaceholder, "Placeholder", "PlaceholderV2")
	kernel.ForAll(newPass, "PlaceholderWithDefault")

	gradient.Register(func(c *gradient.Context) { c.Pass(0, 0) }, "PlaceholderWithDefault")
}

// newPlaceholder makes the kernel that runs where nothing was fed: it fails.
func newPlaceholder(c *kernel.Construction) (kernel.Kernel, error) {
	node, dt, dims := c.Node, c.Type("dtype"), shape.FromAttr(c.Shape("shape"))
	return kernel.Func(func(*kernel.Context, []tensor.Value, []tensor.Value) error {
		if dims.Known() {
			return status.Invalid("You must feed a value for placeholder tensor '%s' with dtype %v and shape %v", node, dt, dims)
		}
		return status.Invalid("You must feed a value for placeholder tensor '%s' with dtype %v", node, dt)
	}), nil
}
