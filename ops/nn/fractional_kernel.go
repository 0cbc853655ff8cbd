package nn

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	fractionalFor[float32](tensor.Float)
	fractionalFor[float64](tensor.Double)
	fractionalFor[int32](tensor.Int32)
	fractionalFor[int64](tensor.Int64)
}

func fractionalFor[T elementwise.Real](dt tensor.DType) { registerFractionalPools(dt, poolWindow[T]) }

func registerFractionalPools(dt tensor.DType, pool poolWindows) {
	for _, op := range []string{"FractionalMaxPool", "FractionalAvgPool"} {
		kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k := &fractional{
				dt: dt, pool: pool, node: c.Node, average: op == "FractionalAvgPool", regular: c.Bool("pseudo_random"), overlapping: c.Bool("overlapping"),
				fixed: c.Bool("deterministic"), seed: c.Int("seed"), seed2: c.Int("seed2"),
			}
			if ratios := c.Attrs.Find("pooling_ratio"); ratios != nil {
				for _, r := range ratios.List {
					k.ratios = append(k.ratios, r.F)
				}
			}
			return k, k.check(c)
		})
	}
}

// A poolWindows sets a result to the greatest element, or the average, of each channel of a
// window.
type poolWindows func(to tensor.Memory, first, depth int, from tensor.Memory, start, top, bottom, left, right, w int, average bool)

// A fractional is the kernel of FractionalMaxPool and FractionalAvgPool (B. Graham,
// "Fractional max-pooling", 2014).
type fractional struct {
	node        string
	dt          tensor.DType
	ratios      []float32
	average     bool
	regular     bool // whether windows' sizes vary regularly, from a random beginning
	overlapping bool
	fixed       bool // whether every run takes the same windows
	seed, seed2 int64
	pool        poolWindows
}

func (k *fractional) check(c *kernel.Construction) error {
	if len(k.ratios) != 4 {
		return c.Errorf("pooling_ratio field must specify 4 dimensions")
	}
	for _, r := range k.ratios {
		if !(r >= 1) {
			return c.Errorf("pooling_ratio cannot be smaller than 1, got: %v", r)
		}
	}
	if k.ratios[0] != 1 || k.ratios[3] != 1 {
		return status.Errorf(status.Unimplemented, "Fractional %s pooling is not yet supported on the batch nor channel dimension.", map[bool]string{false: "max", true: "average"}[k.average])
	}
	if !k.fixed && (k.seed != 0 || k.seed2 != 0) {
		return c.Errorf("Both seed and seed2 should be 0 if deterministic is false.")
	}
	return nil
}

func (k *fractional) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 4 {
		return status.Invalid("tensor_in must be 4-dimensional")
	}
	size := append([]int64(nil), dims...)
	for d, n := range dims {
		if float32(n) < k.ratios[d] {
			return status.Invalid("Pooling ratio is higher than input dimension size for dimension %d. Input dim size: %d pooling ratio: %v", d, n, k.ratios[d])
		}
		size[d] = int64(math.Floor(float64(float32(n) / k.ratios[d])))
	}
	g, err := k.generator(ctx)
	if err != nil {
		return err
	}
	for i := range 2 {
		if out[1+i], err = ctx.Alloc(tensor.Int64, []int64{size[1+i] + 1}); err != nil {
			return err
		}
		if err := k.sequence(ctx, tensor.Of[int64](&out[1+i]), dims[1+i], &g); err != nil {
			return err
		}
	}
	if out[0], err = ctx.Alloc(k.dt, size); err != nil {
		return err
	}
	rows, columns := tensor.Of[int64](&out[1]), tensor.Of[int64](&out[2])
	x, o := in[0].Memory(), out[0].Memory()
	h, w, depth := int(dims[1]), int(dims[2]), int(dims[3])
	end := func(s []int64, i, n int) int {
		if k.overlapping {
			return min(int(s[i+1])+1, n)
		}
		return int(s[i+1])
	}
	height, width := int(size[1]), int(size[2])
	ctx.Parallel(int(dims[0])*height, 1, func(lo, hi int) {
		for line := lo; line < hi && ctx.Err() == nil; line++ {
			b, i := line/height, line%height
			for j := range width {
				top, bottom, left, right := int(rows[i]), end(rows, i, h), int(columns[j]), end(columns, j, w)
				k.pool(o, (line*width+j)*depth, depth, x, b*h*w*depth, top, bottom, left, right, w, k.average)
			}
		}
	})
	return ctx.Err()
}

// poolWindow sets a pixel of o, from element first on, to the greatest or the mean of a
// window of an image of width w, which begins at an element of x.
func poolWindow[T elementwise.Real](o tensor.Memory, first, depth int, from tensor.Memory, start, top, bottom, left, right, w int, average bool) {
	to, image := tensor.Elements[T](o)[first:][:depth], tensor.Elements[T](from)[start:]
	copy(to, image[(top*w+left)*depth:])
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			if y == top && x == left {
				continue
			}
			for c, v := range image[(y*w+x)*depth:][:depth] {
				if average {
					to[c] += v
				} else {
					to[c] = max(to[c], v)
				}
			}
		}
	}
	if average {
		n := T((bottom - top) * (right - left))
		for c := range to {
			to[c] /= n
		}
	}
}

// generator returns what the windows are drawn with: the same in every run if they
// are fixed by seeds, else one that goes on.
func (k *fractional) generator(ctx *kernel.Context) (philox.Generator, error) {
	if k.fixed && (k.seed != 0 || k.seed2 != 0) {
		return philox.New(uint64(k.seed), uint64(k.seed2)), nil
	}
	if k.fixed { // by chance, but once
		return philox.Reserve(ctx, k.node, 0, 0, 0)
	}
	return philox.Reserve(ctx, k.node, 0, 0, 1<<32)
}

// perAsk is how many windows are set between two looks at the end of the step.
const perAsk = 1 << 13

// sequence sets s to where the windows begin in a dimension of n, and n.
func (k *fractional) sequence(ctx *kernel.Context, s []int64, n int64, g *philox.Generator) error {
	windows := int64(len(s) - 1)
	each := n / windows
	sizes := s[1:]
	switch {
	case n%windows == 0:
		for lo, hi := range ctx.Ranges(len(sizes), perAsk) {
			for i := range sizes[lo:hi] {
				sizes[lo+i] = each
			}
		}
	case k.regular:
		alpha := float64(n) / float64(windows)
		most := min(float64(each+2)/alpha-1, float64(n+1-each)/alpha-float64(windows-1))
		numbers := philox.NewSingle(*g)
		g.Skip(1)
		low, high := numbers.One(), numbers.One()
		u := (math.Float64frombits(1023<<52|uint64(low&0xfffff)<<32|uint64(high)) - 1) * most
		last := int64(1)
		for lo, hi := range ctx.Ranges(len(sizes), perAsk) {
			for i := lo; i < hi; i++ {
				next := n + 1
				if int64(i)+1 < windows {
					next = int64(math.Ceil(alpha * (float64(i+1) + u)))
				}
				sizes[i] = next - last
				last = next
			}
		}
	default:
		for lo, hi := range ctx.Ranges(len(sizes), perAsk) {
			for i := lo; i < hi; i++ {
				sizes[i] = each
				if int64(i) < n%windows {
					sizes[i]++
				}
			}
		}
		numbers := philox.NewSingle(*g)
		g.Skip(uint64(windows+3) / 4)
		for lo, hi := range ctx.Ranges(len(sizes)-1, perAsk) {
			for i := lo; i < hi; i++ {
				j := i + int(numbers.One()%uint32(len(sizes)-i))
				sizes[i], sizes[j] = sizes[j], sizes[i]
			}
		}
	}
	s[0] = 0
	for lo, hi := range ctx.Ranges(len(sizes), perAsk) {
		for i := lo; i < hi; i++ {
			if sizes[i] < 1 {
				return status.Errorf(status.Internal, "a dimension of %d cannot be divided into %d windows", n, windows)
			}
			s[i+1] += s[i]
		}
	}
	return nil
}
