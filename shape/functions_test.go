package shape_test

import (
	"math"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// registered is the operations with a shape function, sorted.
var registered = sync.OnceValue(func() []string {
	ops := shape.Registered()
	sort.Strings(ops)
	return ops
})

// Every operation that TensorFlow exports has a shape function, and no rule of
// one contradicts the definition.
func TestEveryOperationHasAFunction(t *testing.T) {
	for name, def := range definitions() {
		f := shape.Lookup(name)
		if f == nil {
			t.Errorf("%s has no shape function", name)
			continue
		}
		c := shape.Context{Op: def, Inputs: make([]shape.Shape, len(def.Inputs)), Outputs: make([]shape.Shape, len(def.Outputs))}
		if err := f(&c); err != nil && strings.Contains(err.Error(), "shape rule") {
			t.Error(err)
		}
	}
}

var (
	dims = rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 5), rapid.Int64Range(0, 5),
		rapid.SampledFrom([]int64{1 << 31, 1 << 40, math.MaxInt64}))
	numbers = rapid.OneOf(rapid.Int64Range(-3, 5), rapid.Int64Range(-3, 5),
		rapid.SampledFrom([]int64{math.MinInt64, math.MinInt32, 1 << 20, math.MaxInt32, math.MaxInt64}))
	words = rapid.SampledFrom([]string{"", "NHWC", "NCHW", "NDHWC", "NCHW_VECT_C", "SAME", "VALID", "EXPLICIT", "ij,jk->ik", "...i->...", "a,->", "LEFT_RIGHT"})
	types = rapid.SampledFrom([]tensor.DType{tensor.Float, tensor.Int32, tensor.Int64, tensor.Bool, tensor.String, tensor.Resource, tensor.Variant, tensor.Uint8})
)

func drawFull(t *rapid.T, label string) shape.Shape {
	if rapid.IntRange(0, 40).Draw(t, label+" long") == 0 {
		return shape.Of(make([]int64, tensor.MaxRank)...)
	}
	return shape.Of(rapid.SliceOfN(dims, 0, 5).Draw(t, label)...)
}

// long reports whether s may be too long to be part of another shape.
func long(s shape.Shape) bool { return s.Rank() > 20 }

// blur forgets some of what is known.
func blur(t *rapid.T, s shape.Shape) shape.Shape {
	switch rapid.IntRange(0, 5).Draw(t, "blur") {
	case 0:
		return shape.Shape{}
	case 1, 2:
		return s
	}
	d := slices.Clone(s.Dims())
	for i := range d {
		if rapid.Bool().Draw(t, "blur dim") {
			d[i] = shape.Unknown
		}
	}
	return shape.Of(d...)
}

func drawAttr(t *rapid.T, a *registry.AttrDef) registry.AttrValue {
	if a.Default != nil && rapid.Bool().Draw(t, "default") {
		return *a.Default
	}
	if a.Kind.IsList() {
		elem := *a
		elem.Kind, elem.Default = a.Kind.Elem(), nil
		list := make([]registry.AttrValue, rapid.IntRange(0, 5).Draw(t, a.Name+" length"))
		for i := range list {
			list[i] = drawAttr(t, &elem)
		}
		return registry.ListAttr(elem.Kind, list...)
	}
	switch a.Kind {
	case registry.KindString:
		if len(a.AllowedStrings) > 0 {
			return registry.StringAttr(rapid.SampledFrom(a.AllowedStrings).Draw(t, a.Name))
		}
		return registry.StringAttr(words.Draw(t, a.Name))
	case registry.KindInt:
		return registry.IntAttr(numbers.Draw(t, a.Name))
	case registry.KindFloat:
		return registry.FloatAttr(rapid.Float32().Draw(t, a.Name))
	case registry.KindBool:
		return registry.BoolAttr(rapid.Bool().Draw(t, a.Name))
	case registry.KindType:
		if len(a.AllowedTypes) > 0 {
			return registry.TypeAttr(rapid.SampledFrom(a.AllowedTypes).Draw(t, a.Name))
		}
		return registry.TypeAttr(types.Draw(t, a.Name))
	case registry.KindShape:
		return registry.ShapeAttr(registry.Shape{Unknown: rapid.Bool().Draw(t, "unknown"), Dims: rapid.SliceOfN(numbers, 0, 4).Draw(t, a.Name)})
	}
	return registry.AttrValue{}
}

// drawValue returns a constant of small size that has shape s, or nil.
func drawValue(t *rapid.T, dt tensor.DType, s shape.Shape) *tensor.Tensor {
	n, err := s.NumElements()
	if err != nil || n == shape.Unknown || n > 16 || rapid.IntRange(0, 3).Draw(t, "constant") == 0 {
		return nil
	}
	v := rapid.SliceOfN(numbers, int(n), int(n)).Draw(t, "value")
	var out *tensor.Tensor
	switch dt.Base() {
	case tensor.Int64:
		out, _ = tensor.FromSlice(v, s.Dims()...)
	case tensor.Int32:
		small := make([]int32, n)
		for i, x := range v {
			small[i] = int32(x)
		}
		out, _ = tensor.FromSlice(small, s.Dims()...)
	case tensor.Float:
		floats := make([]float32, n)
		for i, x := range v {
			floats[i] = float32(x)
		}
		out, _ = tensor.FromSlice(floats, s.Dims()...)
	}
	return out
}

// drawContext returns a node of an operation that may be any: with the layout of
// its definition, or with none that makes sense.
func drawContext(t *rapid.T, op string) *shape.Context {
	def := definitions()[op]
	c := &shape.Context{Node: "n", Op: def}
	for i := range def.Attrs {
		if rapid.IntRange(0, 9).Draw(t, "has attr") == 0 {
			continue
		}
		c.Attrs = append(c.Attrs, registry.NamedAttr{Name: def.Attrs[i].Name, Value: drawAttr(t, &def.Attrs[i])})
	}
	if r, err := registry.Resolve(def, c.Attrs); err == nil && len(r.Inputs) < 20 && len(r.Outputs) < 20 {
		c.Attrs, c.InputTypes, c.OutputTypes = r.Attrs, r.Inputs, r.Outputs
	} else {
		c.InputTypes = rapid.SliceOfN(types, 0, 7).Draw(t, "input types")
		c.OutputTypes = rapid.SliceOfN(types, 0, 4).Draw(t, "output types")
		if rapid.Bool().Draw(t, "no definition") {
			c.Op = nil
		}
	}
	return c
}

// run runs a function on inputs, values and handles.
func run(f shape.Func, like *shape.Context, inputs []shape.Shape, values []*tensor.Tensor, handles []shape.Shape) ([]shape.Shape, error) {
	c := *like
	c.Inputs, c.Outputs = inputs, make([]shape.Shape, len(like.OutputTypes))
	c.Constant = func(i int) *tensor.Tensor { return values[i] }
	for i, h := range handles {
		c.InputHandles = append(c.InputHandles, nil)
		if c.InputTypes[i].Base() == tensor.Resource || c.InputTypes[i].Base() == tensor.Variant {
			c.InputHandles[i] = []shape.HandleData{{Type: tensor.Float, Shape: h}}
		}
	}
	err := f(&c)
	if err == nil {
		err = c.Err()
	}
	return c.Outputs, err
}

// guessing is the operations that take a guess, as TensorFlow does, or refuse
// more than they must.
var guessing = []string{
	"AccumulateNV2", "PlaceholderWithDefault", // believe their attribute
	"ParallelConcat",                 // wants to know its inputs in full
	"SoftmaxCrossEntropyWithLogits",  // takes it that unknown shapes need no broadcasting
	"Svd", "Eig", "SelfAdjointEigV2", // say [0] of vectors that are not wanted, of which the kernels make scalars
	"Dequantize",                   // wants to know the rank that an axis is of
	"MatrixDiagV2", "MatrixDiagV3", // take an unknown length for -1
	"MaxPool", "MaxPoolV2", "MaxPoolGradGrad", "MaxPoolWithArgmax", // want to know the vectors of NCHW_VECT_C
	"FusedResizeAndPadConv2D", "SparseTensorToCSRSparseMatrix", // want to know a rank
	"ResourceCountUpTo", "SparseMatrixNNZ", // want to know the handle
	"Substr", // takes an unknown dimension for another than a known one
	"EmptyTensorList", "TensorListReserve", "TensorListFromTensor", "TensorListScatter", "TensorListScatterV2", "TensorListSplit",
	"TensorListGetItem", "TensorListGather", "TensorListStack", "TensorListConcatV2", "RaggedTensorToTensor", // want to know a scalar shape
	"FractionalAvgPoolGrad",  // takes an unknown shape for one of images
	"DenseBincount",          // takes an unknown number of bins for a shape like the input's
	"DenseCountSparseOutput", // takes it that there are weights
	"Equal", "NotEqual",      // take it that two unknown dimensions broadcast
	"MatrixSetDiagV2", "MatrixSetDiagV3", // take an unknown number of diagonals for one
	"MatrixSetDiag",                    // compares batches only where it does not know the matrix
	"EnsureShape",                      // with an attribute that asks for no rank
	"GatherV2",                         // counts a negative batch_dims twice over where the axis is unknown
	"SpaceToBatchND", "BatchToSpaceND", // want to know how many dimensions are in blocks
	"SplitV", // takes an unknown axis for the last one
}

// Shape functions are total: no panic, no memory by the size of a number, and
// only possible shapes come out. What they say of partially known inputs holds
// for all that the inputs may turn out to be, and they refuse nothing that they
// would accept then.
func functions(t *rapid.T) {
	op := rapid.SampledFrom(registered()).Draw(t, "op")
	f := shape.Lookup(op)
	like := drawContext(t, op)
	n := len(like.InputTypes)
	inputs, blurred := make([]shape.Shape, n), make([]shape.Shape, n)
	handles, blurredHandles := make([]shape.Shape, n), make([]shape.Shape, n)
	values, blurredValues := make([]*tensor.Tensor, n), make([]*tensor.Tensor, n)
	for i := range n {
		inputs[i] = drawFull(t, "input")
		handles[i] = drawFull(t, "handle")
		if i > 0 && rapid.IntRange(0, 2).Draw(t, "like the one before") == 0 {
			inputs[i] = inputs[i-1]
		}
		values[i] = drawValue(t, like.InputTypes[i], inputs[i])
		if blurredValues[i] = values[i]; rapid.Bool().Draw(t, "blur value") {
			blurredValues[i] = nil
		}
		if blurred[i], blurredHandles[i] = inputs[i], blur(t, handles[i]); blurredValues[i] == nil {
			blurred[i] = blur(t, inputs[i])
		}
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	exact, err := run(f, like, inputs, values, handles)
	rough, roughErr := run(f, like, blurred, blurredValues, blurredHandles)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Fatalf("%s: %d bytes allocated", op, used)
	}
	if err != nil {
		exact = nil
	}
	if roughErr != nil {
		rough = nil
	}
	for _, s := range slices.Concat(exact, rough) {
		if s.Rank() > tensor.MaxRank {
			t.Fatalf("%s%v: an output of rank %d", op, inputs, s.Rank())
		}
		for _, d := range s.Dims() {
			if d < shape.Unknown {
				t.Fatalf("%s%v: output %v", op, inputs, s)
			}
		}
	}
	if err != nil || slices.Contains(guessing, op) || slices.ContainsFunc(inputs, long) || slices.ContainsFunc(handles, long) {
		return
	}
	if roughErr != nil {
		t.Fatalf("%s%v is %v, but %v fails: %v", op, inputs, exact, blurred, roughErr)
	}
	for i := range exact {
		if !shape.Compatible(exact[i], rough[i]) {
			t.Fatalf("%s%v is %v, but %v is %v", op, inputs, exact, blurred, rough)
		}
	}
}

// repeat returns a property that draws n cases in place of one, all from one seed.
func repeat(n int, check func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		for range n {
			check(t)
		}
	}
}

func TestFunctions(t *testing.T) {
	rapid.Check(t, repeat(30, functions))
}

func FuzzFunctions(f *testing.F) { f.Fuzz(rapid.MakeFuzz(functions)) }
