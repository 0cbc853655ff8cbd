// Package programs generates random structured programs and computes their results
// without a graph.
//
// A [Program] is a syntax tree: applications of operations to variables,
// branches, loops, calls and recursion nested in one another, over tensors of
// all numeric types, lists, arrays, stacks and variables that keep their values
// from step to step. [Random] draws one. Each can be
//
//   - evaluated as ordinary Go would run it ([Program.Eval]), and
//   - written as a graph ([Program.Lower]): with the Switch, Merge, Enter, Exit,
//     NextIteration and LoopCond nodes of TensorFlow's first front end, with the
//     If, Case, While and PartitionedCall nodes of its second, or with a mixture.
//
// The evaluator has its own arrays, its own arithmetic of every type and its own
// idea of what an error stops. It shares nothing with the executor, the kernels
// or the arithmetic of package tensor, so where the two agree the rules are right.
// Operations are chosen, and programs with unclear answers passed over, so that
// answers are compared bit for bit.
//
// # Errors
//
// An error stops what depends on it and nothing else, so the evaluator goes on
// and collects every error that can come first under some schedule: it answers
// the set, and a step must fail with one of them, told with its code, message,
// node, frame and iteration.
//
// # Many seeds
//
// The tests run some thousand programs. A hundred thousand take
//
//	go test ./conformance/programs -run TestSeeds -timeout 2h -seeds 100000 -engines actors,tokens,sequential
//
// Flags: -seeds N programs, beginning with -first SEED; -engines is a list of
// actors, tokens, messages, sequential and seeded:N, of which actors, tokens and
// messages may have the number of their threads behind a slash, as in actors/4.
// TestFans draws nodes of 1 to 130 inputs and outputs; -fans N is how many programs.
// TestEffects asks for parts of conditionals, loops and calls, and counts which side
// effects run; -effects N is how many graphs.
// TestMeetings has callers of random loops meet (SessionOptions.BatchLoops); -meetings N is how many.
// TestAttention has random blocks of attention compared to the bit on engines and numbers of
// threads, with rewriting and without; of -seeds N it draws a quarter.
// A program that fails is made smaller (-shrink=false leaves it) and printed, with
// its seed, as program and as graph.
//
// # Derivatives
//
// TestDuals differentiates programs up to three times, and compares with numbers that
// carry their derivatives (duals.go). More seeds take
//
//	go test ./conformance/programs -run TestDuals -timeout 2h -seeds 100000
//
// # Mutants
//
// testdata/mutants.txt lists mistakes in ownership, deadness and order, as texts
// of the sources and what to put in their place. TestMutants holds that each text
// is there once, and
//
//	go test ./conformance/programs -run TestMutants -v -timeout 2h -mutants .
//
// plants those whose names match the pattern, one after another, by the overlay of
// the go command, and expects the programs to find each.
//
// # Where things are
//
//   - the tree: program.go, types.go, and live.go for what of it is needed
//   - what operations mean, and the nodes that they are: elementwise.go,
//     reduce.go, layout.go, join.go, list.go, state.go
//   - the evaluator: eval.go on array.go and number.go
//   - graphs: lower.go, frames.go for frames, functions.go for functions
//   - drawing: random.go, random_regions.go and random_objects.go for statements,
//     draw.go for operations, fans.go for nodes of many inputs and outputs, meeting.go for loops
//     that callers share
//   - graphs of bodies that count: effects.go, and effects_run.go for what runs
//
// A new operation is an [Op], a function in draw.go that draws it, and an entry in
// coverage.go.
package programs
