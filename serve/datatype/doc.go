// Package datatype has the types of tensors of the Open Inference Protocol (KServe's
// version 2), and the form of their contents: [Name] and [Parse] translate names such as
// FP32 and BYTES, [Read] and [Append] the binary contents. Numbers are little-endian in
// row-major order; each element of BYTES is its length, in four bytes, and its bytes.
package datatype
