package nn

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, op := range []string{"Conv2D", "Conv2DBackpropInput"} {
		kernel.ForType(op, "T", tensor.Int32, convKernel(2))
	}
	kernel.ForType("Conv", "T", tensor.Int32, newConv)
	for _, dt := range elementwise.Floats {
		for _, op := range []string{"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"} {
			kernel.ForType(op, "T", dt, convKernel(2))
		}
		for _, op := range []string{"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"} {
			kernel.ForType(op, "T", dt, convKernel(3))
		}
		kernel.ForType("Conv", "T", dt, newConv)
	}
}

// convKernel makes the kernels of convolutions over that many spatial
// dimensions and of their gradients.
func convKernel(dims int) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		m, err := newMotion(c, dims)
		if err != nil {
			return nil, err
		}
		if err := m.depthStrides(); err != nil {
			return nil, err
		}
		k := convOfType(c.Op.Name, c.Type("T"), m)
		if v := c.Attrs.Find(winogradAttr); v != nil && v.B {
			if f, ok := k.(*forwardConv[float32]); ok {
				f.fast = &winogradConv{filters: winogradFilters{constant: c.Constant&2 != 0}}
			}
		}
		return k, nil
	}
}

func convOfType(op string, dt tensor.DType, m *motion) kernel.Kernel {
	switch dt {
	case tensor.Float:
		return convOf[float32](op, dt, m)
	case tensor.Double:
		return convOf[float64](op, dt, m)
	case tensor.Int32:
		return convOf[int32](op, dt, m)
	default:
		return elementwise.Widen(dt, narrowConv(op, dt, m))
	}
}

func convOf[T vec.Number](op string, dt tensor.DType, m *motion) kernel.Kernel {
	last := *m // the motion where channels come last
	turn(&last)
	c := forwardConv[T]{m: &last, dt: dt, last: new(atomic.Pointer[prepared[T]])}
	switch op {
	case "Conv2DBackpropInput", "Conv3DBackpropInputV2":
		return channelsLast(m.format, &convInput[T]{c, m.format}, 1<<0|1<<1)
	case "Conv2DBackpropFilter", "Conv3DBackpropFilterV2":
		return channelsLast(m.format, &convFilter[T]{c}, 1<<1|1<<3)
	}
	return channelsLast(m.format, &c, 1<<1)
}

// turn makes m the motion of the same window where channels come last.
func turn(m *motion) {
	perm := lastPerm(m.format)
	pick := func(x []int64) []int64 {
		if len(x) == 0 {
			return x
		}
		y := make([]int64, 0, len(x))
		for _, p := range perm {
			n := len(x) / len(perm)
			y = append(y, x[p*n:(p+1)*n]...)
		}
		return y
	}
	m.strides, m.dilations, m.padding = pick(m.strides), pick(m.dilations), pick(m.padding)
	m.format, _ = shape.FormatOf("", m.format.Dims)
}

// A forwardConv is the kernel of Conv2D, Conv3D and Conv with channels last.
type forwardConv[T vec.Number] struct {
	m    *motion
	dt   tensor.DType
	last *atomic.Pointer[prepared[T]] // nil while it is in use
	fast *winogradConv                // of float32; nil: it is computed as it is
}

// prepared is what the sizes of a convolution come to, for the next of these sizes.
type prepared[T vec.Number] struct {
	sizes convSizes
	convolving[T]
}

// prepare returns the last convolution's, if it had the same sizes and nobody else has it.
func (c *forwardConv[T]) prepare(s *convSizes) *prepared[T] {
	if p := c.last.Swap(nil); p != nil && p.sizes == *s {
		return p
	}
	return &prepared[T]{sizes: *s, convolving: convolving[T]{patches: s.windowIn(s.perIn), rows: s.pixels(), n: s.out / s.groups, ldb: s.out, ldc: s.out}}
}

// keep keeps what was prepared, without the tensors.
func (c *forwardConv[T]) keep(p *prepared[T]) {
	p.src, p.filter, p.dst, p.then = nil, nil, nil, nil
	c.last.Store(p)
}

// A convSizes is what a convolution's shapes come to.
type convSizes struct {
	axes        [3]axis
	batch       int
	in, out     int // channels
	groups      int
	perIn, taps int // channels of a group, elements of a window
}

// sizes checks the shapes of an input and a filter.
func (c *forwardConv[T]) sizes(x, filter []int64) (s convSizes, err error) {
	dims := c.m.format.Dims
	if len(x) != dims+2 {
		return s, status.Invalid("convolution input must be %d-dimensional: %s", dims+2, tensor.FormatDims(x))
	}
	if len(filter) != dims+2 {
		return s, status.Invalid("convolution filter must be %d-dimensional: %s", dims+2, tensor.FormatDims(filter))
	}
	for i := range dims {
		if filter[i] <= 0 {
			return s, status.Invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
		}
	}
	s.batch, s.in, s.out, s.perIn = int(x[0]), int(x[dims+1]), int(filter[dims+1]), int(filter[dims])
	if s.perIn <= 0 {
		return s, status.Invalid("filter depth must be stricly greater than 0")
	}
	if s.in%s.perIn != 0 {
		return s, status.Invalid("input depth must be evenly divisible by filter depth: %d vs %d", s.in, s.perIn)
	}
	s.groups = s.in / s.perIn
	if s.groups == 0 {
		return s, status.Invalid("number of groups must be greater than 0")
	}
	if s.out%s.groups != 0 {
		return s, status.Invalid("output depth must be evenly divisible by number of groups: %d vs %d", s.out, s.groups)
	}
	if dims == 3 && s.groups != 1 && c.m.op != "Conv" {
		return s, status.Invalid("input depth must be equal to filter depth: %d vs %d", s.in, s.perIn)
	}
	if s.axes, err = c.m.axes(x, filter[:dims]); err != nil {
		return s, err
	}
	s.taps = s.axes[0].size * s.axes[1].size * s.axes[2].size
	return s, nil
}

// pointwise reports whether every pixel of the result is that of one pixel of the
// input, the one in its place.
func (s *convSizes) pointwise() bool {
	for i := range s.axes {
		a := &s.axes[i]
		if a.size != 1 || a.stride != 1 || a.in != a.out || a.before != 0 {
			return false
		}
	}
	return s.groups == 1
}

// pixels returns the number of positions of all examples.
func (s *convSizes) pixels() int {
	return s.batch * s.axes[0].out * s.axes[1].out * s.axes[2].out
}

// window returns the patches of the convolution for one group.
func (s *convSizes) window() *patches { return s.windowIn(s.in) }

// windowIn is window in an image of so many channels, of which the group's are the first.
func (s *convSizes) windowIn(channels int) *patches {
	return newPatches([3]lattice{s.axes[0].forward(), s.axes[1].forward(), s.axes[2].forward()}, s.perIn, channels)
}

// groupsApart returns the image of each group, one after the other, which is the image itself
// if there is one group: so windows are dense, and read without a matrix of patches.
func groupsApart[T vec.Number](ctx *kernel.Context, s *convSizes, src []T) (apart []T, free func(), err error) {
	if s.groups == 1 {
		return src, func() {}, nil
	}
	pixels := len(src) / s.in
	v, err := ctx.Alloc(tensor.DTypeOf[T](), []int64{int64(s.groups), int64(pixels), int64(s.perIn)})
	if err != nil {
		return nil, nil, err
	}
	apart = tensor.Of[T](&v)
	ctx.Parallel(pixels, max(1, elementwise.Grain/s.in), func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			pixel := src[i*s.in:][:s.in]
			for g := range s.groups {
				copy(apart[(g*pixels+i)*s.perIn:][:s.perIn], pixel[g*s.perIn:])
			}
		}
	})
	if err := ctx.Err(); err != nil {
		ctx.Free(v)
		return nil, nil, err
	}
	return apart, func() { ctx.Free(v) }, nil
}

func (c *forwardConv[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return c.runThen(ctx, in, out, nil)
}

// runThen is Run with an epilogue, which need not be begun.
func (c *forwardConv[T]) runThen(ctx *kernel.Context, in, out []tensor.Value, then epilogue) error {
	s, err := c.alloc(ctx, in, out)
	if err != nil {
		return err
	}
	if out[0].NumElements() == 0 {
		return nil
	}
	src, filter, dst := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&out[0])
	if c.fast != nil {
		if w := c.fast.suits(&s); w != nil {
			return c.fast.run(ctx, w, &s, &in[1], any(src).([]float32), any(dst).([]float32), then)
		}
	}
	if s.pointwise() {
		return pointwise(ctx, vec.PoolOf(ctx, s.pixels(), s.out, s.in), s.pixels(), &s, src, filter, dst, then)
	}
	if done, err := depthwiseConv(ctx, c, &s, src, filter, dst, depthwiseForward, depthwiseForward); done {
		return err
	}
	images, free, err := groupsApart(ctx, &s, src)
	if err != nil {
		return err
	}
	defer free()
	p := c.prepare(&s)
	p.then = then
	size := len(images) / s.groups // 0 if there is nothing but padding
	for g := range s.groups {
		p.src, p.filter, p.dst = images[g*size:][:size], filter[g*p.n:], dst[g*p.n:]
		if err := p.run(ctx, c.dt); err != nil {
			return err
		}
	}
	c.keep(p)
	return nil
}

// pointwise computes so many pixels of a convolution that is a product, and finishes them if
// that can be done with sums: then is of float32.
func pointwise[T vec.Number](ctx *kernel.Context, pool kernel.Pool, pixels int, s *convSizes, src, filter, dst []T, then epilogue) error {
	if then != nil {
		f, ok, err := then.finish(ctx)
		if err != nil {
			return err
		}
		if ok {
			vec.GemmFinish(pool, pixels, s.out, s.in, any(src).([]float32), s.in, any(filter).([]float32), s.out, any(dst).([]float32), s.out, &f)
			return ctx.Err()
		}
	}
	vec.Gemm(pool, false, false, pixels, s.out, s.in, src, s.in, filter, s.out, dst, s.out)
	return ctx.Err()
}

// alloc checks the inputs and allocates the result.
func (c *forwardConv[T]) alloc(ctx *kernel.Context, in, out []tensor.Value) (s convSizes, err error) {
	x := in[0].Dims()
	if s, err = c.sizes(x, in[1].Dims()); err != nil {
		return s, err
	}
	var buf [5]int64
	out[0], err = ctx.Alloc(c.dt, c.m.output(buf[:0], x, &s.axes, int64(s.out)))
	return s, err
}

// newConv makes the kernel of Conv, whose number of spatial dimensions the
// strides tell and which may have several dimensions of batch.
func newConv(c *kernel.Construction) (kernel.Kernel, error) {
	if c.Int("groups") <= 0 {
		return nil, c.Errorf("groups must be positive")
	}
	dims := len(c.Ints("strides")) - 2
	if dims != 2 && dims != 3 {
		return nil, c.Errorf("Sliding window strides field must specify 4 or 5 dimensions, but got: %d", dims+2)
	}
	m, err := newMotion(c, dims)
	if err != nil {
		return nil, err
	}
	if err := m.depthStrides(); err != nil {
		return nil, err
	}
	k, batch := convOfType("Conv", c.Type("T"), m), int(c.Int("batch_dims"))
	if batch == 1 {
		return k, nil
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		if batch < 1 || len(x) != dims+1+batch {
			return status.Invalid("Input tensor must be rank 4 or 5, excluding extra batch dimensions, but got: %d", len(x)-batch+1)
		}
		n := int64(1)
		for _, d := range x[:batch] {
			n *= d
		}
		flat := []tensor.Value{in[0].Reshaped(append([]int64{n}, x[batch:]...)), in[1]}
		if err := k.Run(ctx, flat, out); err != nil {
			return err
		}
		out[0].SetDims(append(append([]int64{}, x[:batch]...), out[0].Dims()[1:]...))
		return nil
	}), nil
}
