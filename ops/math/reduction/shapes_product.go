package reduction

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.MatMul, "MatMul", "SparseMatMul")
	shape.Register(shape.BatchMatMul, "BatchMatMul")
	shape.Register(shape.BatchMatMulBroadcast, "BatchMatMulV2", "BatchMatMulV3")
	shape.Register(einsumShape, "Einsum")
}
