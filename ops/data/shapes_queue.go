package data

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func init() {
	// The handles of the first version are references to two strings.
	shape.Register(shape.Rule("-> handle: [2]"),
		"FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue", "Barrier", "ConditionalAccumulator", "ResourceConditionalAccumulator", "Stack")
	shape.Register(shape.Rule("max_size: ? -> handle: [2]"), "StackV2")
	shape.Register(shape.Rule("resource: ? -> handle: [2]"), "FakeQueue")
	shape.Register(shape.Scalars,
		"FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2", "RandomShuffleQueueV2")

	shape.Register(shape.UnknownOutputs, "QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo")
	shape.Register(dequeueShape, "QueueDequeueV2")
	shape.Register(dequeueManyShape, "QueueDequeueManyV2")
	shape.Register(dequeueUpToShape, "QueueDequeueUpToV2")
	shape.Register(shape.NoOutputs, "QueueEnqueue", "QueueEnqueueV2", "QueueEnqueueMany", "QueueEnqueueManyV2", "QueueCloseV2")
	shape.Register(shape.Rule("handle: [2] ->"), "QueueClose", "BarrierClose")
	shape.Register(shape.Rule("handle: [2] -> size: []"), "QueueSize", "BarrierReadySize", "BarrierIncompleteSize")
	shape.Register(shape.Unchanged, "QueueSizeV2")
	shape.Register(shape.Scalars, "QueueIsClosed", "QueueIsClosedV2")

	shape.Register(shape.Rule("handle: [2], keys: [n], values: [n,...] ->"), "BarrierInsertMany")
	shape.Register(shape.UnknownOutputs, "BarrierTakeMany")

	shape.Register(shape.Scalars, "AccumulatorNumAccumulated", "ResourceAccumulatorNumAccumulated")
	shape.Register(shape.Rule("handle: ?, num_required: [] -> average: ?"), "AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient")
	shape.Register(shape.Rule("handle: ?, local_step: [] ->"), "AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient")
	shape.Register(shape.Rule("handle: ?, new_global_step: [] ->"), "AccumulatorSetGlobalStep", "ResourceAccumulatorSetGlobalStep")

	shape.Register(shape.Like(1), "StackPush", "StackPushV2")
	shape.Register(shape.UnknownOutputs, "StackPop", "StackPopV2")
	shape.Register(shape.Rule("handle: [2] ->"), "StackClose", "StackCloseV2")

	shape.Register(shape.NoOutputs, "Stage", "StageClear", "MapStage", "MapClear", "OrderedMapStage", "OrderedMapClear")
	shape.Register(shape.UnknownOutputs, "Unstage", "StagePeek", "MapPeek", "MapUnstage", "MapUnstageNoKey", "OrderedMapPeek", "OrderedMapUnstage", "OrderedMapUnstageNoKey")
	shape.Register(shape.Scalars, "StageSize", "MapSize", "MapIncompleteSize", "OrderedMapSize", "OrderedMapIncompleteSize", "GetSessionHandle", "GetSessionHandleV2")
	shape.Register(shape.Rule("handle: [] -> value: ?"), "GetSessionTensor")
	shape.Register(shape.Rule("handle: [] ->"), "DeleteSessionTensor")
}

// dequeueShape has the components of an element, if the handle tells them.
func dequeueShape(c *shape.Context) error { return dequeued(c, shape.Scalar) }

func dequeueManyShape(c *shape.Context) error {
	n, ok := c.ConstInt(1)
	switch {
	case !ok:
		n = shape.Unknown
	case n < 0:
		return status.Invalid("Input 'n' must be >= 0, but is %d", n)
	}
	return dequeued(c, shape.Of(n))
}

func dequeueUpToShape(c *shape.Context) error { return dequeued(c, shape.Of(shape.Unknown)) }

// dequeued is for so many elements, as one dimension or none.
func dequeued(c *shape.Context, elements shape.Shape) error {
	if !c.HasHandle(0) || len(c.InputHandles[0]) != c.NumOutputs() {
		return nil
	}
	for i, h := range c.InputHandles[0] {
		c.SetOutput(i, c.Try(shape.Concat(elements, h.Shape)))
	}
	return c.Err()
}
