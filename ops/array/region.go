package array

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ImmutableConst").
		Output("tensor: dtype").
		Attr("dtype: type").
		Attr("shape: shape").
		Attr("memory_region_name: string").
		Doc(`Gives a tensor from a region of memory that the system maps, such as a file.

shape: Its shape.
memory_region_name: The region.`)

	kernel.ForAll(newRegion, "ImmutableConst")
}

func newRegion(c *kernel.Construction) (kernel.Kernel, error) {
	name, dt, s := c.Str("memory_region_name"), c.Type("dtype"), c.Shape("shape")
	if dt.HasPointers() {
		return nil, status.Errorf(status.Unimplemented, "Sorry, DT_%v is not currently supported for ImmutableConst", dt)
	}
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		f, err := ctx.Step.Files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		t, err := tensor.ReadTensor(dt, s.Dims, f)
		if err != nil {
			return err
		}
		out[0] = tensor.ValueOf(t)
		return nil
	}), nil
}
