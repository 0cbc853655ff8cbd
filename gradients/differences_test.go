package gradients_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// A trial is a graph round one operation, with inputs of random shapes.
type trial struct {
	*graph.Builder
	*rand.Rand
	known  bool // all shapes are known to the graph
	rough  bool // it computes in float
	xs     []graph.Output
	values [][]float64
	dims   [][]int64
}

type attrs = graph.Attrs

// size returns a random size of a dimension.
func (t *trial) size() int64 { return 1 + t.Int64N(4) }

// in returns an input with numbers from lo to hi, whose shape the graph knows or not.
func (t *trial) in(lo, hi float64, dims ...int64) graph.Output {
	spec := attrs{"dtype": tensor.Double}
	if t.known || t.IntN(2) == 0 {
		spec["shape"] = graph.MakeShape(dims...)
	}
	x := t.Builder.Op("Placeholder", spec)
	v := make([]float64, volume(dims))
	for i := range v {
		v[i] = lo + (hi-lo)*t.Float64()
	}
	t.xs, t.values, t.dims = append(t.xs, x), append(t.values, v), append(t.dims, dims)
	return x
}

// any returns an input of numbers around 0.
func (t *trial) any(dims ...int64) graph.Output { return t.in(-1, 1, dims...) }

func volume(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func (t *trial) ints(list ...int32) graph.Output { return t.Const(slices.Concat([]int32{}, list)) }

// one returns an operation of one output, all is one of several.
func (t *trial) one(op string, a attrs, in ...graph.Input) []graph.Output {
	return []graph.Output{t.Builder.Op(op, a, in...)}
}

func (t *trial) all(op string, a attrs, in ...graph.Input) []graph.Output {
	return gradient.Build(t.Builder).Outputs(op, a, in...)
}

// square is matrices that are easy to solve: random ones with a strong diagonal.
func (t *trial) square(batch, n int64) graph.Output {
	x := t.any(batch, n, n)
	v := t.values[len(t.values)-1]
	for b := range batch {
		for i := range n {
			v[(b*n+i)*n+i] += 3 + float64(i)
		}
	}
	return x
}

// symmetric returns a symmetric matrix of an input.
func (t *trial) symmetric(batch, n int64) graph.Output {
	x := t.square(batch, n)
	return t.Builder.Op("AddV2", nil, x, t.Builder.Op("Transpose", nil, x, t.ints(0, 2, 1)))
}

// smooth returns the operations, of numbers of which they are smooth functions.
func smooth() map[string]func(t *trial) []graph.Output {
	m := map[string]func(t *trial) []graph.Output{}
	shape := func(t *trial) []int64 {
		var dims []int64
		for range t.IntN(3) {
			dims = append(dims, t.size())
		}
		return dims
	}
	unary := func(lo, hi float64, ops ...string) {
		for _, op := range ops {
			m[op] = func(t *trial) []graph.Output { return t.one(op, nil, t.in(lo, hi, shape(t)...)) }
		}
	}
	unary(-1, 1, "Neg", "Square", "Exp", "Expm1", "Sin", "Cos", "Tan", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Sigmoid",
		"Erf", "Erfc", "Identity", "BesselI0", "BesselJ0", "BesselJ1", "Dawsn", "FresnelCos", "FresnelSin",
		"Softplus", "Softsign", "L2Loss")
	m["CheckNumerics"] = func(t *trial) []graph.Output {
		return t.one("CheckNumerics", attrs{"message": "here"}, t.any(t.size()))
	}
	unary(-0.9, 0.9, "Asin", "Acos", "Atanh", "Erfinv")
	unary(0.1, 0.9, "Ndtri")
	unary(1.5, 3, "Acosh", "Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Lgamma", "Digamma", "Abs", "BesselI0e", "BesselI1",
		"BesselI1e", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Expint", "Spence", "Relu", "Relu6", "Elu", "Selu")
	m["LeakyRelu"] = func(t *trial) []graph.Output { return t.one("LeakyRelu", nil, t.in(-3, -1, t.size())) }

	binary := func(lo, hi float64, ops ...string) {
		for _, op := range ops {
			m[op] = func(t *trial) []graph.Output {
				a, b := t.size(), t.size()
				x, y := []int64{a, b}, [][]int64{{a, b}, {b}, {a, 1}, {}}[t.IntN(4)]
				if t.IntN(2) == 0 {
					x, y = y, x
				}
				return t.one(op, nil, t.in(lo, hi, x...), t.in(lo, hi, y...))
			}
		}
	}
	binary(0.5, 2, "Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan", "SquaredDifference", "Maximum", "Minimum",
		"Atan2", "Pow", "Xlogy", "Xlog1py", "Xdivy", "Igamma", "Igammac")
	same := func(ops ...string) {
		for _, op := range ops {
			m[op] = func(t *trial) []graph.Output {
				n := t.size()
				return t.one(op, nil, t.in(0.5, 2, n), t.in(0.5, 2, n))
			}
		}
	}
	same("TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "ReluGrad", "Relu6Grad", "LeakyReluGrad",
		"EluGrad", "SeluGrad", "SoftplusGrad")
	m["Zeta"] = func(t *trial) []graph.Output { return t.one("Zeta", nil, t.Const(2.5), t.in(1, 2, t.size())) }
	m["Polygamma"] = func(t *trial) []graph.Output { return t.one("Polygamma", nil, t.Const(1.0), t.in(1, 2, t.size())) }
	m["Betainc"] = func(t *trial) []graph.Output {
		return t.one("Betainc", nil, t.Const(1.5), t.Const(2.5), t.in(0.1, 0.9, t.size()))
	}
	m["ClipByValue"] = func(t *trial) []graph.Output {
		return t.one("ClipByValue", nil, t.in(-3, 3, t.size(), t.size()), t.in(-1.1, -0.9), t.in(0.9, 1.1))
	}
	m["AddN"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("AddN", nil, graph.OutputList{t.any(n), t.any(n), t.any(n)})
	}
	m["Cross"] = func(t *trial) []graph.Output { n := t.size(); return t.one("Cross", nil, t.any(n, 3), t.any(n, 3)) }

	for _, op := range []string{"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"} {
		m[op] = func(t *trial) []graph.Output {
			axes := [][]int32{{}, {0}, {-1}, {0, 2}, {0, 1, 2}}[t.IntN(5)]
			return t.one(op, attrs{"keep_dims": t.IntN(2) == 0}, t.in(0.5, 2, t.size(), t.size(), t.size()), t.ints(axes...))
		}
	}
	for _, op := range []string{"Cumsum", "Cumprod", "CumulativeLogsumexp"} {
		m[op] = func(t *trial) []graph.Output {
			flags := attrs{"exclusive": t.IntN(2) == 0 && op != "CumulativeLogsumexp", "reverse": t.IntN(2) == 0}
			return t.one(op, flags, t.in(0.5, 2, t.size(), t.size()), t.Const(int32(t.IntN(2))))
		}
	}
	for _, how := range []string{"Sum", "Mean", "Prod", "Max", "Min"} {
		m["Segment"+how] = func(t *trial) []graph.Output {
			return t.one("Segment"+how, nil, t.in(0.5, 2, 4, t.size()), t.ints(0, 0, 1, 2))
		}
		if how == "Mean" {
			continue
		}
		m["UnsortedSegment"+how] = func(t *trial) []graph.Output {
			y := t.Builder.Op("UnsortedSegment"+how, nil, t.in(0.5, 2, 4, t.size()), t.ints(1, -1, 0, 1), t.Const(int32(2)))
			return []graph.Output{y}
		}
	}
	for _, how := range []string{"Sum", "Mean", "SqrtN"} {
		m["SparseSegment"+how] = func(t *trial) []graph.Output {
			return t.one("SparseSegment"+how, attrs{"sparse_gradient": t.IntN(2) == 0}, t.any(4, t.size()), t.ints(3, 1, 1, 0), t.ints(0, 0, 1, 2))
		}
		m["SparseSegment"+how+"WithNumSegments"] = func(t *trial) []graph.Output {
			return t.one("SparseSegment"+how+"WithNumSegments", nil, t.any(4, t.size()), t.ints(3, 1), t.ints(0, 2), t.Const(int32(4)))
		}
	}
	m["MatMul"] = func(t *trial) []graph.Output {
		a, b, c := t.size(), t.size(), t.size()
		ta, tb := t.IntN(2) == 0, t.IntN(2) == 0
		x, y := []int64{a, b}, []int64{b, c}
		if ta {
			slices.Reverse(x)
		}
		if tb {
			slices.Reverse(y)
		}
		return t.one("MatMul", attrs{"transpose_a": ta, "transpose_b": tb}, t.any(x...), t.any(y...))
	}
	for _, op := range []string{"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"} {
		m[op] = func(t *trial) []graph.Output {
			a, b, c, n := t.size(), t.size(), t.size(), t.size()
			k := n
			if op != "BatchMatMul" && t.IntN(2) == 0 {
				k = 1
			}
			x, y := []int64{n, a, b}, []int64{k, b, c}
			spec := attrs{"adj_x": t.IntN(2) == 0, "adj_y": t.IntN(2) == 0}
			if spec["adj_x"].(bool) {
				x[1], x[2] = b, a
			}
			if spec["adj_y"].(bool) {
				y[1], y[2] = c, b
			}
			if op == "BatchMatMulV3" {
				spec["Tout"] = tensor.Double
			}
			return t.one(op, spec, t.any(x...), t.any(y...))
		}
	}
	m["Einsum"] = func(t *trial) []graph.Output {
		a, b, c := t.size(), t.size(), t.size()
		switch t.IntN(4) {
		case 0:
			return t.one("Einsum", attrs{"equation": "...ij,jk->k...i"}, graph.OutputList{t.any(t.size(), a, b), t.any(b, c)})
		case 1:
			return t.one("Einsum", attrs{"equation": "ii->i"}, graph.OutputList{t.any(a, a)})
		case 2:
			return t.one("Einsum", attrs{"equation": "ijk,k->i"}, graph.OutputList{t.any(a, b, c), t.any(c)})
		}
		return t.one("Einsum", attrs{"equation": "...a,...a->..."}, graph.OutputList{t.any(b, 1, a), t.any(c, a)})
	}
	structural(m)
	images(m)
	matrices(m)
	held(m)
	return m
}

// structural are the operations that move elements.
func structural(m map[string]func(t *trial) []graph.Output) {
	m["Reshape"] = func(t *trial) []graph.Output { return t.one("Reshape", nil, t.any(2, t.size()), t.ints(-1)) }
	m["ExpandDims"] = func(t *trial) []graph.Output { return t.one("ExpandDims", nil, t.any(2, t.size()), t.Const(int32(1))) }
	m["Squeeze"] = func(t *trial) []graph.Output { return t.one("Squeeze", nil, t.any(1, t.size())) }
	m["Transpose"] = func(t *trial) []graph.Output {
		return t.one("Transpose", nil, t.any(t.size(), t.size(), t.size()), t.ints(1, 2, 0))
	}
	m["Fill"] = func(t *trial) []graph.Output { return t.one("Fill", nil, t.ints(int32(t.size()), 2), t.any()) }
	m["Tile"] = func(t *trial) []graph.Output { return t.one("Tile", nil, t.any(t.size(), t.size()), t.ints(2, 3)) }
	m["BroadcastTo"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("BroadcastTo", nil, t.any(n, 1), t.ints(2, int32(n), 3))
	}
	m["Pack"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("Pack", attrs{"axis": t.Int64N(2)}, graph.OutputList{t.any(n), t.any(n)})
	}
	m["Unpack"] = func(t *trial) []graph.Output {
		return t.all("Unpack", attrs{"num": int64(3), "axis": int64(1)}, t.any(t.size(), 3))
	}
	m["ConcatV2"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("ConcatV2", nil, graph.OutputList{t.any(n, t.size()), t.any(n, t.size())}, t.Const(int32(-1)))
	}
	m["Concat"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("Concat", nil, t.Const(int32(0)), graph.OutputList{t.any(t.size(), n), t.any(t.size(), n)})
	}
	m["Split"] = func(t *trial) []graph.Output {
		return t.all("Split", attrs{"num_split": int64(2)}, t.Const(int32(1)), t.any(t.size(), 4))
	}
	m["SplitV"] = func(t *trial) []graph.Output {
		return t.all("SplitV", attrs{"num_split": int64(2)}, t.any(5, t.size()), t.ints(2, 3), t.Const(int32(0)))
	}
	m["Slice"] = func(t *trial) []graph.Output { return t.one("Slice", nil, t.any(4, 3), t.ints(1, 0), t.ints(2, -1)) }
	m["StridedSlice"] = func(t *trial) []graph.Output {
		return t.one("StridedSlice", attrs{"shrink_axis_mask": int64(2)}, t.any(5, 3, t.size()), t.ints(4, 1), t.ints(0, 2), t.ints(-2, 1))
	}
	m["StridedSliceGrad"] = func(t *trial) []graph.Output {
		return t.one("StridedSliceGrad", nil, t.ints(5), t.ints(0), t.ints(5), t.ints(2), t.any(3))
	}
	m["TensorStridedSliceUpdate"] = func(t *trial) []graph.Output {
		return t.one("TensorStridedSliceUpdate", nil, t.any(5), t.ints(0), t.ints(5), t.ints(2), t.any(3))
	}
	m["Pad"] = func(t *trial) []graph.Output {
		return t.one("Pad", nil, t.any(t.size(), t.size()), t.Builder.Op("Reshape", nil, t.ints(1, 2, 0, 1), t.ints(2, 2)))
	}
	for _, op := range []string{"MirrorPad", "MirrorPadGrad"} {
		m[op] = func(t *trial) []graph.Output {
			return t.one(op, attrs{"mode": "REFLECT"}, t.any(6, 3), t.Builder.Op("Reshape", nil, t.ints(1, 2, 0, 0), t.ints(2, 2)))
		}
	}
	m["Reverse"] = func(t *trial) []graph.Output {
		return t.one("Reverse", nil, t.any(t.size(), t.size()), t.Const([]bool{true, false}))
	}
	m["ReverseV2"] = func(t *trial) []graph.Output { return t.one("ReverseV2", nil, t.any(t.size(), t.size()), t.ints(1)) }
	m["ReverseSequence"] = func(t *trial) []graph.Output {
		return t.one("ReverseSequence", attrs{"seq_dim": int64(1)}, t.any(2, 4), t.ints(3, 1))
	}
	m["Roll"] = func(t *trial) []graph.Output {
		return t.one("Roll", nil, t.any(t.size(), t.size()), t.ints(1), t.ints(1))
	}
	m["Gather"] = func(t *trial) []graph.Output { return t.one("Gather", nil, t.any(3, t.size()), t.ints(2, 0, 2)) }
	m["GatherV2"] = func(t *trial) []graph.Output {
		if t.IntN(2) == 0 {
			indices := t.Builder.Op("Reshape", nil, t.ints(0, 2, 1, 1), t.ints(2, 2))
			return t.one("GatherV2", attrs{"batch_dims": int64(1)}, t.any(2, t.size(), 3), indices, t.Const(int32(2)))
		}
		return t.one("GatherV2", nil, t.any(t.size(), 3), t.ints(2, 0, 2), t.Const(int32(1)))
	}
	pairs := func(t *trial) graph.Output { return t.Builder.Op("Reshape", nil, t.ints(0, 1, 2, 0), t.ints(2, 2)) }
	m["GatherNd"] = func(t *trial) []graph.Output { return t.one("GatherNd", nil, t.any(3, 2, t.size()), pairs(t)) }
	m["ScatterNd"] = func(t *trial) []graph.Output { return t.one("ScatterNd", nil, pairs(t), t.any(2), t.ints(3, 2)) }
	for _, op := range []string{"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"} {
		m[op] = func(t *trial) []graph.Output { return t.one(op, nil, t.any(3, 2), pairs(t), t.any(2)) }
	}
	m["ScatterNdNonAliasingAdd"] = func(t *trial) []graph.Output {
		return t.one("ScatterNdNonAliasingAdd", nil, t.any(3, 2), pairs(t), t.any(2))
	}
	m["DynamicPartition"] = func(t *trial) []graph.Output {
		return t.all("DynamicPartition", attrs{"num_partitions": int64(3)}, t.any(4, t.size()), t.ints(2, 0, 2, 0))
	}
	for _, op := range []string{"DynamicStitch", "ParallelDynamicStitch"} {
		m[op] = func(t *trial) []graph.Output {
			n := t.size()
			return t.one(op, nil, graph.OutputList{t.ints(2, 0), t.ints(1)}, graph.OutputList{t.any(2, n), t.any(1, n)})
		}
	}
	m["Select"] = func(t *trial) []graph.Output {
		return t.one("Select", nil, t.Const([]bool{true, false}), t.any(2, 3), t.any(2, 3))
	}
	m["SelectV2"] = func(t *trial) []graph.Output {
		return t.one("SelectV2", nil, t.Const([]bool{true, false}), t.any(t.size(), 2), t.any())
	}
	for _, op := range []string{"Diag", "DiagPart", "MatrixDiag", "MatrixDiagPart"} {
		m[op] = func(t *trial) []graph.Output {
			n := t.size()
			if op == "Diag" || op == "MatrixDiag" {
				return t.one(op, nil, t.any(n))
			}
			return t.one(op, nil, t.any(n, n))
		}
	}
	m["MatrixSetDiag"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("MatrixSetDiag", nil, t.any(n, n), t.any(n))
	}
	m["MatrixDiagPartV3"] = func(t *trial) []graph.Output {
		return t.one("MatrixDiagPartV3", nil, t.any(2, 3, 4), t.ints(-1, 1), t.Const(0.0))
	}
	m["MatrixDiagV3"] = func(t *trial) []graph.Output {
		return t.one("MatrixDiagV3", nil, t.any(2, 3), t.Const(int32(1)), t.Const(int32(-1)), t.Const(int32(-1)), t.Const(0.0))
	}
	m["MatrixSetDiagV3"] = func(t *trial) []graph.Output {
		return t.one("MatrixSetDiagV3", nil, t.any(3, 4), t.any(2, 3), t.ints(0, 1))
	}
	m["MatrixBandPart"] = func(t *trial) []graph.Output {
		return t.one("MatrixBandPart", nil, t.any(3, 4), t.Const(int64(1)), t.Const(int64(0)))
	}
}

// images are the operations of networks on images, and softmax.
func images(m map[string]func(t *trial) []graph.Output) {
	windows := attrs{"strides": []int64{1, 2, 1, 1}, "padding": "SAME"}
	with := func(extra attrs) attrs {
		all := attrs{}
		for k, v := range windows {
			all[k] = v
		}
		for k, v := range extra {
			all[k] = v
		}
		return all
	}
	m["Conv2D"] = func(t *trial) []graph.Output {
		c := t.size()
		return t.one("Conv2D", windows, t.any(2, 5, 4, c), t.any(3, 2, c, 2))
	}
	m["Conv2DBackpropInput"] = func(t *trial) []graph.Output {
		return t.one("Conv2DBackpropInput", windows, t.ints(2, 5, 4, 3), t.any(3, 2, 3, 2), t.any(2, 3, 4, 2))
	}
	m["Conv2DBackpropFilter"] = func(t *trial) []graph.Output {
		return t.one("Conv2DBackpropFilter", windows, t.any(2, 5, 4, 3), t.ints(3, 2, 3, 2), t.any(2, 3, 4, 2))
	}
	m["DepthwiseConv2dNative"] = func(t *trial) []graph.Output {
		c := t.size()
		return t.one("DepthwiseConv2dNative", attrs{"strides": []int64{1, 1, 1, 1}, "padding": "VALID"}, t.any(2, 4, 4, c), t.any(3, 2, c, 2))
	}
	m["Conv3D"] = func(t *trial) []graph.Output {
		return t.one("Conv3D", attrs{"strides": []int64{1, 1, 1, 1, 1}, "padding": "SAME"}, t.any(1, 3, 3, 2, 2), t.any(2, 2, 2, 2, 1))
	}
	pool := with(attrs{"ksize": []int64{1, 2, 2, 1}})
	for _, op := range []string{"AvgPool", "MaxPool"} {
		m[op] = func(t *trial) []graph.Output { return t.one(op, pool, t.any(2, 5, 4, t.size())) }
	}
	m["AvgPoolGrad"] = func(t *trial) []graph.Output {
		return t.one("AvgPoolGrad", pool, t.ints(2, 5, 4, 3), t.any(2, 3, 4, 3))
	}
	m["Dilation2D"] = func(t *trial) []graph.Output {
		return t.one("Dilation2D", attrs{"strides": []int64{1, 1, 1, 1}, "rates": []int64{1, 1, 1, 1}, "padding": "VALID"}, t.any(1, 4, 4, 2), t.any(2, 2, 2))
	}
	m["BiasAdd"] = func(t *trial) []graph.Output {
		c := t.size()
		return t.one("BiasAdd", nil, t.any(2, t.size(), c), t.any(c))
	}
	m["BiasAddV1"] = func(t *trial) []graph.Output {
		c := t.size()
		return t.one("BiasAddV1", nil, t.any(2, t.size(), c), t.any(c))
	}
	m["BiasAddGrad"] = func(t *trial) []graph.Output {
		return t.one("BiasAddGrad", attrs{"data_format": []string{"NHWC", "NCHW"}[t.IntN(2)]}, t.any(2, 3, t.size()))
	}
	m["Softmax"] = func(t *trial) []graph.Output { return t.one("Softmax", nil, t.any(t.size(), t.size())) }
	m["LogSoftmax"] = func(t *trial) []graph.Output { return t.one("LogSoftmax", nil, t.any(t.size(), t.size())) }
	m["SoftmaxCrossEntropyWithLogits"] = func(t *trial) []graph.Output {
		n, k := t.size(), t.size()
		labels := t.Builder.Op("Softmax", nil, t.any(n, k)) // their sum has to be 1
		return t.one("SoftmaxCrossEntropyWithLogits", nil, t.any(n, k), labels)
	}
	m["SparseSoftmaxCrossEntropyWithLogits"] = func(t *trial) []graph.Output {
		return t.all("SparseSoftmaxCrossEntropyWithLogits", nil, t.any(3, 4), t.ints(1, 3, 0))
	}
	m["TopKV2"] = func(t *trial) []graph.Output { return t.one("TopKV2", nil, t.any(t.size(), 5), t.Const(int32(3))) }
	m["NthElement"] = func(t *trial) []graph.Output { return t.one("NthElement", nil, t.any(t.size(), 5), t.Const(int32(2))) }
	m["ExtractImagePatches"] = func(t *trial) []graph.Output {
		return t.one("ExtractImagePatches", attrs{"ksizes": []int64{1, 2, 3, 1}, "strides": []int64{1, 1, 2, 1}, "rates": []int64{1, 2, 1, 1}, "padding": "SAME"}, t.any(2, 5, 4, t.size()))
	}
	m["DepthToSpace"] = func(t *trial) []graph.Output {
		return t.one("DepthToSpace", attrs{"block_size": int64(2)}, t.any(1, t.size(), 2, 8))
	}
	m["SpaceToDepth"] = func(t *trial) []graph.Output {
		return t.one("SpaceToDepth", attrs{"block_size": int64(2)}, t.any(1, 4, 2, t.size()))
	}
	m["SpaceToBatchND"] = func(t *trial) []graph.Output {
		return t.one("SpaceToBatchND", nil, t.any(2, 3, t.size()), t.ints(2), t.Builder.Op("Reshape", nil, t.ints(1, 0), t.ints(1, 2)))
	}
	m["BatchToSpaceND"] = func(t *trial) []graph.Output {
		return t.one("BatchToSpaceND", nil, t.any(4, 3, t.size()), t.ints(2), t.Builder.Op("Reshape", nil, t.ints(1, 0), t.ints(1, 2)))
	}
	m["RGBToHSV"] = func(t *trial) []graph.Output { return t.one("RGBToHSV", nil, t.in(0, 1, t.size(), 3)) }
}

// matrices are the operations of linear algebra.
func matrices(m map[string]func(t *trial) []graph.Output) {
	for _, op := range []string{"MatrixInverse", "MatrixDeterminant", "MatrixSquareRoot"} {
		m[op] = func(t *trial) []graph.Output { return t.one(op, nil, t.square(t.size(), t.size())) }
	}
	m["LogMatrixDeterminant"] = func(t *trial) []graph.Output {
		return t.all("LogMatrixDeterminant", nil, t.square(t.size(), t.size()))[1:]
	}
	m["Cholesky"] = func(t *trial) []graph.Output { return t.one("Cholesky", nil, t.symmetric(t.size(), t.size())) }
	m["SelfAdjointEigV2"] = func(t *trial) []graph.Output { return t.all("SelfAdjointEigV2", nil, t.symmetric(2, t.size())) }
	m["Qr"] = func(t *trial) []graph.Output {
		t.known = true
		switch t.IntN(3) {
		case 0:
			return t.all("Qr", nil, t.any(2, 4, 3))
		case 1:
			return t.all("Qr", nil, t.any(2, 2, 4))
		}
		return t.all("Qr", nil, t.square(1, 3))
	}
	m["Svd"] = func(t *trial) []graph.Output { // signs are free, so of the vectors their squares
		svd := t.all("Svd", nil, t.any([][]int64{{3, 3}, {4, 2}, {2, 3}}[t.IntN(3)]...))
		return []graph.Output{svd[0], t.Builder.Op("Square", nil, svd[1]), t.Builder.Op("Square", nil, svd[2])}
	}
	m["MatrixSolve"] = func(t *trial) []graph.Output {
		b, n := t.size(), t.size()
		return t.one("MatrixSolve", attrs{"adjoint": t.IntN(2) == 0}, t.square(b, n), t.any(b, n, t.size()))
	}
	m["MatrixTriangularSolve"] = func(t *trial) []graph.Output {
		b, n := t.size(), t.size()
		return t.one("MatrixTriangularSolve", attrs{"adjoint": t.IntN(2) == 0, "lower": t.IntN(2) == 0}, t.square(b, n), t.any(b, n, t.size()))
	}
	m["MatrixSolveLs"] = func(t *trial) []graph.Output {
		rows := [][]int64{{4, 2}, {2, 4}}[t.IntN(2)]
		return t.one("MatrixSolveLs", nil, t.any(rows...), t.any(rows[0], t.size()), t.Const(0.3))
	}
	m["TridiagonalMatMul"] = func(t *trial) []graph.Output {
		n := t.size()
		return t.one("TridiagonalMatMul", nil, t.any(2, 1, n), t.any(2, 1, n), t.any(2, 1, n), t.any(2, n, t.size()))
	}
	m["TridiagonalSolve"] = func(t *trial) []graph.Output {
		return t.one("TridiagonalSolve", nil, t.Builder.Op("AddV2", nil, t.any(3, 4), t.Const([][]float64{{0}, {4}, {0}})), t.any(4, t.size()))
	}
}

// The derivative of a weighted sum of an operation's results along a random
// direction equals what its gradient says, for random shapes, known and not.
func TestFiniteDifferences(t *testing.T) {
	functions := smooth()
	for _, more := range []func(map[string]func(*trial) []graph.Output){complexes, moving, listed, spatial, normalized} {
		more(functions)
	}
	for op, build := range functions {
		if f, ok := gradient.Lookup(op); !ok || f == nil {
			t.Errorf("%s has no gradient", op)
			continue
		}
		hash := fnv.New64()
		hash.Write([]byte(op))
		for seed := range uint64(3) {
			compare(t, op, build, rand.New(rand.NewPCG(hash.Sum64(), seed)))
		}
	}
	for _, op := range gradient.Ops() {
		if _, err := registry.Global.Lookup(op); err != nil {
			continue // a name that _gradient_op_type gives
		}
		why := apart[op]
		for name, reason := range families {
			if strings.HasPrefix(op, name) {
				why = reason
			}
		}
		if functions[op] == nil && why == "" {
			t.Errorf("%s has a gradient that is not tried", op)
		}
		if functions[op] != nil && apart[op] != "" {
			t.Errorf("%s is tried and said not to be", op)
		}
	}
}

func compare(t *testing.T, op string, build func(*trial) []graph.Output, rng *rand.Rand) {
	t.Helper()
	g := graph.New()
	tr := &trial{Builder: graph.NewBuilder(g), Rand: rng}
	ys := build(tr)
	var loss graph.OutputList
	for _, y := range ys {
		if y.Op == nil || y.DataType() != tensor.Double {
			continue
		}
		// Weights that no shape has to be known for: a wave over the elements' places.
		flat := tr.Op("Reshape", nil, y, tr.ints(-1))
		places := tr.Op("Range", nil, tr.Const(int32(0)), tr.Op("Size", nil, y), tr.Const(int32(1)))
		wave := tr.Op("Sin", nil, tr.Op("AddV2", nil, tr.Op("Cast", attrs{"DstT": tensor.Double}, places), tr.Const(rng.Float64()+0.5)))
		loss = append(loss, tr.Op("Sum", nil, tr.Op("Mul", nil, flat, wave), tr.ints(0)))
	}
	if err := tr.Err(); err != nil {
		t.Errorf("%s: %v", op, err)
		return
	}
	total := tr.Op("AddN", nil, loss)
	dxs, err := gradients.Dense(g, []graph.Output{total}, tr.xs, gradients.Options{})
	if err != nil {
		t.Errorf("%s: %v", op, err)
		return
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	direction := make([][]float64, len(tr.xs))
	for i, v := range tr.values {
		for range v {
			direction[i] = append(direction[i], 2*rng.Float64()-1)
		}
	}
	run := func(step float64, fetches ...graph.Output) []*tensor.Tensor {
		feeds := map[graph.Output]*tensor.Tensor{}
		for i, x := range tr.xs {
			moved := slices.Clone(tr.values[i])
			for k := range moved {
				moved[k] += step * direction[i][k]
			}
			if feeds[x], err = tensor.FromSlice(moved, tr.dims[i]...); err != nil {
				t.Fatal(err)
			}
		}
		out, err := s.Run(feeds, fetches, nil)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return out
	}
	number := func(x *tensor.Tensor) float64 {
		data, err := tensor.Data[float64](x)
		if err != nil {
			t.Fatal(err)
		}
		return data[0]
	}
	step, tolerance := 1e-6, 1e-5
	if tr.rough {
		step, tolerance = 4e-3, 5e-3
	}
	want := (number(run(step, total)[0]) - number(run(-step, total)[0])) / (2 * step)
	got := 0.0
	for i, dx := range run(0, dxs...) {
		data, err := tensor.Data[float64](dx)
		if err != nil || len(data) != len(direction[i]) {
			t.Errorf("%s: gradient %d has %d elements, its x %d (%v)", op, i, len(data), len(direction[i]), err)
			return
		}
		for k, d := range data {
			got += d * direction[i][k]
		}
	}
	if math.Abs(got-want) > tolerance*(1+math.Abs(want)) || math.IsNaN(got) {
		t.Errorf("%s: the derivative is %v, by differences %v (shapes %v)", op, got, want, tr.dims)
	}
}
