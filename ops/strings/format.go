package strings

import (
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/summary"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringFormat").
		Input("inputs: T").Output("output: string").
		Attr("T: list(type) >= 0").
		Attr("template: string = '%s'").
		Attr("placeholder: string = '%s'").
		Attr("summarize: int = 3").
		Doc(`Puts tensors into a template.

inputs: The tensors; numbers and strings alike.
template: The text.
placeholder: What in it is replaced, by one tensor after another.
summarize: How many entries of each dimension are shown at either end.`)

	kernel.ForAll(newFormat, "StringFormat")
}

func newFormat(c *kernel.Construction) (kernel.Kernel, error) {
	parts := []string{c.Str("template")}
	if placeholder := c.Str("placeholder"); placeholder != "" {
		parts = strings.Split(parts[0], placeholder)
	}
	if n := len(parts) - 1; n != len(c.Inputs) {
		return nil, c.Errorf("num placeholders in template and num inputs must match: %d vs. %d", n, len(c.Inputs))
	}
	summarize := c.Int("summarize")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var b summary.Text
		b.Room = func(n int) error {
			if err := room(ctx, 2*float64(n)); err != nil { // a text that grows is there twice
				return err
			}
			return ctx.Err()
		}
		for i := range in {
			b.WriteString(parts[i])
			if b.Ends(&in[i], summarize); b.Err() != nil {
				return b.Err()
			}
		}
		b.WriteString(parts[len(in)])
		return ctx.PutText(&out[0], b.String())
	}), nil
}
