package strings

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Substr").
		Input("input: string").Input("pos: T").Input("len: T").Output("output: string").
		Attr("T: {int32, int64}").
		Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'").
		Doc(`Cuts substrings out of strings, with broadcasting.

input: The strings.
pos: Where a substring begins; negative counts from the end. A place outside of the string is an error.
len: How long they are; less where the string ends.
unit: Whether to count bytes ("BYTE") or code points ("UTF8_CHAR").`)
	kernel.ForAll(newSubstr, "Substr")
}

// unitCharacter is the unit of UTF-8 characters; the other is bytes.
const unitCharacter = "UTF8_CHAR"

// A substr cuts size units out of a string, from unit pos on; ok is false if
// there is no such place.
type substr struct {
	cut        func(ctx *kernel.Context, s string, pos, size int64) (part string, ok bool)
	quote      bool // errors quote the string
	characters bool // units are characters
}

func newSubstr(c *kernel.Construction) (kernel.Kernel, error) {
	if c.Str("unit") == unitCharacter {
		return substr{cut: cutCharacters, characters: true}, nil
	}
	return substr{cut: cutBytes, quote: true}, nil
}

// Run cuts every string, with the places broadcast over the strings.
func (k substr) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if !slices.Equal(in[1].Dims(), in[2].Dims()) {
		return status.Invalid("pos and len should have the same shape, got: %s vs. %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
	}
	dims, err := elementwise.BroadcastDims(in[0].Dims(), in[1].Dims())
	if err != nil {
		return err
	}
	v, err := ctx.Alloc(tensor.String, dims)
	if err != nil {
		return err
	}
	out[0] = v
	x, o := tensor.Of[string](&in[0]), tensor.Of[string](&out[0])
	pos, err := kernel.Scratch[int64](ctx, in[1].NumElements())
	if err != nil {
		return err
	}
	size, err := kernel.Scratch[int64](ctx, in[2].NumElements())
	if err != nil {
		return err
	}
	pos, size = kernel.AppendInts(pos[:0], &in[1]), kernel.AppendInts(size[:0], &in[2])
	var credit kernel.Credit
	places := walk(dims, in[0].Dims(), in[1].Dims())
	for i := range o {
		s, p := x[places.at[0]], places.at[1]
		work := 16
		if k.characters { // which are counted, up to the end
			work += 2 * len(s)
		}
		if !credit.Spend(ctx, work) {
			return ctx.Err()
		}
		part, ok := k.cut(ctx, s, pos[p], size[p])
		if !ok {
			quoted := ""
			if k.quote {
				quoted = "b'" + shorten(s) + "' "
			}
			return status.Invalid("pos %d out of range for string %sat index %d", pos[p], quoted, i)
		}
		if err := ctx.Reserve(len(part)); err != nil {
			return err
		}
		if !credit.Spend(ctx, len(part)) {
			return ctx.Err()
		}
		o[i] = own(s, part)
		places.next()
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}

func cutBytes(_ *kernel.Context, s string, pos, size int64) (string, bool) {
	lo, hi, ok := span(int64(len(s)), pos, size)
	return s[lo:hi], ok
}

func cutCharacters(ctx *kernel.Context, s string, pos, size int64) (string, bool) {
	n := 0
	for lo, hi := range ctx.Ranges(len(s), textPart) {
		n += characters(s[lo:hi])
	}
	lo, hi, ok := span(int64(n), pos, max(size, 0))
	from := placeOf(ctx, s, lo)
	return s[from:][:placeOf(ctx, s[from:], hi-lo)], ok
}

// textPart is how many bytes of a string are gone through without asking.
const textPart = 1 << 18

// placeOf returns where character n of s begins; the end if there is none.
func placeOf(ctx *kernel.Context, s string, n int64) int {
	for i := range len(s) {
		if i%textPart == textPart-1 {
			ctx.Ask()
		}
		if begins(s[i]) {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(s)
}

// span returns the size units from pos on of n; a negative size is all that is left.
func span(n, pos, size int64) (lo, hi int64, ok bool) {
	if pos < -n || pos > n {
		return 0, 0, false
	}
	if pos < 0 {
		pos += n
	}
	if size < 0 || size > n-pos {
		size = n - pos
	}
	return pos, pos + size, true
}

// A walker steps through the places of a result in row-major order and tells
// which elements of two operands are broadcast there.
type walker struct {
	at      [2]int
	dims    []int64
	place   []int64
	strides [2][]int
}

func walk(dims, x, y []int64) *walker {
	w := &walker{dims: dims, place: make([]int64, len(dims))}
	for k, d := range [2][]int64{x, y} {
		w.strides[k] = make([]int, len(dims))
		for i, n := len(d)-1, 1; i >= 0; i-- {
			if d[i] > 1 {
				w.strides[k][i+len(dims)-len(d)] = n
			}
			n *= int(d[i])
		}
	}
	return w
}

func (w *walker) next() {
	for i := len(w.dims) - 1; i >= 0; i-- {
		for k := range w.at {
			w.at[k] += w.strides[k][i]
		}
		if w.place[i]++; w.place[i] < w.dims[i] {
			return
		}
		for k := range w.at {
			w.at[k] -= w.strides[k][i] * int(w.dims[i])
		}
		w.place[i] = 0
	}
}
