// Package machine runs the code of units. A [Machine] has the slots of one unit, and
// runs it on one goroutine at a time.
//
//	machine.go    the machine, and what single instructions do
//	pick.go       x[i]
//	band.go       calls side by side, on the pool of the device
//	chain.go      chains: prepares them for shapes that were seen, and runs them
//	sum.go        sums in place, of chains
//	meter.go      runs with a meter
//
// The interpreter's loop is generated (nodes/unit/gen), with a meter and without one.
package machine
