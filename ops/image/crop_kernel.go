package image

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return cropping{c.Str("method") == "nearest", c.Float("extrapolation_value")}, nil
	}, "CropAndResize")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return kernel.Func(cropBoxGradient), nil }, "CropAndResizeGradBoxes")
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half, tensor.Double} {
		kernel.ForType("CropAndResizeGradImage", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return cropGradient{c.Str("method") == "nearest", dt}, nil
		})
	}
}

// A cropping is the kernel of CropAndResize.
type cropping struct {
	nearest bool
	outside float32 // what pixels beyond the image are
}

// pixelWork is what finding a pixel takes, as operations on elements.
const pixelWork = 16

// A sample is a place along a dimension of an image.
type sample struct {
	blend
	inside bool
}

// setSamples sets all to where the pixels of a crop from lo to hi, both fractions of an
// image of size pixels, lie. With nearest, lower is the nearest pixel.
func setSamples(ctx *kernel.Context, all []sample, lo, hi float32, size int, nearest bool) {
	n := len(all)
	scale := float32(0)
	if n > 1 {
		scale = (hi - lo) * float32(size-1) / float32(n-1)
	}
	for i := range all {
		if i%tablePart == tablePart-1 {
			ctx.Ask()
		}
		all[i] = sample{}
		x := 0.5 * (lo + hi) * float32(size-1)
		if n > 1 {
			x = lo*float32(size-1) + float32(i)*scale
		}
		if !(x >= 0 && x <= float32(size-1)) {
			continue
		}
		floor := math.Floor(float64(x))
		all[i] = sample{blend{int(floor), int(math.Ceil(float64(x))), x - float32(floor)}, true}
		if nearest {
			all[i].lower = int(math.Round(float64(x)))
		}
	}
}

// samples are tables for the rows and the columns of crops.
type samples struct{ ys, xs []sample }

// samplesOf makes tables for crops of that size, in memory of the step.
func samplesOf(ctx *kernel.Context, crops batch) (s samples, err error) {
	if s.ys, err = kernel.Scratch[sample](ctx, crops.height); err == nil {
		s.xs, err = kernel.Scratch[sample](ctx, crops.width)
	}
	return s, err
}

// set sets the tables to box b of an image.
func (s *samples) set(ctx *kernel.Context, b []float32, image batch, nearest bool) {
	setSamples(ctx, s.ys, b[0], b[2], image.height, nearest)
	setSamples(ctx, s.xs, b[1], b[3], image.width, nearest)
}

// boxes checks boxes and the images they are in, of which there are images.
func boxes(boxes, images *tensor.Value, n int) ([]float32, []int32, error) {
	if boxes.NumElements() == 0 && images.NumElements() == 0 {
		return nil, nil, nil
	}
	if boxes.Rank() != 2 {
		return nil, nil, status.Invalid("boxes must be 2-D%s", tensor.FormatDims(boxes.Dims()))
	}
	if boxes.Dim(1) != 4 {
		return nil, nil, status.Invalid("boxes must have 4 columns")
	}
	if images.Rank() != 1 {
		return nil, nil, status.Invalid("box_index must be 1-D%s", tensor.FormatDims(images.Dims()))
	}
	if images.Dim(0) != boxes.Dim(0) {
		return nil, nil, status.Invalid("box_index has incompatible shape")
	}
	at := tensor.Of[int32](images)
	for _, i := range at {
		if i < 0 || int(i) >= n {
			return nil, nil, status.Errorf(status.OutOfRange, "box_index has values outside [0, batch_size)")
		}
	}
	corners := tensor.Of[float32](boxes)
	for _, x := range corners {
		if x-x != 0 {
			return nil, nil, status.Invalid("Boxes contains at least one element that is not finite")
		}
	}
	return corners, at, nil
}

func (k cropping) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	from, err := batchOf(&in[0], "input image")
	if err != nil {
		return err
	}
	if from.height <= 0 || from.width <= 0 {
		return status.Invalid("image dimensions must be positive")
	}
	all, at, err := boxes(&in[1], &in[2], from.n)
	if err != nil {
		return err
	}
	to := batch{n: len(at), depth: from.depth}
	if in[3].Rank() != 1 || in[3].NumElements() != 2 {
		return status.Invalid("crop_size must have two elements%s", tensor.FormatDims(in[3].Dims()))
	}
	if size := tensor.Of[int32](&in[3]); size[0] <= 0 || size[1] <= 0 {
		return status.Invalid("crop dimensions must be positive")
	} else {
		to.height, to.width = int(size[0]), int(size[1])
	}
	if out[0], err = ctx.Alloc(tensor.Float, to.dims()); err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	x, release, err := floatsOf(ctx, &in[0])
	if err != nil {
		return err
	}
	defer release()
	defer ctx.UnreserveTo(ctx.Reserved())
	workers := min(to.n, ctx.Step.Pool.Workers())
	desk := make(chan samples, workers)
	for range workers {
		s, err := samplesOf(ctx, to)
		if err != nil {
			return err
		}
		desk <- s
	}
	o, crop, depth := tensor.Of[float32](&out[0]), to.height*to.width*to.depth, from.depth
	ctx.Parallel(to.n, max(1, grain/crop), func(lo, hi int) {
		s := <-desk
		defer func() { desk <- s }()
		ys, xs := s.ys, s.xs
		var credit kernel.Credit
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			s.set(ctx, all[4*i:4*i+4], from, k.nearest)
			image := x[int(at[i])*from.height*from.width*depth:]
			for j := range to.height * to.width {
				if !credit.Spend(ctx, pixelWork+depth) {
					return
				}
				pixel, y, x := o[i*crop+j*depth:][:depth], &ys[j/to.width], &xs[j%to.width]
				switch {
				case !y.inside || !x.inside:
					for c := range pixel {
						pixel[c] = k.outside
					}
				case k.nearest:
					copy(pixel, image[(y.lower*from.width+x.lower)*depth:])
				default:
					top, bottom := image[y.lower*from.width*depth:], image[y.upper*from.width*depth:]
					for c := range pixel {
						l, r := x.lower*depth+c, x.upper*depth+c
						above := top[l] + (top[r]-top[l])*x.lerp
						below := bottom[l] + (bottom[r]-bottom[l])*x.lerp
						pixel[c] = above + (below-above)*y.lerp
					}
				}
			}
		}
	})
	return ctx.Err()
}

// A cropGradient is the kernel of CropAndResizeGradImage.
type cropGradient struct {
	nearest bool
	dt      tensor.DType
}

func (k cropGradient) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	switch k.dt {
	case tensor.Double:
		return spreadCrops[float64](ctx, k, in, out)
	case tensor.Half:
		if err := spreadCrops[float32](ctx, k, in, out); err != nil {
			return err
		}
		v, err := ctx.Alloc(tensor.Half, out[0].Dims())
		if err != nil {
			return err
		}
		for lo, n := 0, v.NumElements(); lo < n; lo += grain {
			if err := ctx.Err(); err != nil {
				ctx.Free(v)
				return err
			}
			elementwise.ToNarrow(&v, lo, tensor.Of[float32](&out[0])[lo:min(lo+grain, n)])
		}
		ctx.Free(out[0])
		out[0] = v
		return nil
	}
	return spreadCrops[float32](ctx, k, in, out)
}

// spreadCrops returns each pixel of the gradient to those it was blended of.
func spreadCrops[T elementwise.Float](ctx *kernel.Context, k cropGradient, in, out []tensor.Value) error {
	from, err := batchOf(&in[0], "grads image")
	if err != nil {
		return err
	}
	if from.n > 0 && (from.height <= 0 || from.width <= 0) {
		return status.Invalid("grads dimensions must be positive")
	}
	if in[3].Rank() != 1 || in[3].NumElements() != 4 {
		return status.Invalid("image_size must have 4 elements%s", tensor.FormatDims(in[3].Dims()))
	}
	size, err := kernel.Dims(&in[3], "image_size")
	if err != nil {
		return err
	}
	to := batch{int(size[0]), int(size[1]), int(size[2]), int(size[3])}
	if to.height <= 0 || to.width <= 0 {
		return status.Invalid("image dimensions must be positive")
	}
	all, at, err := boxes(&in[1], &in[2], to.n)
	if err != nil {
		return err
	}
	if from.n != len(at) {
		return status.Invalid("boxes and grads have incompatible shape")
	}
	if from.depth != to.depth {
		return status.Invalid("image_size and grads are incompatible")
	}
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), size); err != nil {
		return err
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	s, err := samplesOf(ctx, from)
	if err != nil {
		return err
	}
	ys, xs := s.ys, s.xs
	grad, o, depth := tensor.Of[float32](&in[0]), tensor.Of[T](&out[0]), to.depth
	var credit kernel.Credit
	for i := range at {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.set(ctx, all[4*i:4*i+4], to, k.nearest)
		image := o[int(at[i])*to.height*to.width*depth:]
		for j := range from.height * from.width {
			if !credit.Spend(ctx, pixelWork+4*depth) {
				return ctx.Err()
			}
			y, x := &ys[j/from.width], &xs[j%from.width]
			if !y.inside || !x.inside {
				continue
			}
			g := grad[(i*from.height*from.width+j)*depth:][:depth]
			if k.nearest {
				for c, g := range g {
					image[(y.lower*to.width+x.lower)*depth+c] += T(g)
				}
				continue
			}
			top, bottom := image[y.lower*to.width*depth:], image[y.upper*to.width*depth:]
			for c, g := range g {
				l, r := x.lower*depth+c, x.upper*depth+c
				above, below := (1-y.lerp)*g, y.lerp*g
				top[l] += T((1 - x.lerp) * above)
				top[r] += T(x.lerp * above)
				bottom[l] += T((1 - x.lerp) * below)
				bottom[r] += T(x.lerp * below)
			}
		}
	}
	return nil
}

// cropBoxGradient is CropAndResizeGradBoxes.
func cropBoxGradient(ctx *kernel.Context, in, out []tensor.Value) error {
	from, err := batchOf(&in[0], "grads image")
	if err != nil {
		return err
	}
	if from.n > 0 && (from.height <= 0 || from.width <= 0) {
		return status.Invalid("grads dimensions must be positive")
	}
	to, err := batchOf(&in[1], "input image")
	if err != nil {
		return err
	}
	if to.height <= 0 || to.width <= 0 {
		return status.Invalid("image dimensions must be positive")
	}
	if to.depth != from.depth {
		return status.Invalid("image, grads depth differ")
	}
	all, at, err := boxes(&in[2], &in[3], to.n)
	if err != nil {
		return err
	}
	if from.n != len(at) {
		return status.Invalid("boxes and grads have incompatible shape")
	}
	if out[0], err = ctx.AllocZeroed(tensor.Float, []int64{int64(len(at)), 4}); err != nil {
		return err
	}
	x, release, err := floatsOf(ctx, &in[1])
	if err != nil {
		return err
	}
	defer release()
	defer ctx.UnreserveTo(ctx.Reserved())
	s, err := samplesOf(ctx, from)
	if err != nil {
		return err
	}
	ys, xs := s.ys, s.xs
	grad, o, depth := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0]), to.depth
	var credit kernel.Credit
	for i := range at {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := o[4*i : 4*i+4]
		s.set(ctx, all[4*i:4*i+4], to, false)
		image := x[int(at[i])*to.height*to.width*depth:]
		for j := range from.height * from.width {
			if !credit.Spend(ctx, pixelWork+4*depth) {
				return ctx.Err()
			}
			v, h := &ys[j/from.width], &xs[j%from.width]
			if !v.inside || !h.inside {
				continue
			}
			top, bottom := image[v.lower*to.width*depth:], image[v.upper*to.width*depth:]
			var dy, dx float32
			for c, g := range grad[(i*from.height*from.width+j)*depth:][:depth] {
				l, r := h.lower*depth+c, h.upper*depth+c
				dy += g * ((1-h.lerp)*(bottom[l]-top[l]) + h.lerp*(bottom[r]-top[r]))
				dx += g * ((1-v.lerp)*(top[r]-top[l]) + v.lerp*(bottom[r]-bottom[l]))
			}
			share(&d[0], &d[2], dy, j/from.width, from.height, to.height)
			share(&d[1], &d[3], dx, j%from.width, from.width, to.width)
		}
	}
	return nil
}

// share divides the gradient of the place of pixel i of n, over size, between
// the ends of the box.
func share(lo, hi *float32, g float32, i, n, size int) {
	reach := float32(size - 1)
	if n > 1 {
		step := reach / float32(n-1)
		*lo += g * (reach - float32(i)*step)
		*hi += g * float32(i) * step
		return
	}
	*lo += g * 0.5 * reach
	*hi += g * 0.5 * reach
}
