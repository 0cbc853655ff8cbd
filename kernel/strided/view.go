package strided

import "github.com/troupe-go/troupe/tensor"

// A View is elements of a tensor: those at Offset + Σ i[d]·Strides[d] for all
// 0 <= i[d] < Dims[d]. Offset and strides count elements; strides may be 0 or
// negative. The maker of a view is responsible for its staying inside the tensor.
type View struct {
	Offset  int
	Dims    []int
	Strides []int
}

// Of returns all elements of a tensor of that shape, which must exist: the sizes
// have been checked.
func Of(shape []int64) View {
	v := View{Dims: make([]int, len(shape)), Strides: make([]int, len(shape))}
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		v.Dims[i], v.Strides[i] = int(shape[i]), n
		n *= int(shape[i])
	}
	return v
}

// Whole returns all elements of v.
func Whole(v tensor.Value) View { return Of(v.Dims()) }

// Slice keeps n elements along dimension d, from start on in steps of step,
// changing v.
func (v *View) Slice(d, start, step, n int) {
	if n > 0 {
		v.Offset += start * v.Strides[d]
	}
	v.Dims[d] = n
	v.Strides[d] *= step
}

// Reverse turns dimension d around, changing v.
func (v *View) Reverse(d int) { v.Slice(d, v.Dims[d]-1, -1, v.Dims[d]) }

// Permute is v with dimension perm[i] in place i.
func (v View) Permute(perm []int) View {
	w := View{Offset: v.Offset, Dims: make([]int, len(perm)), Strides: make([]int, len(perm))}
	for i, p := range perm {
		w.Dims[i], w.Strides[i] = v.Dims[p], v.Strides[p]
	}
	return w
}

// Insert is v with another dimension in front of dimension d: n places, stride
// elements apart.
func (v View) Insert(d, n, stride int) View {
	w := View{Offset: v.Offset, Dims: make([]int, 0, len(v.Dims)+1), Strides: make([]int, 0, len(v.Dims)+1)}
	w.Dims = append(append(append(w.Dims, v.Dims[:d]...), n), v.Dims[d:]...)
	w.Strides = append(append(append(w.Strides, v.Strides[:d]...), stride), v.Strides[d:]...)
	return w
}

// Broadcast is v repeated to a shape of no lower rank whose last dimensions
// equal v's, except where v's is 1.
func (v View) Broadcast(shape []int64) View {
	w := View{Offset: v.Offset, Dims: make([]int, len(shape)), Strides: make([]int, len(shape))}
	front := len(shape) - len(v.Dims)
	for i, d := range shape {
		w.Dims[i] = int(d)
		if i >= front && v.Dims[i-front] != 1 {
			w.Strides[i] = v.Strides[i-front]
		}
	}
	return w
}

// Contiguous reports whether v is consecutive elements in their order.
func (v View) Contiguous() bool {
	n := 1
	for d := len(v.Dims) - 1; d >= 0; d-- {
		if v.Dims[d] != 1 && v.Strides[d] != n && v.Len() > 0 {
			return false
		}
		n *= v.Dims[d]
	}
	return true
}

// Len returns the number of elements.
func (v View) Len() int {
	n := 1
	for _, d := range v.Dims {
		n *= d
	}
	return n
}
