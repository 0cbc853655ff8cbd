// Package cpu is the CPU device: one persistent [Pool] of goroutines for whole kernels
// and for ranges within a kernel, and the [Device] that offers it to engines. Its
// vector kernels are in package vec.
//
// No work is assigned to a particular worker. Work is published where running
// workers look, and the first claims it with one atomic operation; the
// goroutine that published it takes part, so that it never waits for work that
// not begun. A worker without work spins for as long as it has worked, at least
// [SpinTime] and at most [MostSpinTime], and then parks; at once while other programs
// want the processors too.
// Waking a parked thread takes tens of microseconds, so one is woken only
// when about [WakeWork] of work waits, or as much time has been lost without it
// in a row of smaller pieces.
//
// Two things are published:
//
//   - Tasks, by [Pool.Publish]: activations of kernels, of any step. They are
//     claimed first in, first out. A publisher calls [Pool.Help] until it
//     returns false; from then on each of its tasks has been claimed.
//   - Ranges, by [Pool.Parallel], which returns when all are done. It may be
//     called at the same time from any goroutine, from a task and from within a
//     range.
//
// Ranges depend on the length and the grain alone, never on the number of
// workers or on chance. A kernel that combines partial results stores each at a
// place of its own and combines them in order; then its result has the same
// bits on any number of threads.
//
// A goroutine that waits for ranges waits only for those that are running, and
// does nothing else meanwhile: hence no cycle of waits, however deep calls are
// nested.
package cpu
