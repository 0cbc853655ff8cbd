// Package generate writes Go code for the signatures of a model: a type with a method for each
// signature, whose inputs and outputs are fields of Go types. "troupe generate" is its command.
//
//	source, left, err := generate.Source(generate.Config{Package: "digits", Model: "digits", Signatures: signatures})
//
// Dimensions decide about the type of a field: none, and it is a scalar; at most one of them
// open, and it is a slice; otherwise a typed.Array. Types that Go has no elements for (quantized
// numbers, resources, variants) are tensors.
//
// Names of signatures, inputs and outputs come from whoever made the model. Identifiers are made
// of their letters and digits, and numbered where they meet; elsewhere names are quoted.
package generate
