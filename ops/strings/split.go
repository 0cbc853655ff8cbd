package strings

import (
	"iter"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringSplit").
		Input("input: string").Input("delimiter: string").Output("indices: int64").
		Output("values: string").Output("shape: int64").
		Attr("skip_empty: bool = true").
		Doc(`Splits strings at any of some characters, into a sparse matrix.

delimiter: The characters; empty to split into bytes.
indices: The indices of the parts: a row for each string.
values: The parts.
shape: The shape of the sparse matrix.
skip_empty: Whether empty parts are left out.`)
	registry.Define("StringSplitV2").
		Input("input: string").Input("sep: string").Output("indices: int64").Output("values: string").
		Output("shape: int64").
		Attr("maxsplit: int = -1").
		Doc(`Splits strings at a separator, into a sparse matrix.

sep: The separator; empty for any white space.
indices: The indices of the parts: a row for each string.
values: The parts.
shape: The shape of the sparse matrix.
maxsplit: The most splits of a string; -1 for any number.`)

	kernel.ForAll(newSplit, "StringSplit")
	kernel.ForAll(newSplitV2, "StringSplitV2")

	gradient.None("StringSplit")
}

// A splitter gives the parts of s, as sep says.
type splitter func(s, sep string) iter.Seq[string]

func newSplit(c *kernel.Construction) (kernel.Kernel, error) {
	skipEmpty := c.Bool("skip_empty")
	split := splitter(func(s, delimiter string) iter.Seq[string] { return splitAny(s, delimiter, skipEmpty) })
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return split.run(ctx, in, out, "delimiter")
	}), nil
}

func newSplitV2(c *kernel.Construction) (kernel.Kernel, error) {
	most := c.Int("maxsplit")
	split := splitter(func(s, sep string) iter.Seq[string] { return splitAt(s, sep, most) })
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return split.run(ctx, in, out, "sep")
	}), nil
}

// run puts out the parts of each string as a row of a sparse matrix. They are
// counted first, since a string may have as many parts as bytes.
func (f splitter) run(ctx *kernel.Context, in, out []tensor.Value, what string) error {
	if in[0].Rank() != 1 {
		return status.Invalid("input must be a vector, got shape: %s", tensor.FormatDims(in[0].Dims()))
	}
	sep, err := scalarText(&in[1], what+" must be a scalar, got shape: %s")
	if err != nil {
		return err
	}
	x := tensor.Of[string](&in[0])
	var credit kernel.Credit
	n, widest := int64(0), int64(0)
	for _, s := range x {
		before := n
		for range f(s, sep) {
			if n++; !credit.Spend(ctx, splitCost) {
				return ctx.Err()
			}
		}
		if widest = max(widest, n-before); !credit.Spend(ctx, len(s)) {
			return ctx.Err()
		}
	}
	for i, dims := range [][]int64{{n, 2}, {n}, {2}} {
		dt := tensor.Int64
		if i == 1 {
			dt = tensor.String
		}
		if out[i], err = ctx.Alloc(dt, dims); err != nil {
			return err
		}
	}
	indices, parts := tensor.Of[int64](&out[0]), tensor.Of[string](&out[1])
	at := 0
	for row, s := range x {
		from := at
		for part := range f(s, sep) {
			if !credit.Spend(ctx, splitCost) {
				return ctx.Err()
			}
			indices[2*at], indices[2*at+1], parts[at] = int64(row), int64(at-from), own(s, part)
			at++
		}
	}
	size := tensor.Of[int64](&out[2])
	size[0], size[1] = int64(len(x)), widest
	return nil
}

// splitCost is what finding a part takes, as a credit counts.
const splitCost = 16

// splitAny splits s at every byte that is in delimiters, and between all bytes
// if there are none. The empty string has no parts.
func splitAny(s, delimiters string, skipEmpty bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if delimiters == "" {
			for i := range len(s) {
				if !yield(s[i : i+1]) {
					return
				}
			}
			return
		}
		if s == "" {
			return
		}
		from := 0
		for i := range len(s) + 1 {
			if i == len(s) || strings.IndexByte(delimiters, s[i]) >= 0 {
				if (i > from || !skipEmpty) && !yield(s[from:i]) {
					return
				}
				from = i + 1
			}
		}
	}
}

const space = " \t\n\v\f\r"

// splitAt splits s at most times, at any run of white space or, if sep is not
// empty, at sep; without end if most is negative.
func splitAt(s, sep string, most int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		if most == 0 {
			yield(s)
			return
		}
		s := s
		for splits := int64(1); ; splits++ {
			part, rest, found := "", "", true
			if sep == "" {
				s = strings.TrimLeft(s, space)
				if s == "" {
					return
				}
				end := strings.IndexAny(s, space)
				if end < 0 {
					end = len(s)
				}
				part, rest = s[:end], strings.TrimLeft(s[end:], space)
			} else {
				part, rest, found = strings.Cut(s, sep)
			}
			if !yield(part) || !found {
				return
			}
			if splits == most {
				yield(rest)
				return
			}
			s = rest
		}
	}
}
