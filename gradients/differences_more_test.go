package gradients_test

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// f returns an input as float, for operations that take no double: steps are larger then
// and less is asked for.
func (t *trial) f(x graph.Output) graph.Output {
	t.rough = true
	return t.Op("Cast", attrs{"DstT": tensor.Float}, x)
}

// doubles returns those of some outputs that derivatives go through, as doubles.
func (t *trial) doubles(outs ...graph.Output) (list []graph.Output) {
	for _, p := range outs {
		switch p.DataType() {
		case tensor.Double:
			list = append(list, p)
		case tensor.Float:
			list = append(list, t.Op("Cast", attrs{"DstT": tensor.Double}, p))
		case tensor.Complex128:
			part := attrs{"Tout": tensor.Double}
			list = append(list, t.Op("Real", part, p), t.Op("Imag", part, p))
		}
	}
	return list
}

// complex returns a complex input.
func (t *trial) complex(dims ...int64) graph.Output {
	return t.Op("Complex", attrs{"Tout": tensor.Complex128}, t.any(dims...), t.any(dims...))
}

// pairs returns a matrix of two columns.
func (t *trial) pairs(list ...int32) graph.Output {
	return t.Op("Reshape", nil, t.ints(list...), t.ints(-1, 2))
}

// distinct returns an input of numbers that are further apart than any step goes.
func (t *trial) distinct(dims ...int64) graph.Output {
	x := t.any(dims...)
	v := t.values[len(t.values)-1]
	for i, k := range t.Perm(len(v)) {
		v[i] = 2*float64(k)/float64(len(v)) - 1
	}
	return x
}

func complexes(m map[string]func(t *trial) []graph.Output) {
	for _, op := range []string{"Complex", "Real", "Imag", "Angle", "ComplexAbs", "Conj"} {
		m[op] = func(t *trial) []graph.Output {
			z := t.complex(t.size(), t.size())
			switch op {
			case "Complex":
				return t.doubles(z)
			case "Conj":
				return t.doubles(t.Op(op, nil, z))
			}
			return t.doubles(t.Op(op, attrs{"Tout": tensor.Double}, z))
		}
	}
	for _, op := range []string{"IFFT", "IFFT2D", "IFFT3D"} {
		m[op] = func(t *trial) []graph.Output { return t.doubles(t.Op(op, nil, t.complex(t.size(), t.size(), 3, 2))) }
	}
	for op, lengths := range map[string][]int32{"RFFT": {5}, "RFFT2D": {4, 5}} {
		m[op] = func(t *trial) []graph.Output {
			return t.doubles(t.Op(op, attrs{"Tcomplex": tensor.Complex128}, t.any(2, 4, 5), t.ints(lengths...)))
		}
	}
	m["ConjugateTranspose"] = func(t *trial) []graph.Output {
		return t.doubles(t.Op("ConjugateTranspose", nil, t.complex(2, 3, t.size()), t.ints(2, 0, 1)))
	}
	m["Cast"] = func(t *trial) []graph.Output { return t.doubles(t.f(t.any(t.size(), 3))) }
}

// moving are operations that hand on what they take, and some more.
func moving(m map[string]func(t *trial) []graph.Output) {
	m["AccumulateNV2"] = func(t *trial) []graph.Output {
		return t.one("AccumulateNV2", attrs{"shape": graph.MakeShape(2, 3)}, graph.OutputList{t.any(2, 3), t.any(2, 3), t.any(2, 3)})
	}
	m["IdentityN"] = func(t *trial) []graph.Output {
		return t.all("IdentityN", nil, graph.OutputList{t.any(t.size()), t.any(2, t.size())})
	}
	m["EnsureShape"] = func(t *trial) []graph.Output {
		return t.one("EnsureShape", attrs{"shape": graph.MakeShape(-1, 3)}, t.any(t.size(), 3))
	}
	m["PlaceholderWithDefault"] = func(t *trial) []graph.Output {
		return t.one("PlaceholderWithDefault", attrs{"shape": graph.MakeShape(-1, 3)}, t.any(t.size(), 3))
	}
	m["CheckNumericsV2"] = func(t *trial) []graph.Output {
		return t.one("CheckNumericsV2", attrs{"message": "m"}, t.any(t.size(), 3))
	}
	m["PadV2"] = func(t *trial) []graph.Output {
		return t.one("PadV2", nil, t.any(t.size(), 3), t.pairs(1, 0, 2, 1), t.Const(0.7))
	}
	for _, op := range []string{"Floor", "Ceil", "Rint", "Round", "Sign"} { // flat between steps
		m[op] = func(t *trial) []graph.Output { return t.one(op, nil, t.in(0.1, 0.4, t.size(), 3)) }
	}
	for _, op := range []string{"FloorDiv", "TruncateDiv", "FloorMod"} {
		m[op] = func(t *trial) []graph.Output { return t.one(op, nil, t.in(2.1, 2.9, t.size(), 3), t.in(1.9, 2, 3)) }
	}
	m["SpaceToBatch"] = func(t *trial) []graph.Output {
		return t.one("SpaceToBatch", attrs{"block_size": int64(2)}, t.any(t.size(), 3, 4, 2), t.pairs(1, 0, 1, 1))
	}
	m["BatchToSpace"] = func(t *trial) []graph.Output {
		return t.one("BatchToSpace", attrs{"block_size": int64(2)}, t.any(4*t.size(), 3, 2, 2), t.pairs(1, 0, 0, 1))
	}
	m["MatrixDiagV2"] = func(t *trial) []graph.Output {
		return t.one("MatrixDiagV2", nil, t.any(t.size(), 3), t.Const(int32(t.IntN(3)-1)), t.Const(int32(-1)), t.Const(int32(-1)), t.Const(0.0))
	}
	m["MatrixDiagPartV2"] = func(t *trial) []graph.Output {
		return t.one("MatrixDiagPartV2", nil, t.any(t.size(), 3, 4), t.Const(int32(t.IntN(3)-1)), t.Const(0.0))
	}
	m["MatrixSetDiagV2"] = func(t *trial) []graph.Output {
		return t.one("MatrixSetDiagV2", nil, t.any(2, 3, 4), t.any(2, 3), t.Const(int32(t.IntN(2))))
	}
	m["BandedTriangularSolve"] = func(t *trial) []graph.Output {
		lower := t.IntN(2) == 0
		band := t.Op("AddV2", nil, t.any(2, 3), t.Const([][]float64{{4}, {0}}))
		if !lower {
			band = t.Op("AddV2", nil, t.any(2, 3), t.Const([][]float64{{0}, {4}}))
		}
		return t.one("BandedTriangularSolve", attrs{"lower": lower, "adjoint": t.IntN(2) == 0}, band, t.any(3, t.size()))
	}
}

// listed are the operations on lists and arrays, each among what it needs.
func listed(m map[string]func(t *trial) []graph.Output) {
	double := attrs{"element_dtype": tensor.Double}
	rows := func(t *trial, n int64) graph.Output { return t.Op("TensorListFromTensor", nil, t.any(n, 2), t.ints(2)) }
	stack := func(t *trial, list graph.Output) []graph.Output {
		return t.one("TensorListStack", double, list, t.ints(2))
	}
	m["TensorListFromTensor"] = func(t *trial) []graph.Output { return stack(t, rows(t, t.size())) }
	m["TensorListPushBack"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListPushBack", nil, rows(t, t.size()), t.any(2)))
	}
	m["TensorListPopBack"] = func(t *trial) []graph.Output {
		out := t.all("TensorListPopBack", double, rows(t, 2+t.size()), t.ints(2))
		return append(stack(t, out[0]), out[1])
	}
	m["TensorListSetItem"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListSetItem", nil, rows(t, 3), t.Const(int32(t.IntN(3))), t.any(2)))
	}
	m["TensorListGetItem"] = func(t *trial) []graph.Output {
		return t.one("TensorListGetItem", double, rows(t, 3), t.Const(int32(t.IntN(3))), t.ints(2))
	}
	m["TensorListResize"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListResize", nil, rows(t, 3), t.Const(int32(1+t.IntN(5)))))
	}
	m["TensorListGather"] = func(t *trial) []graph.Output {
		list, twice := rows(t, 3), t.ints(2, 0, 2)
		if t.IntN(2) == 0 { // known where the graph runs alone
			twice = t.Op("Add", nil, twice, t.Op("Range", nil, t.Const(int32(0)), t.Op("Size", nil, twice), t.Const(int32(1))))
			twice = t.Op("FloorMod", nil, twice, t.Const(int32(2)))
		}
		return append(t.one("TensorListGather", double, list, t.ints(2, 0), t.ints(2)), t.one("TensorListGather", double, list, twice, t.ints(2))...)
	}
	m["TensorListScatter"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListScatter", nil, t.any(3, 2), t.ints(2, 0, 1), t.ints(2)))
	}
	m["TensorListScatterV2"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListScatterV2", nil, t.any(3, 2), t.ints(2, 0, 3), t.ints(2), t.Const(int32(4))))
	}
	m["TensorListScatterIntoExistingList"] = func(t *trial) []graph.Output {
		return stack(t, t.Op("TensorListScatterIntoExistingList", nil, rows(t, 4), t.any(2, 2), t.ints(3, 1)))
	}
	m["TensorListSplit"] = func(t *trial) []graph.Output {
		list := t.Op("TensorListSplit", nil, t.any(4, 2), t.ints(-1, 2), t.Const([]int64{1, 3}))
		return t.all("TensorListConcat", attrs{"element_dtype": tensor.Double}, list)[:1]
	}
	m["TensorListConcat"] = m["TensorListSplit"]
	m["TensorListConcatV2"] = func(t *trial) []graph.Output {
		list := t.Op("TensorListSplit", nil, t.any(4, 2), t.ints(-1, 2), t.Const([]int64{1, 3}))
		whole := t.all("TensorListConcatV2", double, list, t.ints(-1, 2), t.Const([]int64{}))[:1]
		return append(whole, t.one("TensorListGetItem", double, list, t.Const(int32(1)), t.ints(3, 2))...) // a piece of another size
	}
	array := func(t *trial, n int32) []graph.Output {
		return t.all("TensorArrayV3", attrs{"dtype": tensor.Double, "clear_after_read": false}, t.Const(n))
	}
	m["TensorArrayWriteV3"] = func(t *trial) []graph.Output {
		a := array(t, 2)
		flow := t.Op("TensorArrayWriteV3", nil, a[0], t.Const(int32(1)), t.any(3), a[1])
		flow = t.Op("TensorArrayWriteV3", nil, a[0], t.Const(int32(0)), t.any(3), flow)
		return t.one("TensorArrayGatherV3", attrs{"dtype": tensor.Double}, a[0], t.ints(1, 0), flow)
	}
	m["TensorArrayGatherV3"] = m["TensorArrayWriteV3"]
	m["TensorArrayReadV3"] = func(t *trial) []graph.Output {
		a := array(t, 2)
		flow := t.Op("TensorArrayScatterV3", nil, a[0], t.ints(1, 0), t.any(2, t.size()), a[1])
		read := attrs{"dtype": tensor.Double}
		return []graph.Output{t.Op("TensorArrayReadV3", read, a[0], t.Const(int32(0)), flow), t.Op("TensorArrayReadV3", read, a[0], t.Const(int32(1)), flow)}
	}
	m["TensorArrayScatterV3"] = m["TensorArrayReadV3"]
	m["TensorArraySplitV3"] = func(t *trial) []graph.Output {
		a := array(t, 2)
		flow := t.Op("TensorArraySplitV3", nil, a[0], t.any(4, 2), t.Const([]int64{1, 3}), a[1])
		return t.all("TensorArrayConcatV3", attrs{"dtype": tensor.Double}, a[0], flow)[:1]
	}
	m["TensorArrayConcatV3"] = m["TensorArraySplitV3"]
}

// spatial are further operations on images and volumes.
func spatial(m map[string]func(t *trial) []graph.Output) {
	pool3 := attrs{"ksize": []int64{1, 2, 2, 2, 1}, "strides": []int64{1, 1, 2, 1, 1}, "padding": "VALID"}
	for _, op := range []string{"AvgPool3D", "MaxPool3D"} {
		m[op] = func(t *trial) []graph.Output {
			return t.doubles(t.Op(op, pool3, t.f(t.distinct(1, 3, 4, 3, t.size()))))
		}
	}
	m["AvgPool3DGrad"] = func(t *trial) []graph.Output {
		return t.doubles(t.Op("AvgPool3DGrad", pool3, t.ints(1, 3, 4, 3, 2), t.f(t.any(1, 2, 2, 2, 2))))
	}
	m["MaxPool3DGrad"] = func(t *trial) []graph.Output {
		x := t.f(t.distinct(1, 3, 4, 3, 2))
		return t.doubles(t.Op("MaxPool3DGrad", pool3, x, t.Op("MaxPool3D", pool3, x), t.f(t.any(1, 2, 2, 2, 2))))
	}
	m["MaxPool3DGradGrad"] = func(t *trial) []graph.Output {
		x := t.f(t.distinct(1, 3, 4, 3, 2))
		return t.doubles(t.Op("MaxPool3DGradGrad", pool3, x, t.Op("MaxPool3D", pool3, x), t.f(t.any(1, 3, 4, 3, 2))))
	}
	pool := attrs{"ksize": []int64{1, 2, 2, 1}, "strides": []int64{1, 2, 1, 1}, "padding": "VALID"}
	m["MaxPoolGrad"] = func(t *trial) []graph.Output {
		x := t.any(1, 4, 3, 2)
		return t.one("MaxPoolGrad", pool, x, t.Op("MaxPool", pool, x), t.any(1, 2, 2, 2))
	}
	m["MaxPoolGradGrad"] = func(t *trial) []graph.Output {
		x := t.any(1, 4, 3, 2)
		return t.one("MaxPoolGradGrad", pool, x, t.Op("MaxPool", pool, x), t.any(1, 4, 3, 2))
	}
	m["MaxPoolWithArgmax"] = func(t *trial) []graph.Output { return t.all("MaxPoolWithArgmax", pool, t.any(2, 4, 3, t.size()))[:1] }
	fraction := attrs{"pooling_ratio": []float32{1, 1.44, 1.73, 1}, "deterministic": true, "seed": int64(1), "seed2": int64(2)}
	for _, op := range []string{"FractionalAvgPool", "FractionalMaxPool"} {
		m[op] = func(t *trial) []graph.Output { return t.all(op, fraction, t.any(1, 6, 7, t.size()))[:1] }
	}
	conv3 := attrs{"strides": []int64{1, 1, 1, 1, 1}, "padding": "SAME"}
	m["Conv3DBackpropInputV2"] = func(t *trial) []graph.Output {
		return t.one("Conv3DBackpropInputV2", conv3, t.ints(1, 3, 2, 3, 2), t.any(2, 1, 2, 2, 3), t.any(1, 3, 2, 3, 3))
	}
	m["Conv3DBackpropFilterV2"] = func(t *trial) []graph.Output {
		return t.one("Conv3DBackpropFilterV2", conv3, t.any(1, 3, 2, 3, 2), t.ints(2, 1, 2, 2, 3), t.any(1, 3, 2, 3, 3))
	}
	deep := attrs{"strides": []int64{1, 1, 1, 1}, "padding": "SAME"}
	m["DepthwiseConv2dNativeBackpropInput"] = func(t *trial) []graph.Output {
		return t.one("DepthwiseConv2dNativeBackpropInput", deep, t.ints(1, 3, 4, 2), t.any(2, 2, 2, 2), t.any(1, 3, 4, 4))
	}
	m["DepthwiseConv2dNativeBackpropFilter"] = func(t *trial) []graph.Output {
		return t.one("DepthwiseConv2dNativeBackpropFilter", deep, t.any(1, 3, 4, 2), t.ints(2, 2, 2, 2), t.any(1, 3, 4, 4))
	}
	for _, op := range []string{"ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor"} {
		m[op] = func(t *trial) []graph.Output {
			return t.doubles(t.Op(op, attrs{"half_pixel_centers": t.IntN(2) == 0}, t.f(t.any(1, 3, 4, t.size())), t.ints(5, 3)))
		}
	}
	m["ScaleAndTranslate"] = func(t *trial) []graph.Output {
		return t.doubles(t.Op("ScaleAndTranslate", attrs{"antialias": false}, t.f(t.any(1, 3, 4, 2)), t.ints(5, 3), t.Const([]float32{1.5, 0.8}), t.Const([]float32{0.2, -0.3})))
	}
	m["CropAndResize"] = func(t *trial) []graph.Output { // by boxes TensorFlow's gradient is another
		return t.doubles(t.Op("CropAndResize", nil, t.f(t.any(2, 4, 5, 2)), t.Const([][]float32{{0.1, 0.2, 0.9, 0.7}, {0, 0, 1, 1}}), t.ints(1, 0), t.ints(3, 2)))
	}
}

// normalized are operations on floats that normalize, and products of them.
func normalized(m map[string]func(t *trial) []graph.Output) {
	m["LRN"] = func(t *trial) []graph.Output {
		return t.doubles(t.Op("LRN", attrs{"depth_radius": int64(1), "bias": float32(1), "alpha": float32(0.5)}, t.f(t.any(2, 2, 2, 4))))
	}
	m["SparseMatMul"] = func(t *trial) []graph.Output {
		return t.doubles(t.Op("SparseMatMul", attrs{"transpose_b": true}, t.f(t.any(2, 3)), t.f(t.any(t.size(), 3))))
	}
	for _, op := range []string{"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"} {
		m[op] = func(t *trial) []graph.Output {
			empty := t.Const([]float32{})
			return t.doubles(t.all(op, nil, t.f(t.any(4, 3, 2, 2)), t.f(t.in(0.5, 1.5, 2)), t.f(t.any(2)), empty, empty)[0])
		}
	}
}

// apart says why operations that have a gradient are not tried here.
var apart = map[string]string{
	"Print": "it prints", "PreventGradient": "it has none but an error", "EagerPyFunc": "there is no Python",
	"ArgMax": "integers", "ArgMin": "integers", "NextAfter": "its steps are smaller than a difference",
	"TopK": "graphs of today have TopKV2", "BatchNormWithGlobalNormalization": "graphs of today have none",
	"SparseDenseCwiseAdd": "TensorFlow's says that it is not implemented", "SparseSparseMinimum": "likewise", "SparseSparseMaximum": "likewise",
	"Eig": "phases are free: recorded answers", "CTCLoss": "it takes its gradient from its results: recorded answers",
	"ReadVariableOp": "variables: TestVariablesInLoops, package train", "ResourceGather": "likewise", "ResourceGatherNd": "likewise",
	"ImageProjectiveTransformV2": "TensorFlow's is the inverse transform, and no derivative", "ImageProjectiveTransformV3": "likewise",
	"StatelessParameterizedTruncatedNormal": "TensorFlow's shifts and scales the sample", "RandomGamma": "an implicit derivative: recorded answers",
	"StatelessRandomGammaV2": "likewise", "StatelessRandomGammaV3": "likewise",
	"OptionalFromValue": "variants: recorded answers", "OptionalGetValue": "likewise", "XlaSharding": "it passes on what comes",
	"CompositeTensorVariantFromComponents": "variants: recorded answers", "CompositeTensorVariantToComponents": "likewise",
	"RaggedTensorFromVariant": "likewise", "RaggedTensorToSparse": "likewise",
	"CSRSparseMatrixToSparseTensor": "likewise", "SparseTensorToCSRSparseMatrix": "likewise",
	"BlockLSTM": "floats, over many steps: recorded answers", "BlockLSTMV2": "likewise",
	"FusedBatchNormGrad": "floats, second order: recorded answers", "FusedBatchNormGradV2": "likewise", "FusedBatchNormGradV3": "likewise",
}

// families are the operations of a kind of which none is tried here, by how their
// names begin.
var families = map[string]string{
	"FakeQuant": "what is rounded is passed straight through", "QuantizeAndDequantize": "likewise",
	"_Switch": "control flow: TestLoops", "Switch": "control flow: TestLoops, random programs against dual numbers", "Merge": "likewise", "Enter": "likewise", "Exit": "likewise",
	"NextIteration": "likewise", "LoopCond": "likewise", "If": "likewise", "Case": "likewise", "While": "likewise",
	"StatelessIf": "likewise", "StatelessCase": "likewise", "StatelessWhile": "likewise",
	"RefSwitch": "references", "RefMerge": "likewise", "RefEnter": "likewise", "RefExit": "likewise", "RefNextIteration": "likewise", "RefIdentity": "likewise",
	"TensorArray": "the gradients of the third versions, with older names",
}
