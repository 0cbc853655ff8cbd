package tensor

// ElementText is element i, counted in row-major order, with all its digits:
// for every dtype but Resource and Variant what package tensor/literal reads back as the same
// element.
func (t *Tensor) ElementText(i int) string { return exactText(t, i) }
