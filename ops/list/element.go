package list

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// elementTypes are the types of elements that kernels read and write.
var elementTypes = slices.Concat(elementwise.Numbers, []tensor.DType{tensor.Bool, tensor.String, tensor.Variant,
	tensor.Qint8, tensor.Quint8, tensor.Qint16, tensor.Quint16, tensor.Qint32})

// register registers kernels of operations that read or write elements.
func register(f kernel.Factory, ops ...string) {
	for _, op := range ops {
		kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"element_dtype": elementTypes}, Holders: counts(op), New: f})
	}
}

// registerAny registers kernels of operations for which the elements may be of any
// type.
func registerAny(f kernel.Factory, ops ...string) {
	for _, op := range ops {
		kernel.Register(kernel.Registration{Op: op, Holders: true, New: f})
	}
}

// counts reports whether an operation counts the lists that it gets. The others make
// variants of several lists, which nobody counts.
func counts(op string) bool { return op != "TensorListPushBackBatch" && op != "TensorListConcatLists" }

// shapeIn returns the shape that an input gives: a vector with -1 for unknown
// dimensions, or the scalar -1.
func shapeIn(v *tensor.Value) (shape.Shape, error) {
	var buf [8]int64
	switch v.Rank() {
	case 0:
		if kernel.AppendInts(buf[:0], v)[0] != -1 {
			return shape.Shape{}, status.Invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.")
		}
		return shape.Shape{}, nil
	case 1:
	default:
		return shape.Shape{}, status.Invalid("Shape must be at most rank 1 but is rank %d", v.Rank())
	}
	if v.Dim(0) > tensor.MaxRank {
		return shape.Shape{}, status.Invalid("shape has %d dimensions, more than the %d allowed", v.Dim(0), tensor.MaxRank)
	}
	dims := kernel.AppendInts(make([]int64, 0, v.Dim(0)), v)
	for _, d := range dims {
		if d < -1 {
			return shape.Shape{}, status.Invalid("Dimension %d must be >= -1", d)
		}
	}
	return shape.FromVector(dims)
}

// merge returns what two shapes say together.
func merge(a, b shape.Shape) (shape.Shape, error) {
	if a.Known() && b.Known() && a.Rank() != b.Rank() {
		return a, status.Invalid("PartialTensorShape: Incompatible ranks during merge: %d vs. %d", a.Rank(), b.Rank())
	}
	s, err := shape.Merge(a, b)
	if err != nil {
		return a, status.Invalid("PartialTensorShape: Incompatible shapes during merge: %s vs. %s", resource.FormatShape(a), resource.FormatShape(b))
	}
	return s, nil
}

// compatible reports whether a tensor of shape dims may be an element.
func (l *List) compatible(dims []int64) bool {
	want := l.shape.Dims()
	if !l.shape.Known() {
		return true
	}
	if len(want) != len(dims) {
		return false
	}
	for i, d := range want {
		if d != -1 && d != dims[i] {
			return false
		}
	}
	return true
}

// sameType reports whether the elements are of the type that the node works on.
func (l *List) sameType(dt tensor.DType) error {
	if l.dt != dt {
		return status.Invalid("Invalid data types; op elements %v but list elements %v", dt, l.dt)
	}
	return nil
}

// asked returns the shape that the elements have by the list and by an input.
func (l *List) asked(v *tensor.Value) (shape.Shape, error) {
	s, err := shapeIn(v)
	if err != nil {
		return s, err
	}
	return merge(s, l.shape)
}

// inOrder returns the place of element k where all elements are taken.
func inOrder(k int) int { return k }

// inferred is s with what those of n elements that are set say of it, element at(k)
// for each k. It fails if they contradict it, or each other.
func (l *List) inferred(ctx *kernel.Context, s shape.Shape, n int, at func(k int) int) (shape.Shape, error) {
	for k := 0; k < n && !s.Full(); k++ {
		if k&1023 == 0 && ctx.Err() != nil {
			return s, ctx.Err()
		}
		dims, ok := l.dims(at(k))
		if !ok {
			continue
		}
		var err error
		if s, err = merge(s, shape.Of(dims...)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// stacked puts n elements, element at(k) at place k, into a tensor: zeros for
// those that are not set. All must have the shape s.
func (l *List) stacked(ctx *kernel.Context, s shape.Shape, n int, at func(k int) int) (tensor.Value, error) {
	dims := append([]int64{int64(n)}, s.Dims()...)
	v, err := ctx.AllocZeroed(l.dt, dims)
	if err != nil {
		return v, err
	}
	size := 1
	for _, d := range s.Dims() {
		size *= int(d)
	}
	for k := range n {
		if k&1023 == 0 && ctx.Err() != nil {
			return v, ctx.Err()
		}
		x := l.at(at(k))
		if x.IsZero() {
			continue
		}
		if !slices.Equal(x.Dims(), s.Dims()) {
			_, err := merge(s, shape.Of(x.Dims()...))
			return v, err
		}
		if l.dt == tensor.Variant {
			x.Share() // nobody counts what is in the new tensor
		}
		strided.Move(&v, k*size, &x, 0, size)
	}
	return v, nil
}

// count returns a scalar that says how many, or which.
func count(v *tensor.Value, format string) (int, error) {
	if !v.IsScalar() {
		return 0, status.Invalid(format, tensor.FormatDims(v.Dims()))
	}
	return int(tensor.At0[int32](v)), nil
}
