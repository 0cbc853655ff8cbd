package logging

import (
	"errors"

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

func (k assert) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	if !in[0].IsScalar() {
		return status.Invalid("In[0] should be a scalar: %s", tensor.FormatDims(in[0].Dims()))
	}
	if tensor.At0[bool](&in[0]) {
		return nil
	}
	text, err := brackets(ctx, in[1:], k.summarize, " ")
	if err != nil {
		return err
	}
	return status.Invalid("assertion failed: %s", text)
}

// mostPrinted bounds the bytes of a message: nobody reads more.
const mostPrinted = 1 << 20

// errPrinted says that a message has mostPrinted bytes.
var errPrinted = errors.New("the message is long enough")

// brackets prints values, each in brackets, and ends with "..." where that would be
// more than mostPrinted bytes. It fails if the step has ended.
func brackets(ctx *kernel.Context, values []tensor.Value, summarize int64, separator string) (string, error) {
	all := summary.Text{}
	all.Room = func(n int) error {
		if all.Len()+n > mostPrinted {
			return errPrinted
		}
		return ctx.Err()
	}
	for i := range values {
		if i > 0 {
			all.WriteString(separator)
		}
		all.WriteByte('[')
		if all.First(&values[i], summarize); all.Err() == errPrinted {
			all.WriteString("...")
			break
		} else if all.Err() != nil {
			return "", all.Err()
		}
		all.WriteByte(']')
	}
	return all.String(), nil
}
