// Package frames tracks loops: the live instances of frames, their iterations, what
// each iteration still waits for, and when it ends.
//
// A frame of the graph is static (a [Static]); entering it at run time makes an
// [Instance], named by the iteration it was entered from. An Instance has
// iterations, of which at most parallel_iterations are alive at a time; each
// [Iteration] holds the state of the frame's nodes in that iteration: how many
// inputs each still waits for, and the inputs that have come.
//
// The package decides nothing about values and starts nothing: it is plain
// bookkeeping that package nodes drives. Its rules are those of TensorFlow's
// executor:
//
//   - Iterations start in order and retire in order. One is done when nothing
//     in it is outstanding, no child frame of it lives and all before it have
//     retired; iteration 0 also waits until every Enter has arrived.
//   - A value for the next iteration that would pass the limit is queued until
//     one retires.
//   - A constant Enter's value is kept for the frame's later iterations.
//   - A dead Exit of the newest iteration is remembered, and forgotten when
//     another iteration starts. Those left when the frame ends are its dead
//     exits.
//   - A frame is done when no Enter is pending and no iteration is alive.
package frames
