// Package tile computes chains of kernels a few rows at a time. What one kernel of a chain
// puts out, the next takes while it is in the cache of a core; it is never there as a
// whole. So a convolution that makes many channels, the depthwise one that reads them and
// the product that makes few of them again write and read the large image between them in
// pieces of some ten kilobytes.
//
// A [Group] is kernels of which each makes something for a later one; others may need it as
// well. [NewPlan] divides it, for inputs of certain shapes, into segments, and decides of
// each how many rows of its last result are made at a time, from what is known of caches
// and of work; a kernel that is in none is played as ever. A [Runner] plays a segment: each
// worker of the pool has some sections of the rows to itself, and computes in each of them
// band by band, from the top to the bottom. Rows that a band has made and the next one needs
// as well, as under the windows of a convolution, are kept; those at the borders of sections are
// computed twice. What is needed outside of a segment is written to memory as well, each row by the
// one section that owns it. [Plan.Verify] goes through all that and checks what is read.
//
// No sum is made in another order than a kernel alone makes it, so no bit depends on a
// plan.
package tile
