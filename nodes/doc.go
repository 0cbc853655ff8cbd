// Package nodes holds the executable form of a graph: a [Program], compiled once for
// given feeds, fetches and targets, and a [Step], one run of it as a pure state
// machine over tokens. It starts no goroutine and waits for nothing; the clock, where
// costs are measured, is provided by the engine.
//
// A step offers kernels that may run (Next), takes their outputs (Complete),
// can be ended (Abort) and can say what waits for what (Waiting). Calls of
// functions that call themselves are offered too: the engine runs them ([Call]),
// unless the step runs units, and nothing in the function can wait.
// An [Alarm] alerts the step to messages and to the end of its context.
//
// The step runs the control-flow nodes itself. What each kind (package
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
// Loops and programs in which nothing can wait may be run as one unit, with
// nothing observable changed: package nodes/unit compiles and runs them,
// units.go is where a step runs them, and [Program.Plan] lists them.
// Engines (packages sequential and actors) drive steps; they implement [Engine].
package nodes
