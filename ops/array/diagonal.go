package array

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Diag").
		Input("diagonal: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Doc(`Makes a tensor of twice the rank with the elements on its diagonal.

output: The diagonal's shape twice, zero off the diagonal.`)
	registry.Define("DiagPart").
		Input("input: T").Output("diagonal: T").
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Doc(`Gives the diagonal of a tensor: the elements whose first half of coordinates equals the second.

input: A tensor of even rank, whose shape is another one twice.`)
	registry.Define("MatrixDiag").
		Input("diagonal: T").Output("output: T").
		Attr("T: type").
		Doc(`Makes square matrices with the last dimension on their diagonals, zero elsewhere.

diagonal: The diagonals, in the last dimension.`)
	registry.Define("MatrixDiagV2").
		Input("diagonal: T").Input("k: int32").Input("num_rows: int32").Input("num_cols: int32").
		Input("padding_value: T").Output("output: T").
		Attr("T: type").
		Doc(`Makes matrices with given diagonals.

diagonal: The diagonals, from the uppermost, each in the last dimension.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
num_rows: How many rows; -1 for as few as needed.
num_cols: How many columns; -1 for as few as needed.
padding_value: What the other elements are.`)
	registry.Define("MatrixDiagV3").
		Input("diagonal: T").Input("k: int32").Input("num_rows: int32").Input("num_cols: int32").Input("padding_value: T").Output("output: T").
		Attr("T: type").
		Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'").
		Doc(`Makes matrices with given diagonals.

diagonal: The diagonals, from the uppermost, each in the last dimension.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
num_rows: How many rows; -1 for as few as needed.
num_cols: How many columns; -1 for as few as needed.
padding_value: What the other elements are.
align: To which side diagonals that are shorter are moved: those above the main one, then those below.`)
	registry.Define("MatrixDiagPart").
		Input("input: T").Output("diagonal: T").
		Attr("T: type").
		Doc(`Gives the main diagonals of matrices.

input: Matrices in the last two dimensions.`)
	registry.Define("MatrixDiagPartV2").
		Input("input: T").Input("k: int32").Input("padding_value: T").Output("diagonal: T").
		Attr("T: type").
		Doc(`Gives diagonals of matrices.

input: Matrices in the last two dimensions.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
padding_value: What diagonals that are shorter are filled up with.
diagonal: The diagonals, from the uppermost.`)
	registry.Define("MatrixDiagPartV3").
		Input("input: T").Input("k: int32").Input("padding_value: T").Output("diagonal: T").
		Attr("T: type").
		Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'").
		Doc(`Gives diagonals of matrices.

input: Matrices in the last two dimensions.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
padding_value: What diagonals that are shorter are filled up with.
diagonal: The diagonals, from the uppermost.
align: To which side diagonals that are shorter are moved: those above the main one, then those below.`)
	registry.Define("MatrixSetDiag").
		Input("input: T").Input("diagonal: T").Output("output: T").
		Attr("T: type").
		Doc(`Replaces the main diagonals of matrices.

input: Matrices in the last two dimensions.
diagonal: The new diagonals in the last dimension.`)
	registry.Define("MatrixSetDiagV2").
		Input("input: T").Input("diagonal: T").Input("k: int32").Output("output: T").
		Attr("T: type").
		Doc(`Replaces diagonals of matrices.

input: Matrices in the last two dimensions.
diagonal: The new diagonals, from the uppermost.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.`)
	registry.Define("MatrixSetDiagV3").
		Input("input: T").Input("diagonal: T").Input("k: int32").Output("output: T").
		Attr("T: type").
		Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'").
		Doc(`Replaces diagonals of matrices.

input: Matrices in the last two dimensions.
diagonal: The new diagonals, from the uppermost.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
align: To which side diagonals that are shorter are moved: those above the main one, then those below.`)
	registry.Define("MatrixBandPart").
		Input("input: T").Input("num_lower: Tindex").Input("num_upper: Tindex").Output("band: T").
		Attr("T: type").
		Attr("Tindex: {int32, int64} = DT_INT64").
		Doc(`Replaces what is outside of a band around the main diagonals of matrices by zeros.

num_lower: How many diagonals below the main one stay; negative for all.
num_upper: How many diagonals above it stay; negative for all.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(diag), nil }, "Diag")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(diagPart), nil }, "DiagPart")
	kernel.ForAll(newMatrixDiag, "MatrixDiag", "MatrixDiagV2", "MatrixDiagV3")
	kernel.ForAll(newMatrixDiagPart, "MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3")
	kernel.ForAll(newMatrixSetDiag, "MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(bandPart), nil }, "MatrixBandPart")

	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output { return c.Apply("DiagPart", dy) }, "Diag")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output { return c.Apply("Diag", dy) }, "DiagPart")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply("MatrixDiagPart", dy)
	}, "MatrixDiag")
	// Those of the second version are the third's, as in TensorFlow, though it aligns
	// the diagonals of a band differently.
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Op("MatrixDiagPartV3", c.Attrs("align"), dy, c.Input(1), c.Scalar(dy, 0))
	}, "MatrixDiagV2", "MatrixDiagV3")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Op("MatrixSetDiagV3", c.Attrs("align"), c.Zeros(x), dy, c.Input(1))
	}, "MatrixDiagPartV2", "MatrixDiagPartV3")
	gradient.Unary(func(c *gradient.Context, x, _, dy graph.Output) graph.Output {
		return c.Apply("MatrixSetDiag", c.Zeros(x), dy)
	}, "MatrixDiagPart")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			c.Set(0, c.Apply("MatrixSetDiag", c.Dy(0), c.Zeros(c.Input(1))))
			c.Set(1, c.Apply("MatrixDiagPart", c.Dy(0)))
		}
	}, "MatrixSetDiag")
	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			align, k, dy := c.Attrs("align"), c.Input(2), c.Dy(0)
			c.Set(0, c.Op("MatrixSetDiagV3", align, dy, c.Zeros(c.Input(1)), k))
			c.Set(1, c.Op("MatrixDiagPartV3", align, dy, k, c.Scalar(dy, 0)))
		}
	}, "MatrixSetDiagV2", "MatrixSetDiagV3")
	gradient.Unary(func(c *gradient.Context, _, _, dy graph.Output) graph.Output {
		return c.Apply("MatrixBandPart", dy, c.Input(1), c.Input(2))
	}, "MatrixBandPart")
}

func diag(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	x := in[0].Dims()
	if len(x) == 0 {
		return status.Invalid("Input must be at least rank 1, got 0")
	}
	n := in[0].NumElements()
	if out[0], err = ctx.AllocZeroed(in[0].DType(), append(append(make([]int64, 0, 2*len(x)), x...), x...)); err != nil {
		return err
	}
	return strided.Copy(ctx, &out[0], strided.View{Dims: []int{n}, Strides: []int{n + 1}}, &in[0], strided.View{Dims: []int{n}, Strides: []int{1}})
}

func diagPart(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	x := in[0].Dims()
	if len(x) == 0 {
		out[0] = in[0]
		return nil
	}
	if len(x)%2 != 0 {
		return status.Invalid("The rank of the tensor should be even and positive, got shape %s", tensor.FormatDims(x))
	}
	half := x[:len(x)/2]
	if !equalDims(half, x[len(x)/2:]) {
		return status.Invalid("Invalid shape %s: dimensions of both halves must match", tensor.FormatDims(x))
	}
	if out[0], err = ctx.Alloc(in[0].DType(), half); err != nil {
		return err
	}
	n := out[0].NumElements()
	return strided.Copy(ctx, &out[0], strided.View{Dims: []int{n}, Strides: []int{1}}, &in[0], strided.View{Dims: []int{n}, Strides: []int{n + 1}})
}

// A diagonals is those from lower to upper of matrices, the main one being 0.
type diagonals struct {
	lower, upper int64
	rows, cols   int64
	length       int64   // of the longest, and of the others' place
	right        [2]bool // shorter ones above the main one, or below it, are moved to the right
}

// diagonalRange reads the input that says which diagonals; a nil one means the main one.
func diagonalRange(k *tensor.Value) (lower, upper int64, err error) {
	if k == nil {
		return 0, 0, nil
	}
	var buf [2]int64
	if k.Rank() > 1 || k.NumElements() < 1 || k.NumElements() > 2 {
		return 0, 0, status.Invalid("diag_index must be a scalar or vector of one or two elements, received shape: %s", tensor.FormatDims(k.Dims()))
	}
	ks := kernel.AppendInts(buf[:0], k)
	lower, upper = ks[0], ks[len(ks)-1]
	if lower > upper {
		return 0, 0, status.Invalid("lower_diag_index must not be larger than upper_diag_index: %d > %d", lower, upper)
	}
	return lower, upper, nil
}

// within finds the diagonals of matrices in the last two dimensions of x.
func (d *diagonals) within(x []int64, k *tensor.Value) (err error) {
	if len(x) < 2 {
		return status.Invalid("input must be at least 2-dim, received shape: %s", tensor.FormatDims(x))
	}
	d.rows, d.cols = x[len(x)-2], x[len(x)-1]
	if d.lower, d.upper, err = diagonalRange(k); err != nil {
		return err
	}
	for i, at := range [2]int64{d.lower, d.upper} {
		if at != 0 && (at <= -d.rows || at >= d.cols) {
			return status.Invalid("%s is out of bound: %d It must be between %d and %d", [2]string{"lower_diag_index", "upper_diag_index"}[i], at, -d.rows, d.cols)
		}
	}
	d.length = min(d.rows+min(d.upper, 0), d.cols-max(d.lower, 0))
	return nil
}

// align reads the attribute that operations before the third version lack.
func (d *diagonals) align(c *kernel.Construction) {
	above, below, _ := strings.Cut(c.Str("align"), "_")
	d.right = [2]bool{above == "RIGHT", below == "RIGHT"}
}

// count returns the number of diagonals.
func (d *diagonals) count() int64 { return d.upper - d.lower + 1 }

// dims returns the shape of the diagonals of matrices whose other dimensions are batch.
func (d *diagonals) dims(batch []int64) []int64 {
	dims := append(make([]int64, 0, len(batch)+2), batch...)
	if d.lower != d.upper {
		dims = append(dims, d.count())
	}
	return append(dims, d.length)
}

// each calls f with every diagonal's view in the matrices and among the
// diagonals, for n matrices, until the step ends.
func (d *diagonals) each(ctx *kernel.Context, n int, f func(matrix, diagonal strided.View) error) error {
	for at := d.upper; at >= d.lower; at-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		length := min(d.rows+min(at, 0), d.cols-max(at, 0))
		if length <= 0 {
			continue
		}
		var shift int64
		if at > 0 && d.right[0] || at < 0 && d.right[1] || at == 0 && d.right[0] && d.right[1] {
			shift = d.length - length
		}
		dims := []int{n, int(length)}
		err := f(
			strided.View{Offset: int(max(-at, 0)*d.cols + max(at, 0)), Dims: dims, Strides: []int{int(d.rows * d.cols), int(d.cols + 1)}},
			strided.View{Offset: int((d.upper-at)*d.length + shift), Dims: dims, Strides: []int{int(d.count() * d.length), 1}})
		if err != nil {
			return err
		}
	}
	return nil
}

func newMatrixDiag(c *kernel.Construction) (kernel.Kernel, error) {
	var base diagonals
	base.align(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		d := base
		batch, err := d.around(in)
		if err != nil {
			return err
		}
		dims := append(append(make([]int64, 0, len(batch)+2), batch...), d.rows, d.cols)
		if len(in) > 4 {
			if in[4].Rank() != 0 {
				return status.Invalid("padding_value must be a scalar, received shape: %s", tensor.FormatDims(in[4].Dims()))
			}
			if out[0], err = ctx.Alloc(in[0].DType(), dims); err == nil {
				err = strided.Fill(ctx, &out[0], &in[4], 0)
			}
		} else {
			out[0], err = ctx.AllocZeroed(in[0].DType(), dims)
		}
		if err != nil || out[0].NumElements() == 0 {
			return err
		}
		return d.each(ctx, out[0].NumElements()/int(d.rows*d.cols), func(matrix, diagonal strided.View) error {
			return strided.Copy(ctx, &out[0], matrix, &in[0], diagonal)
		})
	}), nil
}

// around works out the matrices that the diagonals in in[0] go into, and their
// batch dimensions.
func (d *diagonals) around(in []tensor.Value) (batch []int64, err error) {
	x := in[0].Dims()
	if len(x) == 0 {
		return nil, status.Invalid("diagonal must be at least 1-dim, received shape: []")
	}
	d.length, batch = x[len(x)-1], x[:len(x)-1]
	rows, cols := int64(-1), int64(-1)
	if len(in) > 1 {
		if d.lower, d.upper, err = diagonalRange(&in[1]); err != nil {
			return nil, err
		}
		if rows, err = kernel.Int(&in[2], "num_rows"); err != nil {
			return nil, err
		}
		if cols, err = kernel.Int(&in[3], "num_cols"); err != nil {
			return nil, err
		}
	}
	if d.lower != d.upper {
		if len(x) < 2 || x[len(x)-2] != d.count() {
			return nil, status.Invalid("The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range.")
		}
		batch = x[:len(x)-2]
	}
	leastRows, leastCols := d.length-min(d.upper, 0), d.length+max(d.lower, 0)
	if rows != -1 && rows < leastRows || cols != -1 && cols < leastCols {
		return nil, status.Invalid("The number of rows or columns is too small: %d by %d where %d by %d are needed", rows, cols, leastRows, leastCols)
	}
	switch {
	case rows == -1 && cols == -1:
		rows = max(leastRows, leastCols)
		cols = rows
	case rows == -1:
		rows = leastRows
	case cols == -1:
		cols = leastCols
	}
	if rows != leastRows && cols != leastCols {
		return nil, status.Invalid("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")
	}
	d.rows, d.cols = rows, cols
	return batch, nil
}

func newMatrixDiagPart(c *kernel.Construction) (kernel.Kernel, error) {
	var base diagonals
	base.align(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		d, x := base, in[0].Dims()
		var k *tensor.Value
		if len(in) > 1 {
			k = &in[1]
			if in[2].NumElements() != 1 {
				return status.Invalid("padding_value must be a scalar, received shape: %s", tensor.FormatDims(in[2].Dims()))
			}
		}
		err := d.within(x, k)
		if err != nil {
			return err
		}
		if out[0], err = ctx.Alloc(in[0].DType(), d.dims(x[:len(x)-2])); err != nil {
			return err
		}
		if k != nil {
			if err := strided.Fill(ctx, &out[0], &in[2], 0); err != nil {
				return err
			}
		}
		if in[0].NumElements() == 0 {
			return nil
		}
		return d.each(ctx, in[0].NumElements()/int(d.rows*d.cols), func(matrix, diagonal strided.View) error {
			return strided.Copy(ctx, &out[0], diagonal, &in[0], matrix)
		})
	}), nil
}

func newMatrixSetDiag(c *kernel.Construction) (kernel.Kernel, error) {
	var base diagonals
	base.align(c)
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		d, x := base, in[0].Dims()
		var k *tensor.Value
		if len(in) > 2 {
			k = &in[2]
		}
		if err := d.within(x, k); err != nil {
			return err
		}
		if want := d.dims(x[:len(x)-2]); !equalDims(want, in[1].Dims()) {
			return status.Invalid("Dimensions of diagonal %s should be %s for input %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(want), tensor.FormatDims(x))
		}
		if v, ok := ctx.Reuse(in, 0); ok {
			out[0] = v
		} else if err := deepCopy(ctx, in, out); err != nil {
			return err
		}
		if out[0].NumElements() == 0 {
			return nil
		}
		return d.each(ctx, out[0].NumElements()/int(d.rows*d.cols), func(matrix, diagonal strided.View) error {
			return strided.Copy(ctx, &out[0], matrix, &in[1], diagonal)
		})
	}), nil
}

func bandPart(ctx *kernel.Context, in, out []tensor.Value) error {
	x := in[0].Dims()
	if len(x) < 2 {
		return status.Invalid("input must be at least 2-dim, received shape: %s", tensor.FormatDims(x))
	}
	rows, cols := x[len(x)-2], x[len(x)-1]
	lower, err := kernel.Int(&in[1], "num_lower")
	if err != nil {
		return err
	}
	upper, err := kernel.Int(&in[2], "num_upper")
	if err != nil {
		return err
	}
	if lower > rows {
		return status.Invalid("num_lower must be negative or less or equal to number of rows (%d) got: %d", rows, lower)
	}
	if upper > cols {
		return status.Invalid("num_upper must be negative or less or equal to number of columns (%d) got: %d", cols, upper)
	}
	if lower < 0 {
		lower = rows
	}
	if upper < 0 {
		upper = cols
	}
	v, err := ctx.AllocZeroed(in[0].DType(), x)
	if err != nil || v.NumElements() == 0 {
		out[0] = v
		return err
	}
	out[0] = v
	ctx.Parallel(v.NumElements()/int(cols), max(1, 1<<12/int(cols)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := int64(i) % rows
			if first, end := max(0, row-lower), min(cols, row+upper+1); first < end {
				at := i*int(cols) + int(first)
				strided.Move(&out[0], at, &in[0], at, int(end-first))
			}
		}
	})
	return nil
}
