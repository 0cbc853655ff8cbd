// Package profile measures where the time of runs goes.
//
// A [Recorder] is made for one run. Each part of it, a step or a
// called function, obtains a [Meter], which is for one goroutine; it counts
// every activation of a node, and times them:
//
//   - Outside of loops, all.
//   - In loops, the first of each node, and after that of those that take less than
//     some microseconds one in many, the more the shorter they are, so that a loop that
//     is watched runs about as fast as one that is not. Each that is timed stands for
//     those before it that were not; counts are exact.
//   - Nodes that run without a kernel (in a loop that is one unit, operations
//     on scalars take a nanosecond each) are counted and not timed; the time of the
//     unit that its kernels do not account for is theirs.
//
// The records become [Stats]: figures by node, single activations as
// [Event]s, up to a bound, and the units that were run. These are written as a
// trace that Chrome and Perfetto show ([Stats.WriteTrace]), as TensorFlow's message
// RunMetadata ([Stats.AppendRunMetadata]), as tables ([Model.WriteTable]) and as a
// page ([Model.WritePage]).
//
// A [Model] is the cost model of a program: the figures of many runs added up, of
// which it estimates times and sizes, finds the critical path, and makes
// TensorFlow's message CostGraphDef.
//
// A [Sampler] makes such a model of runs as they come, for a bounded part of their time:
// its documentation says what it leaves out.
//
// Without a Recorder the cost is a test of a pointer for each step.
package profile
