package strings

import (
	"math"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringNGrams").
		Input("data: string").Input("data_splits: Tsplits").Output("ngrams: string").
		Output("ngrams_splits: Tsplits").
		Attr("separator: string").
		Attr("ngram_widths: list(int) >= 0").
		Attr("left_pad: string").
		Attr("right_pad: string").
		Attr("pad_width: int").
		Attr("preserve_short_sequences: bool").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Joins neighboring strings of each row of a ragged matrix.

data: The strings of all rows.
data_splits: Where rows begin and end.
separator: What stands between joined strings.
ngram_widths: How many strings are joined.
left_pad: What stands before a row.
right_pad: What stands after a row.
pad_width: How much of that; -1 for one less than the width.
preserve_short_sequences: Whether a row shorter than all widths is returned as a whole.`)

	kernel.ForAll(newNGrams, "StringNGrams")
}

type nGrams struct {
	separator, left, right string
	widths                 []int64
	pad                    int64
	preserve               bool
}

func newNGrams(c *kernel.Construction) (kernel.Kernel, error) {
	k := &nGrams{
		separator: c.Str("separator"), left: c.Str("left_pad"), right: c.Str("right_pad"),
		widths: c.Ints("ngram_widths"), pad: c.Int("pad_width"), preserve: c.Bool("preserve_short_sequences"),
	}
	for _, w := range k.widths {
		if w <= 0 || w > math.MaxInt32 {
			return nil, c.Errorf("ngram_widths must contain positive values")
		}
	}
	if k.pad > math.MaxInt32 {
		return nil, c.Errorf("pad_width %d is no 32-bit integer", k.pad)
	}
	return k, nil
}

// padding returns how many pads an n-gram of that width may have on a side.
func (k *nGrams) padding(width int64) int64 {
	if k.pad < 0 {
		return width - 1
	}
	return min(k.pad, width-1)
}

// count returns how many n-grams of that width n strings have.
func (k *nGrams) count(n, width int64) int64 { return max(0, n+2*k.padding(width)-width+1) }

func (k *nGrams) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 1 || in[1].Rank() != 1 {
		return status.Invalid("data and data_splits must be vectors, got shapes %s and %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	data := tensor.Of[string](&in[0])
	splits := kernel.AppendInts(make([]int64, 0, in[1].NumElements()), &in[1])
	if err := checkSplits(splits, int64(len(data))); err != nil {
		return err
	}
	rows := make([]int64, len(splits)) // where the n-grams of each row begin and end
	total := int64(0)
	if len(data) == 0 {
		splits = nil
	}
	size := 0.0
	for i := 1; i < len(splits); i++ {
		n := splits[i] - splits[i-1]
		count, bytes := k.measure(data[splits[i-1]:splits[i]])
		if k.preserve && n > 0 && count == 0 {
			if k.pad < 0 {
				return status.Invalid("Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got %d", k.pad)
			}
			count, bytes = 1, k.weight(data[splits[i-1]:splits[i]], n+2*k.pad, 1)
		}
		if size += bytes; size > maxBytes {
			return room(ctx, size)
		}
		total += count
		rows[i] = total
	}
	if err := room(ctx, size); err != nil {
		return err
	}
	if len(splits) == 0 {
		total = int64(len(data)) // without rows, as many empty strings
	}
	var err error
	if out[0], err = ctx.Alloc(tensor.String, []int64{total}); err != nil {
		return err
	}
	o := tensor.Of[string](&out[0])
	for i := 1; i < len(splits); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := data[splits[i-1]:splits[i]]
		to := o[rows[i-1]:rows[i]]
		for _, w := range k.widths {
			n := k.count(int64(len(row)), w)
			if err := k.fill(ctx, to[:n], row, w); err != nil {
				return err
			}
			to = to[n:]
		}
		if len(to) > 0 { // the row as a whole
			if err := k.fill(ctx, to, row, int64(len(row))+2*k.pad); err != nil {
				return err
			}
		}
	}
	if in[1].DType() == tensor.Int32 {
		return putInts[int32](ctx, &out[1], rows)
	}
	return putInts[int64](ctx, &out[1], rows)
}

// measure returns how many n-grams a row has, and a bound on their size.
func (k *nGrams) measure(row []string) (count int64, bytes float64) {
	for _, w := range k.widths {
		n := k.count(int64(len(row)), w)
		count += n
		bytes += k.weight(row, w, n)
	}
	return count, bytes
}

// weight bounds the bytes that n n-grams of that width have, counting one for
// every part.
func (k *nGrams) weight(row []string, width, n int64) float64 {
	pads := float64(k.padding(width)) * float64(len(k.left)+len(k.right))
	return float64(n)*(float64(width)*float64(len(k.separator)+1)+pads) + float64(min(width, n))*length(row)
}

// fill sets to to the n-grams of a row.
func (k *nGrams) fill(ctx *kernel.Context, to, row []string, width int64) error {
	if len(to) == 0 {
		return nil
	}
	pad, reserved := int(k.padding(width)), ctx.Reserved()
	parts, err := kernel.Scratch[string](ctx, int(width))
	if err != nil {
		return err
	}
	defer ctx.UnreserveTo(reserved)
	perAsk := 1<<13/len(parts) + 1
	for i := range to {
		if i%perAsk == 0 {
			ctx.Ask()
		}
		left, right := max(0, pad-i), max(0, pad-(len(to)-i-1))
		parts = parts[:0]
		for range left {
			parts = append(parts, k.left)
		}
		if tokens := int(width) - left - right; tokens > 0 {
			from := max(0, i-pad)
			parts = append(parts, row[from:from+tokens]...)
		}
		for range right {
			parts = append(parts, k.right)
		}
		to[i] = strings.Join(parts, k.separator)
	}
	return nil
}

// checkSplits checks where rows of n strings begin and end.
func checkSplits(splits []int64, n int64) error {
	if len(splits) == 0 {
		return nil
	}
	before := splits[0]
	if before != 0 {
		return status.Invalid("First split value must be 0, got %d", before)
	}
	for _, s := range splits[1:] {
		if s < before || s > n {
			return status.Invalid("Invalid split value %d, must be in [%d, %d]", s, before, n)
		}
		before = s
	}
	if before != n {
		return status.Invalid("Last split value must be data size. Expected %d, got %d", n, before)
	}
	return nil
}

// putInts makes a vector of numbers an output.
func putInts[T int32 | int64](ctx *kernel.Context, out *tensor.Value, x []int64) error {
	v, err := ctx.Alloc(tensor.DTypeOf[T](), []int64{int64(len(x))})
	if err != nil {
		return err
	}
	*out = v
	o := tensor.Of[T](out)
	for i := range o {
		o[i] = T(x[i])
	}
	return nil
}
