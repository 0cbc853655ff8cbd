// Package rewrite has the optional passes over a program; by default, results and errors do
// not change.
//
//	passes := rewrite.Options{Passes: rewrite.Default()}.List(ctx)
//
// Each edits the program ([plan.Edit]); after each, what nothing needs any more is taken out.
// Package compile runs them after functions have been put in place of their calls.
//
// # The passes
//
// In their order, each in a file of its own, and with graphs before and after in
// testdata:
//
//	fold         what depends on constants alone is computed at once
//	branches     Switches by a constant, and what can never run in consequence
//	arithmetic   what only hands a value on: x·1, −(−x), two transpositions, Identity
//	algebra      the same up to the sign of zero: x+0 (changes bits)
//	hoist        what every iteration of a loop would compute again
//	common       equal nodes with equal inputs
//	transposes   transpositions of images past what works in either layout, to others that undo them
//	batchnorm    a normalization into the filter of the convolution before it (changes bits)
//	pads         zeros around an image into the convolution that takes it
//	epilogue     bias, normalization, sum and activation into the product before them
//	updates      updates of variables and what computes them into one pass over memory
//	elementwise  chains of elementwise operations into one node, one pass over memory
//	winograd     convolutions by 3×3 filters by Winograd's transforms (costs digits)
//
// passes.go has the table, and sets of passes as text.
//
// # What does not change
//
// Under [Default], every fetch to the bit, but for which of two NaNs remains, as
// everywhere, and for a signaling NaN, which arithmetic would have made quiet and a
// pass may forward. The value of any output of the graph, fed or fetched in any
// program: feeds become placeholders of which nothing is known, and what is fetched is
// kept, or forwarded by another node. Targets: they run, or what has run when they
// would have; those that can never run are dropped. The error of a step: its code,
// message, node and operation, frame and iteration; but where images that do not fit
// have been moved by transposes, the message has their shapes in the other layout. A node
// keeps its name if it is changed; one that stands for several knows theirs. Of equal nodes the first stays.
// Side effects and their order: stateful nodes, references, resources and control edges
// are let alone, but for updates of variables that become one node, which makes them in an
// order that edges allow.
//
// What a pass must know for this:
//
//   - A node is alive where all its inputs and control inputs are. Who takes another
//     value in place of a node's must still wait for what the node waited for, be it
//     through a constant: see gates.
//   - Shapes that a graph claims may be wrong, as may those of what is fed, of variables
//     and lists. [graph.Part.Shapes] has what is certain; [graph.Part.Claimed] serves to
//     guess what pays, where either way is right.
//   - What did not run must not fail. So only what cannot fail leaves a loop, and what is
//     fused is always run, or all of it is alive together.
//   - A pass that meets something odd leaves it: the engine will report what is
//     wrong with it.
//
// With the build tag invariants the program is checked after each pass
// ([plan.Program.Verify]), and a pass that fails is an error.
//
// # Where to add a pass
//
// A file with a func(*work) error, a row in passes.go, a file in testdata. What it
// replaces it replaces by the methods of [plan.Edit], which know what is fetched. It
// goes through the nodes once, and looks at the context (Edit.Watch); TestLinear
// holds the time. conformance and conformance/programs try it alone and with the
// others, on every recorded case and on random programs.
package rewrite
