package shape

import "github.com/troupe-go/troupe/status"

// CheckScatter reports whether updates can be scattered into a tensor: the last
// dimension of indices counts coordinates, the others are the first dimensions
// of updates, and what is left of both updates and the tensor is the shape of
// one slice. Updates that are a scalar go anywhere.
func CheckScatter(into, indices, updates Shape) error {
	if err := checkEmptyScatter(into, indices, updates); err != nil {
		return err
	}
	if _, err := indices.WithRankAtLeast(1); err != nil {
		return err
	}
	n := indices.Dim(-1)
	if !indices.known || updates.Rank() <= 0 || n == Unknown {
		return nil
	}
	outer := len(indices.dims) - 1
	head := updates.To(outer)
	if _, err := Merge(indices.To(outer), head); err != nil {
		return status.Invalid("Dimensions [0,%d) of indices[shape=%v] = %v must match dimensions [0,%d) of updates[shape=%v] = %v: %s",
			outer, indices, indices.To(outer), outer, updates, head, status.From(err).Message)
	}
	if !into.known {
		return nil
	}
	slice, tail := into.From(int(min(n, int64(len(into.dims))))), updates.From(outer)
	if _, err := Merge(slice, tail); err != nil {
		return status.Invalid("Dimensions [%d,%d) of input[shape=%v] = %v must match dimensions [%d,%d) of updates[shape=%v] = %v: %s",
			n, len(into.dims), into, slice, outer, len(updates.dims), updates, tail, status.From(err).Message)
	}
	return nil
}

func checkEmptyScatter(into, indices, updates Shape) error {
	if n, err := into.NumElements(); err != nil || n != 0 {
		return nil
	}
	for _, s := range []Shape{indices, updates} {
		if n, err := s.NumElements(); err == nil && n > 0 {
			return status.Invalid("Indices and updates specified for empty output")
		}
	}
	return nil
}
