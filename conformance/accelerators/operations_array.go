package accelerators

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

type attrs = registry.Attrs

// sorted numbers rise in each row.
func sorted(rows, columns int) *tensor.Tensor {
	x := make([]float32, rows*columns)
	for i := range x {
		x[i] = float32(i%columns/2) - float32(i/columns)
	}
	return must1(tensor.FromSlice(x, int64(rows), int64(columns)))
}

// arrayOperations rearrange elements, or take them where indices say.
func arrayOperations(rng *rand.Rand) []operation {
	f := floatsOf(rng)
	x, zero := f(4, 5, 6), one(float32(0))
	bools := random(rng, tensor.Bool, 3, 4)
	k := func(x ...int32) *tensor.Tensor { return list(x...) }
	all := []operation{
		{op: "IdentityN", in: in{x, bools}},
		{op: "EnsureShape", attrs: attrs{{Name: "shape", Value: registry.AttrValue{Kind: registry.KindShape, Shape: registry.Shape{Dims: []int64{4, -1, 6}}}}}, in: in{x}},
		{op: "Bitcast", attrs: attrs{typed("type", tensor.Int64)}, in: in{f(3, 2)}},
		{op: "DeepCopy", in: in{x}},
		{op: "ShapeN", in: in{x, f(2), f()}},
		{op: "ReverseV2", in: in{x, k(0, -1)}},
		{op: "ReverseV2", in: in{f(0, 3), k(1)}},
		{op: "Reverse", in: in{x, list(true, false, true)}},
		{op: "ReverseSequence", attrs: attrs{integer("seq_dim", 1), integer("batch_dim", 0)}, in: in{x, list[int64](0, 5, 3, 1)}},
		{op: "ReverseSequence", attrs: attrs{integer("seq_dim", 0), integer("batch_dim", 2)}, in: in{x, k(0, 4, 3, 1, 2, 4)}},
		{op: "Roll", in: in{x, k(2, -7, 1), k(0, 2, 0)}},
		{op: "Roll", in: in{x, k(4), k(0)}},
		{op: "SpaceToDepth", attrs: attrs{integer("block_size", 2)}, in: in{f(2, 4, 6, 3)}},
		{op: "DepthToSpace", attrs: attrs{integer("block_size", 2)}, in: in{f(2, 3, 2, 8)}},
		{op: "SpaceToBatchND", in: in{f(2, 4, 5, 3), k(2, 3), matrix32(2, 1, 1, 0, 1)}},
		{op: "BatchToSpaceND", in: in{f(12, 3, 2, 3), k(2, 3), matrix32(2, 1, 1, 0, 1)}},
		{op: "SpaceToBatch", attrs: attrs{integer("block_size", 2)}, in: in{f(2, 4, 6, 3), matrix32(2, 0, 0, 0, 0)}},
		{op: "BatchToSpace", attrs: attrs{integer("block_size", 2)}, in: in{f(8, 2, 3, 3), matrix32(2, 0, 1, 1, 0)}},
		{op: "PadV2", in: in{f(2, 3), matrix32(2, 1, 0, 0, 2), one(float32(-2.5))}},
		{op: "Diag", in: in{f(2, 3)}}, {op: "DiagPart", in: in{f(2, 3, 2, 3)}},
		{op: "MatrixDiag", in: in{f(2, 3)}}, {op: "MatrixDiagPart", in: in{f(2, 3, 4)}}, {op: "MatrixSetDiag", in: in{f(2, 3, 4), f(2, 3)}},
		{op: "MatrixDiagV2", in: in{f(2, 3), one(int32(1)), one(int32(-1)), one(int32(-1)), one(float32(9))}},
		{op: "MatrixDiagV3", in: in{f(2, 3, 3), k(-1, 1), one(int32(3)), one(int32(4)), zero}},
		{op: "MatrixDiagPartV2", in: in{f(2, 3, 4), one(int32(-1)), one(float32(9))}},
		{op: "MatrixDiagPartV3", attrs: attrs{str("align", "LEFT_RIGHT")}, in: in{f(2, 3, 4), k(-2, 1), one(float32(9))}},
		{op: "MatrixSetDiagV2", in: in{f(2, 3, 4), f(2, 3), one(int32(1))}},
		{op: "MatrixSetDiagV3", in: in{f(2, 3, 4), f(2, 2, 3), k(0, 1)}},
		{op: "MatrixBandPart", in: in{x, one(int64(1)), one(int64(-1))}},
		{op: "Gather", in: in{x, matrix32(2, 3, 0, 1, 1)}},
		{op: "GatherV2", attrs: attrs{integer("batch_dims", 1)}, in: in{x, matrix32(2, 3, 0, 1, 1, 5, 2, 0, 4), one(int32(2))}},
		{op: "GatherV2", attrs: attrs{integer("batch_dims", -1)}, in: in{x, list[int64](3, 0, 4, 1), one(int32(1))}},
		{op: "GatherNd", in: in{x, matrix32(2, 3, 0, 1, 4)}},
		{op: "GatherNd", in: in{bools, must1(tensor.FromSlice([]int64{0, 2, 2}, 3, 1))}},
		{op: "GatherNd", in: in{f(3), must1(tensor.New(tensor.Int32, 2, 0))}},
		{op: "ScatterNd", in: in{matrix32(1, 4, 1, 4), f(3, 2), k(6, 2)}},
		{op: "ScatterNd", in: in{matrix32(2, 1, 0, 1, 0), f(2, 2), k(2, 3, 2)}},
		{op: "TensorScatterUpdate", in: in{x, matrix32(2, 3, 0, 1, 4), f(2, 6)}},
		{op: "TensorScatterAdd", in: in{f(6), matrix32(1, 3, 0, 3), f(3)}},
		{op: "TensorScatterSub", in: in{f(6), matrix32(1, 3, 0, 3), f(3)}},
		{op: "TensorScatterMax", in: in{f(6), matrix32(1, 3, 0, 3), f(3)}},
		{op: "TensorScatterMin", in: in{f(6), matrix32(1, 3, 0, 3), f(3)}},
		{op: "ScatterNdNonAliasingAdd", in: in{f(6), matrix32(1, 3, 0, 3), f(3)}},
		{op: "InplaceUpdate", in: in{f(4, 3), k(-1, 0), f(2, 3)}},
		{op: "InplaceAdd", in: in{f(4, 3), k(-1, 0), f(2, 3)}},
		{op: "InplaceSub", in: in{f(4, 3), k(1, 1), f(2, 3)}},
		{op: "OneHot", in: in{matrix32(2, 3, 0, -1, 1), one(int32(3)), one(float32(5)), one(float32(-1))}},
		{op: "OneHot", attrs: attrs{integer("axis", 0)}, in: in{list[int64](3, 0, 2), one(int32(4)), one(true), one(false)}},
		{op: "DynamicPartition", attrs: attrs{integer("num_partitions", 3)}, in: in{f(4, 3), k(2, 0, 2, 0)}},
		{op: "DynamicStitch", in: in{k(0, 3), matrix32(1, 1, 2), f(2, 2), f(2, 1, 2)}},
	}
	all = append(all,
		operation{op: "ConjugateTranspose", in: in{x, k(2, 0, 1)}},
		operation{op: "Empty", attrs: attrs{typed("dtype", tensor.Float), boolean("init", true)}, in: in{k(2, 3)}},
		operation{op: "Concat", in: in{one(int32(1)), f(2, 3), f(2, 1)}},
		operation{op: "TensorStridedSliceUpdate", attrs: attrs{integer("shrink_axis_mask", 2)}, in: in{x, k(3, 2, 1), k(0, 3, 6), k(-1, 1, 2), f(3, 1)}},
		operation{op: "SparseTensorDenseMatMul", in: in{must1(tensor.FromSlice([]int64{0, 3, 2, 1, 2, 0}, 3, 2)), f(3), list[int64](3, 4), f(4, 5)}},
		operation{op: "SparseTensorDenseMatMul", attrs: attrs{boolean("adjoint_a", true), boolean("adjoint_b", true)}, in: in{must1(tensor.FromSlice([]int64{0, 3, 2, 1, 2, 0}, 3, 2)), f(3), list[int64](3, 4), f(5, 3)}})
	for _, mode := range []string{"REFLECT", "SYMMETRIC"} {
		edges := matrix32(2, 1, 2, 2, 0)
		all = append(all, operation{op: "MirrorPad", attrs: attrs{str("mode", mode)}, in: in{f(3, 4), edges}},
			operation{op: "MirrorPadGrad", attrs: attrs{str("mode", mode)}, in: in{f(6, 6), edges}})
	}
	return all
}

// lineOperations go along a dimension, by segments, or resize images.
func lineOperations(rng *rand.Rand) (all []operation) {
	f := floatsOf(rng)
	x := f(4, 5, 6)
	for _, op := range []string{"Cumsum", "Cumprod", "CumulativeLogsumexp"} {
		all = append(all, operation{op: op, in: in{x, one(int32(1))}},
			operation{op: op, attrs: attrs{boolean("exclusive", true), boolean("reverse", true)}, in: in{x, one(int32(-1))}})
	}
	for _, op := range []string{"Sum", "Prod", "Max", "Min"} {
		all = append(all, operation{op: "UnsortedSegment" + op, in: in{x, list[int32](2, 0, -1, 2), one(int32(4))}},
			operation{op: "Segment" + op, in: in{x, list[int64](0, 2, 2, 3)}})
	}
	for _, op := range []string{"Sum", "Mean", "SqrtN"} {
		rows, ids := list[int32](3, 0, 3, 1, 2), list[int32](0, 0, 2, 2, 2)
		all = append(all, operation{op: "SparseSegment" + op, in: in{x, rows, ids}},
			operation{op: "SparseSegment" + op + "WithNumSegments", in: in{x, rows, ids, one(int32(5))}},
			operation{op: "SparseSegment" + op + "Grad", in: in{f(3, 5), rows, ids, one(int32(6))}})
	}
	images := f(2, 4, 5, 3)
	for _, way := range []attrs{nil, {boolean("align_corners", true)}, {boolean("half_pixel_centers", true)}} {
		for _, op := range []string{"Bilinear", "Bicubic", "NearestNeighbor"} {
			grad := in{f(2, 7, 3, 3), images}
			if op == "NearestNeighbor" {
				grad[1] = list[int32](4, 5)
			}
			all = append(all, operation{op: "Resize" + op, attrs: way, in: in{images, list[int32](7, 3)}},
				operation{op: "Resize" + op + "Grad", attrs: way, in: grad})
		}
	}
	equations := []struct {
		equation string
		in       in
	}{
		{"abc,cde->abde", in{f(2, 3, 4), f(4, 2, 3)}}, {"BTNH,BFNH->BNFT", in{f(2, 3, 2, 4), f(2, 5, 2, 4)}}, {"...ij,...jk->...ik", in{f(2, 1, 3, 4), f(5, 4, 2)}},
		{"ii->i", in{f(4, 4)}}, {"i->ii", in{f(4)}}, {"ijk->kj", in{f(2, 3, 4)}}, {"ij,kl->", in{f(2, 3), f(4, 2)}}, {"ab,bc->ca", in{f(2, 3), f(3, 4)}},
	}
	for _, c := range equations {
		all = append(all, operation{op: "Einsum", attrs: attrs{str("equation", c.equation)}, in: c.in})
	}
	p := f(6, 70)
	return append(all,
		operation{op: "SegmentMean", in: in{x, list[int64](0, 2, 2, 3)}},
		operation{op: "ResizeArea", in: in{images, list[int32](3, 7)}},
		operation{op: "ResizeBilinear", in: in{random(rng, tensor.Uint8, 1, 3, 3, 2), list[int32](5, 4)}},
		operation{op: "TopKV2", in: in{p, one(int32(5))}},
		operation{op: "TopK", attrs: attrs{integer("k", 6)}, in: in{must1(tensor.FromSlice([]float32{1, 2, 2, 1, 0, 2}, 6))}},
		operation{op: "InTopK", attrs: attrs{integer("k", 20)}, in: in{p, list[int32](3, 70, 0, 5, 60, 33)}},
		operation{op: "InTopKV2", in: in{p, list[int64](3, 69, 0, -5, 60, 33), one(int64(40))}},
		operation{op: "LowerBound", in: in{sorted(2, 9), f(2, 4)}}, operation{op: "UpperBound", in: in{sorted(2, 9), must1(tensor.FromSlice([]float32{0, 1, 2, 3, -1, 5, -3, 0}, 2, 4))}},
		operation{op: "Bincount", in: in{list[int32](1, 3, 1, 0, 9), one(int32(5)), f(5)}},
		operation{op: "DenseBincount", in: in{matrix32(3, 1, 3, 1, 0, 9, 2), one(int32(5)), f(2, 3)}},
		operation{op: "DenseBincount", attrs: attrs{boolean("binary_output", true)}, in: in{matrix32(3, 1, 3, 1, 0, 9, 2), one(int32(5)), f(0)}},
		operation{op: "LRN", attrs: attrs{integer("depth_radius", 2), number("beta", 0.75)}, in: in{f(2, 3, 2, 7)}},
		operation{op: "LRNGrad", attrs: attrs{integer("depth_radius", 2), number("bias", 2)}, in: in{f(1, 3, 2, 7), f(1, 3, 2, 7), f(1, 3, 2, 7)}})
}

func number(name string, x float32) registry.NamedAttr {
	return registry.NamedAttr{Name: name, Value: registry.AttrValue{Kind: registry.KindFloat, F: x}}
}
