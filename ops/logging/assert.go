package logging

import (
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/summary"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Assert").
		Input("condition: bool").Input("data: T").
		Attr("T: list(type) >= 1").
		Attr("summarize: int = 3").
		Stateful().
		Doc(`Fails with INVALID_ARGUMENT unless a condition holds.

condition: A scalar.
data: What the error prints.
summarize: How many elements of each tensor it prints; all if negative.`)
	shape.Register(shape.NoOutputs, "Assert")
	kernel.ForAll(newAssert, "Assert")

	gradient.None("Assert")
}

type assert struct{ summarize int64 }

func newAssert(c *kernel.Construction) (kernel.Kernel, error) {
	return assert{c.Int("summarize")}, nil
}

func (k assert) Run(_ *kernel.Context, in, _ []tensor.Value) error {
	if !in[0].IsScalar() {
		return status.Invalid("In[0] should be a scalar: %s", tensor.FormatDims(in[0].Dims()))
	}
	if tensor.At0[bool](&in[0]) {
		return nil
	}
	return status.Invalid("assertion failed: %s", brackets(in[1:], k.summarize, " "))
}

// brackets prints values, each in brackets.
func brackets(values []tensor.Value, summarize int64, separator string) string {
	parts := make([]string, len(values))
	for i := range values {
		parts[i] = "[" + summary.First(&values[i], summarize) + "]"
	}
	return strings.Join(parts, separator)
}
