package gradients_test

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// held are the operations on sparse and ragged tensors, lists, arrays and optionals,
// and Fourier transforms, between what leads into them and out of them.
func held(m map[string]func(t *trial) []graph.Output) {
	shape := func(t *trial) graph.Output { return t.Const([]int64{3, 4}) }
	at := func(t *trial) graph.Output { return t.Const([][]int64{{0, 1}, {1, 0}, {1, 3}}) }
	m["SparseAdd"] = func(t *trial) []graph.Output {
		other := t.Const([][]int64{{0, 1}, {2, 2}})
		return t.all("SparseAdd", nil, at(t), t.any(3), shape(t), other, t.any(2), shape(t), t.Const(0.0))
	}
	m["SparseSlice"] = func(t *trial) []graph.Output {
		return t.all("SparseSlice", nil, at(t), t.any(3), shape(t), t.Const([]int64{1, 0}), t.Const([]int64{2, 3}))
	}
	m["SparseReorder"] = func(t *trial) []graph.Output {
		return t.all("SparseReorder", nil, t.Const([][]int64{{2, 0}, {0, 1}, {1, 1}}), t.any(3), shape(t))
	}
	m["SparseFillEmptyRows"] = func(t *trial) []graph.Output {
		return t.all("SparseFillEmptyRows", nil, at(t), t.any(3), shape(t), t.any())
	}
	m["RaggedFillEmptyRows"] = func(t *trial) []graph.Output {
		return t.all("RaggedFillEmptyRows", nil, t.Const([]int64{0, 2, 2}), t.any(3), t.Const(int64(4)), t.any())
	}
	m["ExtractVolumePatches"] = func(t *trial) []graph.Output {
		return t.one("ExtractVolumePatches", attrs{"ksizes": []int64{1, 2, 1, 3, 1}, "strides": []int64{1, 1, 2, 1, 1}, "padding": "SAME"}, t.any(2, 3, 2, 4, t.size()))
	}
	m["SparseToDense"] = func(t *trial) []graph.Output { return t.one("SparseToDense", nil, at(t), shape(t), t.any(3), t.any()) }
	m["SparseTensorDenseMatMul"] = func(t *trial) []graph.Output {
		adjoint := t.IntN(2) == 0
		rows := int64(4)
		if adjoint {
			rows = 3
		}
		return t.one("SparseTensorDenseMatMul", attrs{"adjoint_a": adjoint}, at(t), t.any(3), shape(t), t.any(rows, t.size()))
	}
	m["SparseTensorDenseAdd"] = func(t *trial) []graph.Output {
		return t.one("SparseTensorDenseAdd", nil, at(t), t.any(3), shape(t), t.any(3, 4))
	}
	for _, op := range []string{"SparseDenseCwiseMul", "SparseDenseCwiseDiv"} {
		m[op] = func(t *trial) []graph.Output {
			return t.one(op, nil, at(t), t.any(3), shape(t), t.in(1, 2, [][]int64{{3, 4}, {4}, {3, 1}}[t.IntN(3)]...))
		}
	}
	m["SparseReduceSum"] = func(t *trial) []graph.Output {
		return t.one("SparseReduceSum", attrs{"keep_dims": t.IntN(2) == 0}, at(t), t.any(3), shape(t), t.ints(int32(t.IntN(2))))
	}
	m["SparseSoftmax"] = func(t *trial) []graph.Output { return t.one("SparseSoftmax", nil, at(t), t.any(3), shape(t)) }

	splits := func(t *trial) graph.OutputList { return graph.OutputList{t.Const([]int64{0, 2, 2, 3})} }
	m["RaggedTensorToVariant"] = func(t *trial) []graph.Output {
		t.known = true
		encoded := t.Builder.Op("RaggedTensorToVariant", attrs{"batched_input": true, "Tsplits": tensor.Int64}, splits(t), t.any(3, t.size()))
		return t.all("RaggedTensorFromVariant", attrs{"input_ragged_rank": int64(0), "output_ragged_rank": int64(1), "Tvalues": tensor.Double}, encoded)
	}
	m["RaggedGather"] = func(t *trial) []graph.Output {
		return t.all("RaggedGather", attrs{"OUTPUT_RAGGED_RANK": int64(1), "Tsplits": tensor.Int64}, splits(t), t.any(3, t.size()), t.ints(2, 0, 2))
	}
	m["RaggedTensorToTensor"] = func(t *trial) []graph.Output {
		rows := graph.OutputList{t.Const([]int64{0, 2, 2, 3})}
		return t.one("RaggedTensorToTensor", attrs{"row_partition_types": []string{"ROW_SPLITS"}}, t.Const([]int64{-1, -1}), t.any(3), t.any(), rows)
	}

	m["TensorListStack"] = func(t *trial) []graph.Output {
		n := t.size()
		double := attrs{"element_dtype": tensor.Double}
		list := t.Builder.Op("TensorListFromTensor", nil, t.any(3, n), t.ints(-1))
		list = t.Builder.Op("TensorListSetItem", nil, list, t.Const(int32(1)), t.any(n))
		list = t.Builder.Op("TensorListPushBack", nil, list, t.any(n))
		item := t.Builder.Op("TensorListGetItem", double, list, t.Const(int32(2)), t.ints(-1))
		return []graph.Output{t.Builder.Op("TensorListStack", double, list, t.ints(-1)), item}
	}
	m["TensorArrayReadV3"] = func(t *trial) []graph.Output {
		n := t.size()
		array := t.all("TensorArrayV3", attrs{"dtype": tensor.Double, "clear_after_read": false}, t.Const(int32(3)))
		if array == nil {
			return nil
		}
		handle, flow := array[0], array[1]
		flow = t.Builder.Op("TensorArrayScatterV3", nil, handle, t.ints(0, 2), t.any(2, n), flow)
		flow = t.Builder.Op("TensorArrayWriteV3", nil, handle, t.Const(int32(1)), t.any(n), flow)
		double := attrs{"dtype": tensor.Double}
		return []graph.Output{
			t.Builder.Op("TensorArrayReadV3", double, handle, t.Const(int32(1)), flow),
			t.Builder.Op("TensorArrayGatherV3", double, handle, t.ints(2, 1, 0), flow),
		}
	}

	for _, d := range []struct {
		suffix string
		dims   []int64
	}{{"", []int64{6}}, {"", []int64{5}}, {"2D", []int64{3, 4}}} {
		m["IRFFT"+d.suffix] = func(t *trial) []graph.Output {
			var lengths []int32
			for _, n := range d.dims {
				lengths = append(lengths, int32(n))
			}
			wide := attrs{"Tcomplex": tensor.Complex128}
			spectrum := t.Builder.Op("RFFT"+d.suffix, wide, t.any(append([]int64{2}, d.dims...)...), t.ints(lengths...))
			filtered := t.Builder.Op("Mul", nil, spectrum, t.Const(complex(0.5, 1.5)))
			return t.one("IRFFT"+d.suffix, attrs{"Treal": tensor.Double}, filtered, t.ints(lengths...))
		}
	}
	for suffix, dims := range map[string][]int64{"": {5}, "2D": {3, 4}, "3D": {2, 3, 2}} {
		m["FFT"+suffix] = func(t *trial) []graph.Output {
			wide := attrs{"Tout": tensor.Complex128}
			z := t.Builder.Op("Complex", wide, t.any(dims...), t.any(dims...))
			back := t.Builder.Op("IFFT"+suffix, nil, t.Builder.Op("Square", nil, t.Builder.Op("FFT"+suffix, nil, z)))
			real := attrs{"Tout": tensor.Double}
			return []graph.Output{t.Builder.Op("Real", real, back), t.Builder.Op("Imag", real, back)}
		}
	}
	m["MaxPoolV2"] = func(t *trial) []graph.Output {
		return t.one("MaxPoolV2", attrs{"padding": "SAME"}, t.any(2, 4, 3, t.size()), t.ints(1, 2, 2, 1), t.ints(1, 2, 1, 1))
	}
	m["MaxPoolGradV2"] = func(t *trial) []graph.Output {
		x := t.Const([][][][]float64{{{{1}, {5}, {2}}, {{4}, {3}, {0}}}})
		y := t.Const([][][][]float64{{{{5}, {5}}}})
		return t.one("MaxPoolGradV2", attrs{"padding": "VALID"}, x, y, t.any(1, 1, 2, 1), t.ints(1, 2, 2, 1), t.ints(1, 1, 1, 1))
	}
}
