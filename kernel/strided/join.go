package strided

import (
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Join is tensors of one type, of rank 1 or more, one after the other along their
// first dimension. The result is not charged to any account, but made within the
// budget. It is for those who join what steps have handed over to each other;
// kernels allocate outputs by their context.
func Join(budget *tensor.Budget, parts []tensor.Value) (tensor.Value, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	dims := slices.Clone(parts[0].Dims())
	for _, v := range parts[1:] {
		if v.Rank() == 0 || len(dims) == 0 || !slices.Equal(v.Dims()[1:], dims[1:]) || v.DType() != parts[0].DType() {
			return v, status.Invalid("Dimensions of inputs should match: shape[0] = %s vs. %s", tensor.FormatDims(parts[0].Dims()), tensor.FormatDims(v.Dims()))
		}
		dims[0] += v.Dims()[0]
	}
	arena := tensor.Arena{Budget: budget}
	defer arena.Finish()
	all, err := arena.AllocZeroed(parts[0].DType(), dims)
	if err != nil {
		return all, err
	}
	arena.UnchargeValue(all)
	at := 0
	for i := range parts {
		n := parts[i].NumElements()
		Move(&all, at, &parts[i], 0, n)
		at += n
	}
	return all, nil
}
