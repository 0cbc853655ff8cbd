// Package nodes holds the executable form of a graph: a [Program], compiled once for
// given feeds, fetches and targets, and a [Step], one run of it as a pure state
// machine over tokens. It starts no goroutine and waits for nothing; the clock, where
// costs are measured, is lent by the engine.
//
// A step offers kernels that may run (Next), takes their outputs (Complete),
// can be ended (Abort) and can say what waits for what (Waiting). Calls of
// functions that call themselves are offered too: the engine plays them ([Call]),
// unless the step plays units, and nothing in the function can wait.
// An [Alarm] calls the step to letters and to the end of its context.
//
// The step plays the control-flow nodes itself. What each kind (package
// nodes/kind) does is a function of its inputs in a file of its own:
//
//	Switch                    one output gets the value, the other dies
//	Merge                     waits for all that can come; the live input of the lowest position
//	Enter, Exit               between a frame and its parent; a dead Exit waits for the frame's end
//	NextIteration             to the next iteration; a dead one goes nowhere
//	LoopCond, Identity        pass on
//	ControlTrigger            lives though what it waits for is dead
//	any other                 dies if anything it waits for is dead, else runs its kernel
//
// Loops and programs in which nothing can wait may be played as one unit, with
// nothing observable changed: package nodes/unit makes units and plays them,
// units.go is where a step meets them, and [Program.Plan] tells which they are.
// Engines (packages sequential and actors) drive steps; they implement [Engine].
package nodes
