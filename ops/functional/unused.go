package functional

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		// As small as what is said of the shape allows.
		dt, dims := c.Type("dtype"), []int64{0}
		if s := c.Shape("shape"); !s.Unknown {
			dims = slices.Clone(s.Dims)
			for i := range dims {
				dims[i] = max(dims[i], 0)
			}
		}
		return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) (err error) {
			out[0], err = ctx.AllocZeroed(dt, dims)
			return err
		}), nil
	}, "FakeParam")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		kind := c.Device
		if i := strings.LastIndex(kind, "device:"); i >= 0 {
			kind, _, _ = strings.Cut(kind[i+len("device:"):], ":")
		}
		names := c.Strs("device_names")
		at := slices.Index(names, kind)
		if at < 0 {
			at = len(names)
		}
		return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
			out[0] = tensor.Scalar(int32(at))
			return nil
		}), nil
	}, "DeviceIndex")
}
