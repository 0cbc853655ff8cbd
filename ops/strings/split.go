package strings

import (
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

// A splitter appends the parts of s to dst, as sep says.
type splitter func(dst []string, s, sep string) []string

func newSplit(c *kernel.Construction) (kernel.Kernel, error) {
	skipEmpty := c.Bool("skip_empty")
	split := splitter(func(dst []string, s, delimiter string) []string { return splitAny(dst, s, delimiter, skipEmpty) })
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return split.run(ctx, in, out, "delimiter")
	}), nil
}

func newSplitV2(c *kernel.Construction) (kernel.Kernel, error) {
	most := c.Int("maxsplit")
	split := splitter(func(dst []string, s, sep string) []string { return splitAt(dst, s, sep, most) })
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return split.run(ctx, in, out, "sep")
	}), nil
}

// run puts out the parts of each string as a row of a sparse matrix.
func (f splitter) run(ctx *kernel.Context, in, out []tensor.Value, what string) error {
	if in[0].Rank() != 1 {
		return status.Invalid("input must be a vector, got shape: %s", tensor.FormatDims(in[0].Dims()))
	}
	sep, err := scalarText(&in[1], what+" must be a scalar, got shape: %s")
	if err != nil {
		return err
	}
	x := tensor.Of[string](&in[0])
	var parts []string
	ends := make([]int, len(x))
	widest := 0
	for i, s := range x {
		if i%1024 == 1023 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		before := len(parts)
		parts = f(parts, s, sep)
		ends[i] = len(parts)
		widest = max(widest, len(parts)-before)
	}
	n := int64(len(parts))
	for i, dims := range [][]int64{{n, 2}, {n}, {2}} {
		dt := tensor.Int64
		if i == 1 {
			dt = tensor.String
		}
		if out[i], err = ctx.Alloc(dt, dims); err != nil {
			return err
		}
	}
	indices := tensor.Of[int64](&out[0])
	for row, from := 0, 0; row < len(ends); row++ {
		for i := from; i < ends[row]; i++ {
			indices[2*i], indices[2*i+1] = int64(row), int64(i-from)
		}
		from = ends[row]
	}
	copy(tensor.Of[string](&out[1]), parts)
	size := tensor.Of[int64](&out[2])
	size[0], size[1] = int64(len(x)), int64(widest)
	return nil
}

// splitAny splits s at every byte that is in delimiters, and between all bytes
// if there are none. The empty string has no parts.
func splitAny(dst []string, s, delimiters string, skipEmpty bool) []string {
	if delimiters == "" {
		for i := range len(s) {
			dst = append(dst, s[i:i+1])
		}
		return dst
	}
	if s == "" {
		return dst
	}
	from := 0
	for i := range len(s) + 1 {
		if i == len(s) || strings.IndexByte(delimiters, s[i]) >= 0 {
			if i > from || !skipEmpty {
				dst = append(dst, s[from:i])
			}
			from = i + 1
		}
	}
	return dst
}

const space = " \t\n\v\f\r"

// splitAt splits s at most times, at any run of white space or, if sep is not
// empty, at sep; without end if most is negative.
func splitAt(dst []string, s, sep string, most int64) []string {
	if most == 0 {
		return append(dst, s)
	}
	for splits := int64(1); ; splits++ {
		rest, found := "", false
		if sep == "" {
			s = strings.TrimLeft(s, space)
			if s == "" {
				return dst
			}
			end := strings.IndexAny(s, space)
			if end < 0 {
				end = len(s)
			}
			dst = append(dst, s[:end])
			rest = strings.TrimLeft(s[end:], space)
		} else {
			s, rest, found = strings.Cut(s, sep)
			if dst = append(dst, s); !found {
				return dst
			}
		}
		if splits == most {
			return append(dst, rest)
		}
		s = rest
	}
}
