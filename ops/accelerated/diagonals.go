package accelerated

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Diagonals of matrices, which are read, written, or put into new matrices, each by one move;
// and bands around them.

func init() {
	for _, version := range []string{"", "V2", "V3"} {
		var of, part, set []string
		if version != "" {
			of, part, set = []string{"k", "num_rows", "num_cols", "padding_value"}, []string{"k", "padding_value"}, []string{"k"}
		}
		moving("MatrixDiag"+version, "T", of, func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{Shapes: inferred(c, nil), Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				d, none := diagonalsOf(c, out[0].Dims, in, 1), uint64(0)
				if len(in) > 4 {
					none = bitsOf(in[4].Host)
				}
				var s sequence
				s.add(code.Fill(out[0], none))
				d.each(out[0], in[0].Array, func(matrix, diagonal code.Part, dims []int64) { s.add(code.Move(matrix, diagonal, dims)) })
				return s.launches, s.err
			}}, nil
		})
		moving("MatrixDiagPart"+version, "T", part, func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{Shapes: inferred(c, func(in []resident.Input) error { return bounded(c, in, 1) }), Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				d, none := diagonalsOf(c, in[0].Dims, in, 1), uint64(0)
				if len(in) > 2 {
					none = bitsOf(in[2].Host)
				}
				var s sequence
				s.add(code.Fill(out[0], none))
				d.each(in[0].Array, out[0], func(matrix, diagonal code.Part, dims []int64) { s.add(code.Move(diagonal, matrix, dims)) })
				return s.launches, s.err
			}}, nil
		})
		moving("MatrixSetDiag"+version, "T", set, func(c *kernel.Construction) (resident.Plan, error) {
			check := func(in []resident.Input) error {
				if err := bounded(c, in, 2); err != nil {
					return err
				}
				d, x := diagonalsOf(c, in[0].Dims, in, 2), in[0].Dims
				want := slices.Clone(x[:len(x)-2])
				if d.lower != d.upper {
					want = append(want, d.upper-d.lower+1)
				}
				if want = append(want, d.length); !slices.Equal(in[1].Dims, want) {
					return status.Invalid("Dimensions of diagonal %s should be %s for input %s", tensor.FormatDims(in[1].Dims), tensor.FormatDims(want), tensor.FormatDims(x))
				}
				return nil
			}
			return resident.Plan{Shapes: inferred(c, check), Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				var s sequence
				s.add(code.Map("Identity", 0, out[0], in[0].Array))
				diagonalsOf(c, in[0].Dims, in, 2).each(out[0], in[1].Array, func(matrix, diagonal code.Part, dims []int64) { s.add(code.Move(matrix, diagonal, dims)) })
				return s.launches, s.err
			}}, nil
		})
	}
	moving("MatrixBandPart", "T", []string{"num_lower", "num_upper"}, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				_, _, err := band(in)
				return []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				lower, upper, err := band(in)
				if err != nil {
					return nil, err
				}
				return code.BandPart(out[0], in[0].Array, lower, upper)
			},
		}, nil
	})
	for _, op := range []string{"Diag", "DiagPart"} {
		wide := []tensor.DType{tensor.Bfloat16, tensor.Half, tensor.Float, tensor.Double, tensor.Int64}
		resident.RegisterHost(op, map[string][]tensor.DType{"T": {tensor.Int32}})
		resident.Register(op, map[string][]tensor.DType{"T": wide}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			return resident.Plan{Shapes: inferred(c, nil), Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				if op == "DiagPart" {
					n := out[0].Elements()
					return code.Move(code.Part{Array: out[0], Strides: []int64{1}}, code.Part{Array: in[0].Array, Strides: []int64{n + 1}}, []int64{n})
				}
				n := in[0].Elements()
				var s sequence
				s.add(code.Fill(out[0], 0))
				s.add(code.Move(code.Part{Array: out[0], Strides: []int64{n + 1}}, code.Part{Array: in[0].Array, Strides: []int64{1}}, []int64{n}))
				return s.launches, s.err
			}}, nil
		})
	}
}

// band returns how many diagonals stay below and above the main one.
func band(in []resident.Input) (lower, upper int64, err error) {
	x := in[0].Dims
	if len(x) < 2 {
		return 0, 0, status.Invalid("input must be at least 2-dim, received shape: %s", tensor.FormatDims(x))
	}
	if lower, err = kernel.Int(in[1].Host, "num_lower"); err != nil {
		return 0, 0, err
	}
	if upper, err = kernel.Int(in[2].Host, "num_upper"); err != nil {
		return 0, 0, err
	}
	if rows, columns := x[len(x)-2], x[len(x)-1]; lower > rows || upper > columns {
		return 0, 0, status.Invalid("num_lower and num_upper must be at most the number of rows (%d) and columns (%d), got: %d, %d", rows, columns, lower, upper)
	}
	return lower, upper, nil
}

// A diagonals is those from lower to upper of matrices, the main one being 0.
type diagonals struct {
	lower, upper  int64
	rows, columns int64
	length        int64   // of the longest, and of the others' place
	right         [2]bool // shorter ones above the main one, or below it, are moved to the right
}

// diagonalsOf returns those of matrices of a shape that input k says, if there is one.
func diagonalsOf(c *kernel.Construction, dims []int64, in []resident.Input, k int) diagonals {
	d := diagonals{rows: dims[len(dims)-2], columns: dims[len(dims)-1]}
	if len(in) > k {
		ks := integers(in[k].Host)
		d.lower, d.upper = ks[0], ks[len(ks)-1]
	}
	d.length = min(d.rows+min(d.upper, 0), d.columns-max(d.lower, 0))
	above, below, _ := strings.Cut(c.Str("align"), "_")
	d.right = [2]bool{above == "RIGHT", below == "RIGHT"}
	return d
}

// bounded reports whether the diagonals that input k says are in the matrices of input 0.
func bounded(_ *kernel.Construction, in []resident.Input, k int) error {
	x := in[0].Dims
	if len(x) < 2 {
		return status.Invalid("input must be at least 2-dim, received shape: %s", tensor.FormatDims(x))
	}
	if len(in) <= k {
		return nil
	}
	ks, rows, columns := integers(in[k].Host), x[len(x)-2], x[len(x)-1]
	if len(in[k].Dims) > 1 || len(ks) < 1 || len(ks) > 2 {
		return status.Invalid("diag_index must be a scalar or vector of one or two elements, received shape: %s", tensor.FormatDims(in[k].Dims))
	}
	if ks[0] > ks[len(ks)-1] {
		return status.Invalid("lower_diag_index must not be larger than upper_diag_index: %d > %d", ks[0], ks[1])
	}
	for _, at := range ks {
		if at != 0 && (at <= -rows || at >= columns) {
			return status.Invalid("a diagonal is out of bound: %d It must be between %d and %d", at, -rows, columns)
		}
	}
	return nil
}

// each calls f with every diagonal's part of the matrices and of the diagonals.
func (d diagonals) each(matrices, all code.Array, f func(matrix, diagonal code.Part, dims []int64)) {
	if matrices.Elements() == 0 {
		return
	}
	n, count := matrices.Elements()/(d.rows*d.columns), d.upper-d.lower+1
	for at := d.upper; at >= d.lower; at-- {
		length := min(d.rows+min(at, 0), d.columns-max(at, 0))
		if length <= 0 {
			continue
		}
		shift := int64(0)
		if at > 0 && d.right[0] || at < 0 && d.right[1] || at == 0 && d.right[0] && d.right[1] {
			shift = d.length - length
		}
		f(code.Part{Array: matrices, Start: max(-at, 0)*d.columns + max(at, 0), Strides: []int64{d.rows * d.columns, d.columns + 1}},
			code.Part{Array: all, Start: (d.upper-at)*d.length + shift, Strides: []int64{count * d.length, 1}}, []int64{n, length})
	}
}
