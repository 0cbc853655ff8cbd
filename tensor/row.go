package tensor

// Row is v[i], of the rank below v's, which must be at least 1 and have a
// first dimension above i. It shares v's memory, so an owned v becomes shared;
// a scalar that fits into a Value is copied instead, without allocating.
func (v Value) Row(i int) Value {
	dims := v.Dims()[1:]
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	if dt := v.DType(); len(dims) == 0 && dt.inline() {
		switch dt.Size() {
		case 1:
			return ScalarOf(dt, Words[uint8](&v)[i])
		case 2:
			return ScalarOf(dt, Words[uint16](&v)[i])
		case 4:
			return ScalarOf(dt, Words[uint32](&v)[i])
		default:
			return ScalarOf(dt, Words[uint64](&v)[i])
		}
	}
	return ValueOf(v.Tensor().Slice(i*n, n, dims))
}

// SetRow copies v, of as many elements as a row of w and of w's dtype, into w[i].
// The caller alone holds w, whose rank is at least 1.
func (w *Value) SetRow(i int, v Value) {
	n := v.NumElements()
	row := w.Borrow(i*n, n, []int64{int64(n)})
	row.CopyFrom(v)
}
