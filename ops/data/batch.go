package data

import (
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// fits reports whether a tensor of those dimensions has that shape.
func fits(s shape.Shape, dims []int64) bool { return shape.Compatible(s, shape.Of(dims...)) }

// batchShape returns the shape of n tensors of shape s together.
func batchShape(n int64, s shape.Shape) shape.Shape {
	if !s.Known() {
		return s
	}
	return shape.Of(append([]int64{n}, s.Dims()...)...)
}

// batch stacks elements of a queue, components one after the other, into one
// tensor for each component. Where their shapes differ, as a PaddingFIFOQueue
// allows, all are filled up with zeros to the largest of them. It makes its own
// memory, as the goroutine that it runs on may be of another step, but within
// the budget.
func batch(budget *tensor.Budget, q *resource.Queue, elements []tensor.Value, out []tensor.Value) error {
	nc := len(q.Types)
	n := len(elements) / nc
	m := maker{budget: budget}
	defer m.release()
	for c, dt := range q.Types {
		dims := []int64{int64(n)}
		for d, size := range q.Shapes[c].Dims() {
			if size == shape.Unknown {
				size = 0
				for e := range n {
					size = max(size, elements[e*nc+c].Dims()[d])
				}
			}
			dims = append(dims, size)
		}
		all, err := m.alloc(dt, dims)
		if err != nil {
			return err
		}
		for e := range n {
			fill(&all, e, &elements[e*nc+c])
		}
		out[c] = all
	}
	return nil
}

// A maker makes tensors on goroutines that may be of another step: within a budget, which
// is charged for them until release is called. Whoever gets them keeps account of them
// from then on.
type maker struct {
	budget *tensor.Budget
	bytes  int64
}

func (m *maker) alloc(dt tensor.DType, dims []int64) (tensor.Value, error) {
	n, err := tensor.NumElements(dt, dims)
	if err != nil {
		return tensor.Value{}, err
	}
	size := tensor.HeaderBytes + int64(n)*int64(max(dt.Size(), 1))
	if err := m.budget.Charge(size); err != nil {
		return tensor.Value{}, err
	}
	m.bytes += size
	t, err := tensor.New(dt, dims...)
	if err != nil {
		return tensor.Value{}, err
	}
	return tensor.ValueOf(t), nil
}

func (m *maker) release() { m.budget.Release(m.bytes) }

// fill puts v into the corner of row i of all.
func fill(all *tensor.Value, i int, v *tensor.Value) {
	if v.NumElements() == 0 {
		return
	}
	size := all.NumElements() / all.Dim(0)
	if v.NumElements() == size {
		strided.Move(all, i*size, v, 0, size)
		return
	}
	// Run by run along the last dimension.
	dims, room := v.Dims(), all.Dims()[1:]
	run := int(dims[len(dims)-1])
	for from := 0; from < v.NumElements(); from += run {
		at, stride, row := 0, 1, from
		for d := len(dims) - 1; d >= 0; d-- {
			at += row % int(dims[d]) * stride
			row /= int(dims[d])
			stride *= int(room[d])
		}
		strided.Move(all, i*size+at, v, from, run)
	}
}
