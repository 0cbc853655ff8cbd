package shape

import "github.com/troupe-go/troupe/status"

// CheckSparse reports whether three tensors may be a sparse tensor: its indices,
// with a row for each element, its values, and its shape.
func CheckSparse(indices, values, dims Shape) error {
	if _, err := indices.WithRank(2); err != nil {
		return err
	}
	if _, err := values.WithRank(1); err != nil {
		return err
	}
	if _, err := dims.WithRank(1); err != nil {
		return err
	}
	if n, m := indices.Dim(0), values.Dim(0); !CompatibleDims(n, m) {
		return status.Invalid("Number of elements in index (%d) and values (%d) do not match.", n, m)
	}
	if n, m := indices.Dim(1), dims.Dim(0); !CompatibleDims(n, m) {
		return status.Invalid("Index rank (%d) and shape rank (%d) do not match.", n, m)
	}
	return nil
}
