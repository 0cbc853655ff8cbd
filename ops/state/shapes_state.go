package state

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Unchanged, "RefIdentity", "StridedSliceAssign")
	shape.Register(shape.NoOutputs, "ResourceStridedSliceAssign")
	shape.Register(shape.GatherRows, "ResourceGather")
	shape.Register(shape.GatherNd, "ResourceGatherNd")
	shape.Register(shape.Scalars, "MutexV2", "MutexLock")
	shape.Register(shape.NoOutputs, "ConsumeMutexLock")
}
