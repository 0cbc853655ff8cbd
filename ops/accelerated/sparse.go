package accelerated

import (
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A product of a sparse matrix and an ordinary one: rows of that are gathered, multiplied by
// the entries, and added up where the entries are.

func init() {
	resident.Register("SparseTensorDenseMatMul", map[string][]tensor.DType{"T": floats[:2], "Tindices": places}, []string{"a_shape"}, func(c *kernel.Construction) (resident.Plan, error) {
		adjointA, adjointB := c.Bool("adjoint_a"), c.Bool("adjoint_b")
		sizes := func(in []resident.Input) (rows, columns, n int64, err error) {
			a, b := integers(in[2].Host), in[3].Dims
			if len(a) != 2 || len(b) != 2 || len(in[0].Dims) != 2 || in[0].Dims[1] != 2 || len(in[1].Dims) != 1 || in[1].Dims[0] != in[0].Dims[0] || a[0] < 0 || a[1] < 0 {
				return 0, 0, 0, status.Invalid("a product of a sparse matrix %v with indices %s and values %s, and %s", a, tensor.FormatDims(in[0].Dims), tensor.FormatDims(in[1].Dims), tensor.FormatDims(b))
			}
			rows, inner, n, columns := a[0], a[1], b[0], b[1]
			if adjointA {
				rows, inner = inner, rows
			}
			if adjointB {
				n, columns = columns, n
			}
			if inner != n {
				return 0, 0, 0, status.Invalid("Cannot multiply A and B because inner dimension does not match: %d vs. %d.", inner, n)
			}
			return rows, columns, n, nil
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				rows, columns, _, err := sizes(in)
				return []resident.Shape{{Type: in[1].Type, Dims: []int64{rows, columns}}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				_, columns, n, err := sizes(in)
				if err != nil {
					w.Fail(err)
					return
				}
				t, count, b := in[1].Type, in[1].Elements(), in[3].Array
				if adjointB {
					b = w.Scratch(t, n, columns)
					w.Add(code.Transpose(b, in[3].Array, []int{1, 0}))
				}
				var at [2]code.Array // the row and the column of each entry
				for i := range at {
					at[i] = w.Scratch(in[0].Type, count)
					w.Add(code.Move(code.All(at[i]), code.Part{Array: in[0].Array, Start: int64(i), Strides: []int64{2}}, []int64{count}))
				}
				if adjointA {
					at[0], at[1] = at[1], at[0]
				}
				rows, scaled, by := w.Scratch(t, count, columns), w.Scratch(t, count, columns), in[1].Array
				by.Dims = []int64{count, 1}
				w.Add(code.Gather(rows, b, at[1], 0, 0))
				w.Add(code.Map("Mul", 0, scaled, rows, by))
				w.Add(code.Segments("Add", out[0], scaled, at[0], 0))
			},
		}, nil
	})
}
