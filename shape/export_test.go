package shape

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// Evaluate returns an output of a node, nil if it cannot be worked out in full.
func Evaluate(n Node, output int) *tensor.Tensor {
	var e evaluator
	return e.value(n, output, 0).tensor()
}

// Evaluated lists the operations that are worked out.
func Evaluated() []string {
	ops := []string{}
	for op := range evaluators {
		ops = append(ops, op)
	}
	slices.Sort(ops)
	return ops
}
