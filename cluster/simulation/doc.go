// Package simulation runs the processes of a cluster (package cluster/protocol) over a
// simulated network and clock. A [Scenario] says what is to happen: which graphs and
// requests there are, and when processes crash, restart or hang, and links are cut or
// lose packets. [Random] draws one from a seed. [Run] plays it and returns the first
// violation of what a cluster promises:
//
//   - each request is answered once, and with the right fetches or an error;
//   - a step that succeeded ran each of its parts exactly once;
//   - a step that runs on a process that crashes is answered within a bound;
//   - once the faults are over, all graphs run again, and nothing is left of any step:
//     no tensor, no message to be sent again, no credit missing.
//
// [Shrink] removes faults and requests from a scenario as long as the violation remains.
// A [Trace] has a line for each event.
package simulation
