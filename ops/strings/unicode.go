package strings

import (
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("UnicodeDecode").
		Input("input: string").Output("row_splits: Tsplits").Output("char_values: int32").
		Attr("input_encoding: string").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Decodes strings into code points, in a ragged matrix.

row_splits: Where the code points of each string begin and end.
char_values: The code points of all strings.
input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced.
Tsplits: The type of row_splits.`)
	registry.Define("UnicodeDecodeWithOffsets").
		Input("input: string").Output("row_splits: Tsplits").Output("char_values: int32").
		Output("char_to_byte_starts: int64").
		Attr("input_encoding: string").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Decodes strings into code points, and returns where each begins.

row_splits: Where the code points of each string begin and end.
char_values: The code points of all strings.
char_to_byte_starts: The byte at which each begins in its string.
input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced.
Tsplits: The type of row_splits.`)
	registry.Define("UnicodeEncode").
		Input("input_values: int32").Input("input_splits: Tsplits").Output("output: string").
		Attr("errors: {'ignore', 'replace', 'strict'} = 'replace'").
		Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}").
		Attr("replacement_char: int = 65533").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Encodes the code points of each row of a ragged matrix into a string.

input_values: The code points of all rows.
input_splits: Where rows begin and end.
errors: What to do about what is no code point: "strict", "replace" or "ignore".
output_encoding: The encoding of the output.
replacement_char: The code point that "replace" puts in.`)
	registry.Define("UnicodeTranscode").
		Input("input: string").Output("output: string").
		Attr("input_encoding: string").
		Attr("output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}").
		Attr("errors: {'strict', 'replace', 'ignore'} = 'replace'").
		Attr("replacement_char: int = 65533").
		Attr("replace_control_characters: bool = false").
		Doc(`Turns strings from one encoding into another.

input_encoding: The encoding, such as "UTF-8" or "UTF-16-BE".
output_encoding: The encoding of the output.
errors: What to do about malformed text: "strict", "replace" or "ignore".
replacement_char: The code point that "replace" puts in.
replace_control_characters: Whether C0 control characters are replaced, too.`)

	kernel.ForAll(newDecode, "UnicodeDecode", "UnicodeDecodeWithOffsets")
	kernel.ForAll(newEncodeRows, "UnicodeEncode")
	kernel.ForAll(newTranscode, "UnicodeTranscode")
}

// A repair is what to do about malformed text.
type repair struct {
	errors      string // "strict", "replace" or "ignore"
	replacement rune
	controls    bool // C0 control characters are malformed too, but not strictly
}

func newRepair(c *kernel.Construction) (repair, error) {
	r := c.Int("replacement_char")
	if r < 0 || r > unicode.MaxRune {
		return repair{}, c.Errorf("replacement_char out of unicode codepoint range")
	}
	return repair{c.Str("errors"), rune(r), c.Bool("replace_control_characters")}, nil
}

// each calls f for the code points of s from at on, repaired, and where each
// begins.
func (p repair) each(s string, decode decoder, at int, f func(r rune, at int)) error {
	for at < len(s) {
		r, size, ok := decode(s[at:])
		switch {
		case ok && (!p.controls || r >= 0x20):
			f(r, at)
		case !ok && p.errors == "strict":
			return status.Invalid("Invalid formatting on input string")
		case p.errors != "ignore":
			f(p.replacement, at)
		}
		at += size
	}
	return nil
}

func newDecode(c *kernel.Construction) (kernel.Kernel, error) {
	p, err := newRepair(c)
	if err != nil {
		return nil, err
	}
	decoderOf, err := newDecoder(c.Str("input_encoding"))
	if err != nil {
		return nil, err
	}
	narrow := c.Type("Tsplits") == tensor.Int32
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := tensor.Of[string](&in[0])
		// Up to as many code points as bytes, in lists that grow by half at least.
		work := 0
		for _, s := range x {
			work += 8 * 3 * len(s)
		}
		work *= len(out) - 1
		if err := ctx.Reserve(work); err != nil {
			return err
		}
		defer ctx.Unreserve(work)
		splits := make([]int64, 1, len(x)+1)
		var points, starts []int64
		for i, s := range x {
			if i%1024 == 1023 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			decode, mark := decoderOf(s)
			if err := p.each(s, decode, mark, func(r rune, at int) {
				points = append(points, int64(r))
				if len(out) > 2 {
					starts = append(starts, int64(at))
				}
			}); err != nil {
				return err
			}
			splits = append(splits, int64(len(points)))
		}
		if len(out) > 2 {
			if err := putInts[int64](ctx, &out[2], starts); err != nil {
				return err
			}
		}
		if err := putInts[int32](ctx, &out[1], points); err != nil {
			return err
		}
		if narrow {
			return putInts[int32](ctx, &out[0], splits)
		}
		return putInts[int64](ctx, &out[0], splits)
	}), nil
}

func newTranscode(c *kernel.Construction) (kernel.Kernel, error) {
	p, err := newRepair(c)
	if err != nil {
		return nil, err
	}
	decoderOf, err := newDecoder(c.Str("input_encoding"))
	if err != nil {
		return nil, err
	}
	put := encoders[c.Str("output_encoding")]
	return &text{func(s string) (string, error) {
		b := make([]byte, 0, len(s))
		decode, mark := decoderOf(s)
		err := p.each(s, decode, mark, func(r rune, _ int) { b = put(b, r) })
		return string(b), err
	}, 16}, nil
}

func newEncodeRows(c *kernel.Construction) (kernel.Kernel, error) {
	p, err := newRepair(c)
	if err != nil {
		return nil, err
	}
	put := encoders[c.Str("output_encoding")]
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		splits, err := kernel.AppendIntVector(make([]int64, 0, in[1].NumElements()), &in[1], "input_splits")
		if err != nil {
			return err
		}
		points := tensor.Of[int32](&in[0])
		if err := checkRows(splits, int64(len(points))); err != nil {
			return err
		}
		v, err := ctx.Alloc(tensor.String, []int64{int64(len(splits) - 1)})
		if err != nil {
			return err
		}
		out[0] = v
		o := tensor.Of[string](&out[0])
		longest := int64(0)
		for i := range o {
			longest = max(longest, splits[i+1]-splits[i])
		}
		b, err := kernel.Scratch[byte](ctx, int(longest)*utf8.UTFMax) // nor is a code point longer in other encodings
		if err != nil {
			return err
		}
		made := 0
		for i := range o {
			b = b[:0]
			row := points[splits[i]:splits[i+1]]
			for lo, hi := range ctx.Ranges(len(row), 1<<13) {
				for _, r := range row[lo:hi] {
					switch {
					case utf8.ValidRune(r):
						b = put(b, r)
					case p.errors == "strict":
						return status.Invalid("Code point is out of range for Unicode, or is a surrogate.")
					case p.errors == "replace":
						b = put(b, p.replacement)
					}
				}
			}
			if made += len(b); made >= long {
				if err := ctx.Reserve(made); err != nil {
					return err
				}
				made = 0
			}
			o[i] = string(b)
		}
		return nil
	}), nil
}

// checkRows checks where rows of n code points begin and end.
func checkRows(splits []int64, n int64) error {
	if len(splits) == 0 {
		return status.Invalid("Input_splits should contain elements, but given input_values has 0 elements")
	}
	if splits[0] != 0 {
		return status.Invalid("First value in input_splits must be zero.")
	}
	if splits[len(splits)-1] != n {
		return status.Invalid("Last value in input_splits must be equal to length of input_tensor.")
	}
	for i, s := range splits[1:] {
		if s > n {
			return status.Invalid("Values in input_splits must be less than or equal to input_tensor length.")
		}
		if s < splits[i] {
			return status.Invalid("Values in input_splits must not decrease.")
		}
	}
	return nil
}
