// Threads simulates the pool of package devices/cpu on machines that are not at hand: of 2,
// 8, 32 and 128 cores, in clusters that share a cache and in sockets, alone and beside busy
// programs.
//
//	go run ./benchmarks/threads -cores 32
//	go run ./benchmarks/threads -cores 8 -loops 12 -all
//
// The simulation has a thread for each core. They run the pool's algorithm (pool.go), in
// which each access to what others write is an access to a cache line, that has to come from
// where it is and serves one core after another; waking goes the way of Go's runtime. What
// they compute are the ranges of recorded networks (workload.go). All of it is sequential and
// the same each time (sim.go). A machine is a set of times, measured by measure_test.go
// or published (machine.go).
//
// It leaves out what caches and memory do to the ranges themselves: those of a network take
// as long as alone, on every core.
//
// docs/design/2026-11-29-threads.md has the results, and what they changed.
package main
