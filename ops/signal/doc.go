// Package signal holds the Fourier transforms. They work on the innermost
// dimensions; the inverse ones divide by the number of elements.
//
// Programs import it for its effect, which is to register these operations.
package signal
