package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	resident.Register("MatMul", map[string][]tensor.DType{"T": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		return product("MatMul", c.Bool("transpose_a"), c.Bool("transpose_b")), nil
	})
	for _, op := range []string{"BatchMatMul", "BatchMatMulV2"} {
		resident.Register(op, map[string][]tensor.DType{"T": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			return product(op, c.Bool("adj_x"), c.Bool("adj_y")), nil
		})
	}
	resident.Register("BatchMatMulV3", map[string][]tensor.DType{"Ta": floats, "Tb": floats, "Tout": floats}, nil, func(c *kernel.Construction) (resident.Plan, error) {
		if t := c.Type("Ta"); t != c.Type("Tb") || t != c.Type("Tout") {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "BatchMatMulV3 of %v and %v has no kernel for accelerators", t, c.Type("Tb"))
		}
		return product("BatchMatMulV3", c.Bool("adj_x"), c.Bool("adj_y")), nil
	})
	for _, op := range code.Folds() {
		types := map[string][]tensor.DType{"T": {tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Int32, tensor.Int64}}
		switch op {
		case "All", "Any":
			types = nil
		case "EuclideanNorm":
			types = map[string][]tensor.DType{"T": floats}
		}
		resident.Register(op, types, []string{"reduction_indices"}, func(c *kernel.Construction) (resident.Plan, error) {
			return reduction(op, c.Bool("keep_dims")), nil
		})
	}
	for _, op := range []string{"Softmax", "LogSoftmax"} {
		resident.Register(op, map[string][]tensor.DType{"T": floats}, nil, func(*kernel.Construction) (resident.Plan, error) {
			return one(same, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
				return code.Softmax(z, in[0], op == "LogSoftmax")
			}), nil
		})
	}
	for _, op := range []string{"Transpose", "ConjugateTranspose"} { // of real numbers
		resident.Register(op, map[string][]tensor.DType{"T": numbers}, []string{"perm"}, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					perm, err := permutation(in)
					dims := make([]int64, len(perm))
					for i, from := range perm {
						dims[i] = in[0].Dims[from]
					}
					return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
				},
				Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
					perm, err := permutation(in)
					if err != nil {
						return nil, err
					}
					return code.Transpose(out[0], in[0].Array, perm)
				},
			}, nil
		})
	}
}

// product returns a product of matrices, or of batches of them.
func product(op string, transX, transY bool) resident.Plan {
	return worked(func(in []resident.Input) (tensor.DType, []int64, error) {
		x, y := in[0].Dims, in[1].Dims
		if len(x) < 2 || len(y) < 2 || op == "MatMul" && (len(x) != 2 || len(y) != 2) {
			return 0, nil, status.Invalid("%s of %s and %s", op, tensor.FormatDims(x), tensor.FormatDims(y))
		}
		m, kx := x[len(x)-2], x[len(x)-1]
		if transX {
			m, kx = kx, m
		}
		ky, n := y[len(y)-2], y[len(y)-1]
		if transY {
			ky, n = n, ky
		}
		if kx != ky {
			return 0, nil, status.Invalid("Matrix size-incompatible: In[0]: %s, In[1]: %s", tensor.FormatDims(x), tensor.FormatDims(y))
		}
		outer := []resident.Input{{Array: code.Array{Dims: x[:len(x)-2]}}, {Array: code.Array{Dims: y[:len(y)-2]}}}
		dims, err := broadcast(op, outer)
		return in[0].Type, append(dims, m, n), err
	}, func(w *resident.Work, z code.Array, in []code.Array) {
		multiply(w, z, in[0], in[1], transX, transY)
	})
}

// multiply computes a product of matrices, with the memory that it needs beside.
func multiply(w *resident.Work, z, x, y code.Array, transX, transY bool) {
	w.Add(code.MatMul(z, x, y, transX, transY, w.Beside(code.MatMulScratch(z, x, y, transX, transY))))
}

// fold reduces over axes, with the memory that it needs beside.
func fold(w *resident.Work, op string, z, x code.Array, axes []int) {
	w.Add(code.Reduce(op, z, x, axes, w.Beside(code.ReduceScratch(op, z, x, axes))))
}

// reduction folds over the axes that input 1 says.
func reduction(op string, keep bool) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			axes, err := axesOf(in)
			if err != nil {
				return nil, err
			}
			var dims []int64
			for i, d := range in[0].Dims {
				if !slices.Contains(axes, i) {
					dims = append(dims, d)
				} else if keep {
					dims = append(dims, 1)
				}
			}
			return []resident.Shape{{Type: in[0].Type, Dims: dims}}, nil
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			axes, err := axesOf(in)
			if err != nil {
				w.Fail(err)
				return
			}
			fold(w, op, out[0], in[0].Array, axes)
		},
	}
}

// integers returns a vector, or a scalar, of int32 or int64.
func integers(v *tensor.Value) []int64 {
	if v.DType() == tensor.Int64 {
		return slices.Clone(tensor.Of[int64](v))
	}
	var all []int64
	for _, n := range tensor.Of[int32](v) {
		all = append(all, int64(n))
	}
	return all
}

// axesOf returns the axes that input 1 names, sorted; each may be there once.
func axesOf(in []resident.Input) ([]int, error) {
	var axes []int
	rank := int64(len(in[0].Dims))
	for _, a := range integers(in[1].Host) {
		if a < -rank || a >= rank {
			return nil, status.Invalid("Invalid reduction dimension (%d for input with %d dimension(s)", a, rank)
		}
		axes = append(axes, int((a+rank)%rank))
	}
	slices.Sort(axes)
	for i, a := range axes {
		if i > 0 && a == axes[i-1] {
			return nil, status.Invalid("Invalid reduction arguments: Axes contains duplicate dimension: %d", a)
		}
	}
	return axes, nil
}

// permutation returns what input 1 says, which must be one of the dimensions of input 0.
func permutation(in []resident.Input) ([]int, error) {
	rank := len(in[0].Dims)
	var perm []int
	for _, p := range integers(in[1].Host) {
		if p < 0 {
			p += int64(rank)
		}
		if p < 0 || p >= int64(rank) || slices.Contains(perm, int(p)) {
			return nil, status.Invalid("%d is not in the permutation of %d dimensions, or is twice", p, rank)
		}
		perm = append(perm, int(p))
	}
	if len(perm) != rank {
		return nil, status.Invalid("transpose expects a vector of size %d. But input(1) is a vector of size %d", rank, len(perm))
	}
	return perm, nil
}

// reshaped returns the shape that n elements get; one size may be −1.
func reshaped(n int64, dims []int64) ([]int64, error) {
	open, known := -1, int64(1)
	for i, d := range dims {
		switch {
		case d == -1 && open < 0:
			open = i
		case d < 0 || d > 0 && known > n && n > 0:
			return nil, status.Invalid("Input to reshape is a tensor with %d values, which do not have shape %s", n, tensor.FormatDims(dims))
		default:
			known *= d
		}
	}
	if open >= 0 && known > 0 && n%known == 0 {
		dims[open] = n / known
		known = n
	}
	if known != n || open >= 0 && dims[open] < 0 {
		return nil, status.Invalid("Input to reshape is a tensor with %d values, which do not have shape %s", n, tensor.FormatDims(dims))
	}
	return dims, nil
}
