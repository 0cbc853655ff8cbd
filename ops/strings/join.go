package strings

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringJoin").
		Input("inputs: N * string").Output("output: string").
		Attr("N: int >= 0").
		Attr("separator: string = ''").
		Doc(`Joins the strings of several tensors, element by element.

inputs: Tensors of one shape, and scalars, which go with every element.
separator: What stands between strings.`)
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) { return join{c.Str("separator")}, nil }, "StringJoin")

	gradient.None("StringJoin")
}

type join struct{ separator string }

func (k join) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	var dims []int64
	shaped := false // dims is that of a tensor that is no scalar
	for i := range in {
		switch d := in[i].Dims(); {
		case len(d) == 0:
		case !shaped:
			dims, shaped = d, true
		case !slices.Equal(d, dims):
			return status.Invalid("Input shapes do not match: %s vs. %s", tensor.FormatDims(dims), tensor.FormatDims(d))
		}
	}
	v, err := ctx.Alloc(tensor.String, dims)
	if err != nil {
		return err
	}
	out[0] = v
	o := tensor.Of[string](&out[0])
	columns := make([][]string, len(in))
	size := float64(len(o)) * float64(len(k.separator)*max(len(in)-1, 0))
	for j := range in {
		columns[j] = tensor.Of[string](&in[j])
		size += lengthOf(ctx, columns[j]) * float64(len(o)) / float64(max(len(columns[j]), 1))
	}
	if err := room(ctx, 2*size); err != nil { // what is joined is still there
		return err
	}
	row := make([]string, len(in))
	for i := range o {
		if i%1024 == 1023 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		for j, c := range columns {
			if in[j].IsScalar() {
				row[j] = c[0]
			} else {
				row[j] = c[i]
			}
		}
		o[i] = strings.Join(row, k.separator)
	}
	return nil
}

// length returns the bytes of all strings of s.
func length(s []string) float64 {
	n := 0.0
	for _, x := range s {
		n += float64(len(x))
	}
	return n
}

// lengthOf is length, of a whole tensor: it asks.
func lengthOf(ctx *kernel.Context, s []string) (n float64) {
	for lo, hi := range ctx.Ranges(len(s), 1<<16) {
		n += length(s[lo:hi])
	}
	return n
}
