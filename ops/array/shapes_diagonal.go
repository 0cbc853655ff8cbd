package array

import (
	"math"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	shape.Register(diagShape, "Diag")
	shape.Register(diagPartShape, "DiagPart")
	shape.Register(shape.Unchanged, "MatrixBandPart")
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

// matrixSetDiagShape does not compare the batches of the two where it knows
// the matrix.
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
	if !in.Full() {
		batch := c.Try(shape.Merge(in.To(-2), diagonal.To(-1)))
		in = c.Try(shape.Concat(batch, in.From(-2)))
	}
	c.SetOutput(0, in)
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

// width returns the number of diagonals.
func (b band) width() int64 { return b.upper - b.lower + 1 }

// rank returns the number of dimensions that the diagonals take beside a batch's.
func (b band) rank() int {
	if b.lower < b.upper {
		return 2
	}
	return 1
}

// check reports whether both ends of the band are in a matrix of that size, if it
// is known.
func (b band) check(rows, cols int64) error {
	if rows == shape.Unknown || cols == shape.Unknown {
		return nil
	}
	for _, end := range []struct {
		name string
		at   int64
	}{{"lower", b.lower}, {"upper", b.upper}} {
		if end.at != 0 && (end.at <= -rows || end.at >= cols) {
			return status.Invalid("%s_diag_index %d is out of bound of a matrix of %d rows and %d columns", end.name, end.at, rows, cols)
		}
	}
	return nil
}

// length returns the length of the longest diagonal in a matrix of that size.
func (b band) length(rows, cols int64) int64 {
	if rows == shape.Unknown || cols == shape.Unknown {
		return shape.Unknown
	}
	return max(0, min(rows+min(b.upper, 0), cols-max(b.lower, 0)))
}

func matrixDiagPartV2Shape(c *shape.Context) error {
	in := c.Try(c.Input(0).WithRankAtLeast(2))
	c.Try(c.Input(1).WithRankAtMost(1))
	c.Try(c.Input(2).WithRank(0))
	if c.Err() != nil || !in.Known() {
		return c.Err()
	}
	b, ok := bandFrom(c, 1)
	if c.Err() != nil || !ok {
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
	c.Try(c.Input(1).WithRankAtMost(1))
	if c.Err() != nil || !diagonal.Known() {
		return c.Err()
	}
	b, ok := bandFrom(c, 1)
	if c.Err() != nil || !ok {
		return c.Err()
	}
	taken := b.rank()
	if n := diagonal.Dim(-2); taken == 2 && n != b.width() {
		return status.Invalid("The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and `d_upper`: %d rows, d_lower = %d, d_upper = %d", n, b.lower, b.upper)
	}
	rows, cols := matrixSize(c, b, diagonal.Dim(-1))
	c.SetOutput(0, c.Try(shape.Concat(diagonal.To(-taken), shape.Of(rows, cols))))
	return c.Err()
}

// matrixSize returns the size of the matrix whose longest diagonal has that length,
// as inputs 2 and 3 ask for or, where they are -1 or not known, as small as may
// be. A length of [shape.Unknown] counts as a number, as in TensorFlow, but sizes
// are not checked against it.
func matrixSize(c *shape.Context, b band, length int64) (rows, cols int64) {
	size := func(i int) int64 {
		if n, ok := c.ConstInt(i); ok {
			return n
		}
		return -1
	}
	rows, cols = size(2), size(3)
	leastRows, leastCols := length-min(b.upper, 0), length+max(b.lower, 0)
	if rows == -1 && cols == -1 {
		rows = max(leastRows, leastCols)
		cols = rows
	}
	if rows == -1 {
		rows = leastRows
	}
	if cols == -1 {
		cols = leastCols
	}
	switch {
	case length == shape.Unknown:
	case rows < leastRows:
		c.Fail(status.Invalid("num_rows %d is too small", rows))
	case cols < leastCols:
		c.Fail(status.Invalid("num_cols %d is too small", cols))
	case rows != leastRows && cols != leastCols:
		c.Fail(status.Invalid("num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the given diagonals: num_rows = %d != %d, num_cols = %d != %d", rows, leastRows, cols, leastCols))
	}
	return max(rows, shape.Unknown), max(cols, shape.Unknown)
}

// matrixSetDiagV2Shape learns from the diagonals what it does not know of the
// matrix, and does not compare the two where it knows that.
func matrixSetDiagV2Shape(c *shape.Context) error {
	in, diagonal := c.Try(c.Input(0).WithRankAtLeast(2)), c.Try(c.Input(1).WithRankAtLeast(1))
	b, ok := bandFrom(c, 2)
	if c.Err() != nil {
		return c.Err()
	}
	taken := 1 // dimensions of diagonal that are not the batch's
	if ok {
		taken = b.rank()
	}
	switch {
	case in.Known() && ok:
		diagonal = c.Try(diagonal.WithRank(in.Rank() - 2 + taken))
		c.Fail(b.check(in.Dim(-2), in.Dim(-1)))
	case in.Known():
		diagonal = c.Try(c.Try(diagonal.WithRankAtLeast(in.Rank() - 1)).WithRankAtMost(in.Rank()))
	}
	if c.Err() == nil && diagonal.Known() && !in.Full() {
		if diagonal.Rank() < taken {
			return status.Invalid("Subshape end out of bounds: %d, for shape with rank %d", -taken, diagonal.Rank())
		}
		known := c.Try(shape.Concat(diagonal.To(-taken), shape.OfRank(2)))
		in = c.Try(shape.Merge(in, known))
	}
	c.SetOutput(0, in)
	return c.Err()
}
