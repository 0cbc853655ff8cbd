package nn

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half} {
		kernel.ForType("LRN", "T", dt, newLRN)
		kernel.ForType("LRNGrad", "T", dt, newLRN)
	}
	for _, dt := range []tensor.DType{tensor.Float, tensor.Double, tensor.Half} {
		kernel.ForType("BatchNormWithGlobalNormalization", "T", dt, newGlobalNorm)
	}
}

// An lrn is the kernels of LRN and its gradient: an element is divided by a
// power of the squares of the channels around it.
type lrn struct {
	radius            int
	bias, alpha, beta float64
}

func newLRN(c *kernel.Construction) (kernel.Kernel, error) {
	radius := c.Int("depth_radius")
	if radius < 0 || radius > math.MaxInt32 {
		return nil, c.Errorf("depth_radius = %d larger than int max", radius)
	}
	l := &lrn{int(radius), float64(c.Float("bias")), float64(c.Float("alpha")), float64(c.Float("beta"))}
	k := kernel.Func(l.forward)
	if c.Op.Name == "LRNGrad" {
		k = l.gradient
	}
	if dt := c.Type("T"); dt != tensor.Float {
		return elementwise.Widen(dt, k), nil
	}
	return k, nil
}

// norm is bias + alpha·Σx² over the channels around c.
func (l *lrn) norm(x []float32, c int) float64 {
	sum := 0.0
	for _, v := range x[max(0, c-l.radius):min(len(x), c+l.radius+1)] {
		sum += float64(v) * float64(v)
	}
	return l.bias + l.alpha*sum
}

func (l *lrn) forward(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 4 {
		return status.Invalid("in must be 4-dimensional")
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.Float, dims); err != nil {
		return err
	}
	x, o, depth := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0]), int(dims[3])
	if len(x) == 0 {
		return nil
	}
	alpha, beta, bias := float32(l.alpha), float32(l.beta), float32(l.bias)
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(len(x)/depth, ctx.Step.Pool.Workers()), depth)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	return rows(ctx, len(x), depth, func(lo, hi int) {
		squares := desk.Take()
		defer desk.GiveBack(squares)
		var credit kernel.Credit
		for i := lo; i < hi; i += depth {
			row, to := x[i:i+depth], o[i:i+depth]
			vec.Mul(squares, row, row)
			copy(to, squares)
			for d := 1; d <= l.radius && d < depth; d++ {
				if !credit.Spend(ctx, depth) {
					return
				}
				vec.Add(to[d:], to[d:], squares)
				vec.Add(to[:depth-d], to, squares[d:])
			}
			vec.MulScalar(to, to, alpha)
			vec.AddScalar(to, to, bias)
			switch beta {
			case 0.5:
				vec.Rsqrt(to, to)
			case 0.75:
				vec.Rsqrt(to, to)
				vec.Sqrt(squares, to)
				vec.Mul(to, to, squares)
			default:
				vec.PowScalar(to, to, -beta)
			}
			vec.Mul(to, to, row)
		}
	})
}

// rows calls f for some rows of channels at a time: with where they begin and end.
func rows(ctx *kernel.Context, n, depth int, f func(lo, hi int)) error {
	if n == 0 {
		return nil
	}
	ctx.Parallel(n/depth, max(1, rowGrain/16/depth), func(lo, hi int) {
		if ctx.Err() == nil {
			f(lo*depth, hi*depth)
		}
	})
	return ctx.Err()
}

func (l *lrn) gradient(ctx *kernel.Context, in, out []tensor.Value) error {
	dims := in[0].Dims()
	if len(dims) != 4 {
		return status.Invalid("inputs must be 4-dimensional")
	}
	if !tensor.SameShape(in[0], in[1]) || !tensor.SameShape(in[0], in[2]) {
		return status.Invalid("input_grads, input_image, and out_image should have the same shape")
	}
	var err error
	if out[0], err = ctx.AllocZeroed(tensor.Float, dims); err != nil {
		return err
	}
	grad, x, y, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2]), tensor.Of[float32](&out[0])
	depth := int(dims[3])
	return rows(ctx, len(x), depth, func(lo, hi int) {
		var credit kernel.Credit
		for i := lo; i < hi; i += depth {
			row, to := x[i:i+depth], o[i:i+depth]
			for c := range row {
				if !credit.Spend(ctx, min(depth, 2*l.radius)) {
					return
				}
				norm, g := l.norm(row, c), float64(grad[i+c])
				to[c] += float32(math.Pow(norm, -l.beta) * g)
				factor := -2 * l.alpha * l.beta * float64(y[i+c]) / norm * g
				for k := max(0, c-l.radius); k < min(depth, c+l.radius+1); k++ {
					to[k] += float32(factor * float64(row[k]))
				}
			}
		}
	})
}

func newGlobalNorm(c *kernel.Construction) (kernel.Kernel, error) {
	epsilon, scaled := float64(c.Float("variance_epsilon")), c.Bool("scale_after_normalization")
	switch dt := c.Type("T"); dt {
	case tensor.Float:
		return globalNorm[float32](epsilon, scaled), nil
	case tensor.Double:
		return globalNorm[float64](epsilon, scaled), nil
	default:
		return elementwise.Widen(dt, globalNorm[float32](epsilon, scaled)), nil
	}
}

// globalNorm makes the kernel of BatchNormWithGlobalNormalization.
func globalNorm[T elementwise.Float](epsilon float64, scaled bool) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		dims := in[0].Dims()
		if len(dims) != 4 {
			return status.Invalid("input must be 4-dimensional%s", tensor.FormatDims(dims))
		}
		depth := int(dims[3])
		if err := checked(in, depth, "", "mean", "var", "beta", "gamma"); err != nil {
			return err
		}
		var err error
		if out[0], err = ctx.Alloc(in[0].DType(), dims); err != nil {
			return err
		}
		x, o := tensor.Of[T](&in[0]), tensor.Of[T](&out[0])
		mean, beta, factor := tensor.Of[T](&in[1]), tensor.Of[T](&in[3]), make([]T, depth)
		for c, v := range tensor.Of[T](&in[2]) {
			factor[c] = T(1 / math.Sqrt(float64(v)+epsilon))
			if scaled {
				factor[c] *= tensor.Of[T](&in[4])[c]
			}
		}
		return rows(ctx, len(x), depth, func(lo, hi int) {
			for i := lo; i < hi && ctx.Err() == nil; i += depth {
				for c := range depth {
					o[i+c] = (x[i+c]-mean[c])*factor[c] + beta[c]
				}
			}
		})
	})
}
