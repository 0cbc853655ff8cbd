// Package quant holds the operations on quantized tensors: small integers with the
// floats that the lowest and the highest of them represent.
//
// Programs import it for its effect, which is to register these operations.
package quant
