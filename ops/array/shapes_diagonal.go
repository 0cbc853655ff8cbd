package array

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(diagShape, "Diag")
	shape.Register(diagPartShape, "DiagPart")
	shape.Register(shape.UnchangedAtLeast(1), "MatrixBandPart")
	shape.Register(shape.Rule("diagonal: [B...,n] -> output: [B...,n,n]"), "MatrixDiag")
	shape.Register(matrixDiagPartShape, "MatrixDiagPart")
	shape.Register(matrixSetDiagShape, "MatrixSetDiag")
	shape.Register(matrixDiagV2Shape, "MatrixDiagV2", "MatrixDiagV3")
	shape.Register(matrixDiagPartV2Shape, "MatrixDiagPartV2", "MatrixDiagPartV3")
	shape.Register(matrixSetDiagV2Shape, "MatrixSetDiagV2", "MatrixSetDiagV3")
}

func diagShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(1))
	c.SetOutput(0, c.Try(shape.Concat(in, in)))
	return c.Err()
}

func diagPartShape(c *shape.Context) error {
	in := c.Input(0)
	if !in.Known() {
		return nil
	}
	rank := in.Rank()
	if rank == 0 || rank%2 != 0 {
		return status.Invalid("Input must have even and non-zero rank, input rank is %d", rank)
	}
	dims := make([]int64, rank/2)
	for i := range dims {
		dims[i] = c.TryDim(shape.MergeDims(in.Dim(i), in.Dim(i+rank/2)))
	}
	c.SetOutput(0, shape.Of(dims...))
	return c.Err()
}

func matrixDiagPartShape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(2))
	n := shape.MinDim(in.Dim(-2), in.Dim(-1))
	c.SetOutput(0, c.Try(shape.Concat(in.To(-2), shape.Of(n))))
	return c.Err()
}

func matrixSetDiagShape(c *shape.Context) error {
	in, diagonal := c.Try(c.Input(0).WithRankAtLeast(2)), c.Try(c.Input(1).WithRankAtLeast(1))
	switch {
	case in.Known():
		diagonal = c.Try(diagonal.WithRank(in.Rank() - 1))
	case diagonal.Known():
		in = c.Try(in.WithRank(diagonal.Rank() + 1))
	default:
		return c.Err()
	}
	c.TryDim(shape.MergeDims(shape.MinDim(in.Dim(-2), in.Dim(-1)), diagonal.Dim(-1)))
	batch := c.Try(shape.Merge(in.To(-2), diagonal.To(-1)))
	c.SetOutput(0, c.Try(shape.Concat(batch, in.From(-2))))
	return c.Err()
}

// A band is the diagonals from lower to upper, counted upwards from the main
// one.
type band struct{ lower, upper int64 }

// bandFrom reads which diagonals input i asks for; ok is false if that is not
// known.
func bandFrom(c *shape.Context, i int) (b band, ok bool) {
	c.Try(c.Input(i).WithRankAtMost(1))
	k, ok := c.ConstInts(i)
	if !ok {
		return band{}, false
	}
	if len(k) != 1 && len(k) != 2 {
		c.Fail(status.Invalid("diag_index must be a scalar or a vector with one or two elements, but has %d", len(k)))
		return band{}, false
	}
	b = band{k[0], k[len(k)-1]}
	if b.lower < math.MinInt32 || b.upper > math.MaxInt32 {
		c.Fail(status.Invalid("diag_index %v is out of bound", k))
		return band{}, false
	}
	if b.lower > b.upper {
		c.Fail(status.Invalid("lower_diag_index is greater than upper_diag_index"))
		return band{}, false
	}
	return b, true
}

// width is the number of diagonals.
func (b band) width() int64 { return b.upper - b.lower + 1 }

// check says whether both ends of the band are in a matrix of that size.
func (b band) check(rows, cols int64) error {
	for _, end := range []struct {
		name string
		at   int64
	}{{"lower", b.lower}, {"upper", b.upper}} {
		if rows != shape.Unknown && end.at <= -rows && end.at != 0 || cols != shape.Unknown && end.at >= cols && end.at != 0 {
			return status.Invalid("%s_diag_index %d is out of bound of a matrix of %d rows and %d columns", end.name, end.at, rows, cols)
		}
	}
	return nil
}

// length is the length of the longest diagonal in a matrix of that size.
func (b band) length(rows, cols int64) int64 {
	if rows == shape.Unknown || cols == shape.Unknown {
		return shape.Unknown
	}
	return max(0, min(rows+min(b.upper, 0), cols-max(b.lower, 0)))
}

func matrixDiagPartV2Shape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(2))
	c.Try(c.Input(2).WithRank(0))
	b, ok := bandFrom(c, 1)
	if c.Err() != nil || !ok || !in.Known() {
		return c.Err()
	}
	rows, cols := in.Dim(-2), in.Dim(-1)
	if err := b.check(rows, cols); err != nil {
		return err
	}
	diagonals := shape.Of(b.length(rows, cols))
	if b.lower < b.upper {
		diagonals = shape.Of(b.width(), diagonals.Dim(0))
	}
	c.SetOutput(0, c.Try(shape.Concat(in.To(-2), diagonals)))
	return c.Err()
}

func matrixDiagV2Shape(c *shape.Context) error {
	diagonal := c.Try(c.Input(0).WithRankAtLeast(1))
	for i := 2; i <= 4; i++ {
		c.Try(c.Input(i).WithRank(0))
	}
	b, ok := bandFrom(c, 1)
	if c.Err() != nil || !ok || !diagonal.Known() {
		return c.Err()
	}
	batch := diagonal.To(-1)
	if b.lower < b.upper {
		diagonal = c.Try(diagonal.WithRankAtLeast(2))
		if n := diagonal.Dim(-2); n != shape.Unknown && n != b.width() {
			return status.Invalid("The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and `d_upper`: %d rows, d_lower = %d, d_upper = %d", n, b.lower, b.upper)
		}
		batch = diagonal.To(-2)
	}
	rows, cols := matrixSize(c, b, diagonal.Dim(-1))
	c.SetOutput(0, c.Try(shape.Concat(batch, shape.Of(rows, cols))))
	return c.Err()
}

// matrixSize is the size of the matrix whose longest diagonal has that length,
// as inputs 2 and 3 ask for or, where they are -1, as small as may be.
func matrixSize(c *shape.Context, b band, length int64) (rows, cols int64) {
	rows, okRows := c.ConstInt(2)
	cols, okCols := c.ConstInt(3)
	if !okRows || !okCols || length == shape.Unknown {
		known := func(n int64, ok bool) int64 {
			if !ok || n < 0 {
				return shape.Unknown
			}
			return n
		}
		return known(rows, okRows), known(cols, okCols)
	}
	leastRows := c.TryDim(shape.AddDims(length, -min(b.upper, 0)))
	leastCols := c.TryDim(shape.AddDims(length, max(b.lower, 0)))
	switch {
	case rows == -1 && cols == -1:
		rows = shape.MaxDim(leastRows, leastCols)
		cols = rows
	case rows == -1:
		rows = leastRows
	case cols == -1:
		cols = leastCols
	}
	switch {
	case rows < leastRows:
		c.Fail(status.Invalid("num_rows %d is too small", rows))
	case cols < leastCols:
		c.Fail(status.Invalid("num_cols %d is too small", cols))
	case rows != leastRows && cols != leastCols:
		c.Fail(status.Invalid("num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the given diagonals: num_rows = %d != %d, num_cols = %d != %d", rows, leastRows, cols, leastCols))
	}
	return rows, cols
}

func matrixSetDiagV2Shape(c *shape.Context) error {
	in, diagonal := c.Try(c.Input(0).WithRankAtLeast(2)), c.Try(c.Input(1).WithRankAtLeast(1))
	b, ok := bandFrom(c, 2)
	if c.Err() != nil {
		return c.Err()
	}
	if !ok || !in.Known() && !diagonal.Known() {
		c.SetOutput(0, in)
		return nil
	}
	taken := 1 // dimensions of diagonal that are not the batch's
	if b.lower < b.upper {
		taken = 2
	}
	if in.Known() {
		diagonal = c.Try(diagonal.WithRank(in.Rank() - 2 + taken))
	} else {
		diagonal = c.Try(diagonal.WithRankAtLeast(taken))
		in = c.Try(in.WithRank(diagonal.Rank() + 2 - taken))
	}
	if c.Err() != nil {
		return c.Err()
	}
	rows, cols := in.Dim(-2), in.Dim(-1)
	if err := b.check(rows, cols); err != nil {
		return err
	}
	if taken == 2 {
		c.TryDim(shape.MergeDims(b.width(), diagonal.Dim(-2)))
	}
	c.TryDim(shape.MergeDims(b.length(rows, cols), diagonal.Dim(-1)))
	batch := c.Try(shape.Merge(in.To(-2), diagonal.To(-taken)))
	c.SetOutput(0, c.Try(shape.Concat(batch, in.From(-2))))
	return c.Err()
}
