// Package signal holds the Fourier transforms. They work on the innermost dimensions;
// the inverse ones divide by the number of elements.
package signal
