package math_test

import (
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Where nothing is chosen, operands of one element may stand beside those of none.
func TestSelectOfNothing(t *testing.T) {
	none, one := of(t, []float64{}, 0), of(t, []float64{1})
	attrs := attr("T", registry.TypeAttr(tensor.Double))
	for _, in := range [][]*tensor.Tensor{
		{of(t, []bool{}, 0), none, one}, {of(t, []bool{}, 0), one, one}, {of(t, []bool{true}, 1), none, one}, {of(t, []bool{false}), one, none},
	} {
		if got := run(t, "SelectV2", attrs, in...); got.NumElements() != 0 {
			t.Errorf("%d elements of none", got.NumElements())
		}
	}
}
