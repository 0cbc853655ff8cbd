package data

import "github.com/troupe-go/troupe/shape"

func init() {
	// The handles of the first version are references to two strings.
	shape.Register(shape.Rule("-> handle: [2]"),
		"FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue", "Barrier", "ConditionalAccumulator", "Stack")
	shape.Register(shape.Rule("resource: ? -> handle: [2]"), "FakeQueue")
	shape.Register(shape.Scalars,
		"FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2", "ResourceConditionalAccumulator", "StackV2")

	shape.Register(shape.UnknownOutputs, "QueueDequeue", "QueueDequeueV2",
		"QueueDequeueMany", "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2")
	shape.Register(shape.NoOutputs, "QueueEnqueue", "QueueEnqueueV2", "QueueEnqueueMany", "QueueEnqueueManyV2", "QueueClose", "QueueCloseV2")
	shape.Register(shape.Scalars, "QueueSize", "QueueSizeV2", "QueueIsClosed", "QueueIsClosedV2")

	shape.Register(shape.Rule("handle: ?, keys: [n], values: [n,...] ->"), "BarrierInsertMany")
	shape.Register(barrierTakeManyShape, "BarrierTakeMany")
	shape.Register(shape.Scalars, "BarrierReadySize", "BarrierIncompleteSize")
	shape.Register(shape.NoOutputs, "BarrierClose")

	shape.Register(shape.Scalars, "AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated")
	shape.Register(shape.UnknownOutputs, "AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient")
	shape.Register(shape.NoOutputs, "AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient",
		"AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep")

	shape.Register(shape.Like(1), "StackPush", "StackPushV2")
	shape.Register(shape.UnknownOutputs, "StackPop", "StackPopV2")
	shape.Register(shape.NoOutputs, "StackClose", "StackCloseV2")

	shape.Register(shape.NoOutputs, "Stage", "StageClear", "MapStage")
	shape.Register(shape.UnknownOutputs, "Unstage", "StagePeek", "MapPeek")
	shape.Register(shape.Scalars, "StageSize", "GetSessionHandle", "GetSessionHandleV2")
	shape.Register(shape.UnknownOutputs, "GetSessionTensor")
	shape.Register(shape.NoOutputs, "DeleteSessionTensor")
}

// barrierTakeManyShape has vectors of indices and keys; nothing is known of the
// values.
func barrierTakeManyShape(c *shape.Context) error {
	c.SetOutput(0, shape.Of(shape.Unknown))
	c.SetOutput(1, shape.Of(shape.Unknown))
	return nil
}
