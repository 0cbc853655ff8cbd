package gradient

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// KeptShape returns the shape, a vector of int32, that the sum of x along axes has if the
// axes stay, of size 1.
func (a Algebra) KeptShape(x, axes graph.Output) graph.Output {
	if x.Op == nil || axes.Op == nil {
		return graph.Output{}
	}
	along, known := a.ConstInts(axes)
	if s := a.StaticShape(x); known && s.Full() {
		dims := append([]int64{}, s.Dims()...)
		for _, axis := range along {
			if axis < 0 {
				axis += int64(len(dims))
			}
			if axis >= 0 && axis < int64(len(dims)) {
				dims[axis] = 1
			}
		}
		return a.vector("Const", tensor.Int32, dims)
	}
	rank := a.Rank(x)
	axes = a.Apply("Reshape", a.Cast(axes, tensor.Int32), a.Int32s(-1)) // a scalar is one axis
	axes = a.Apply("FloorMod", a.Add(axes, rank), rank)
	ones := a.Apply("Fill", a.Shape(axes), a.Const(int32(1)))
	return a.Op("DynamicStitch", nil,
		graph.OutputList{a.Range(rank), axes},
		graph.OutputList{a.Shape(x), ones})

}

// Spread undoes a reduction of x along axes: dy, which has an element for each group
// that was reduced, is put at every element of its group.
func (a Algebra) Spread(dy, x, axes graph.Output) graph.Output {
	return a.Apply("BroadcastTo", a.Reshape(dy, a.KeptShape(x, axes)), a.Shape(x))
}
