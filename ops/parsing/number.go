package parsing

import (
	"errors"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StringToNumber").
		Input("string_tensor: string").Output("output: out_type").
		Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT").
		Doc(`Parses strings as numbers, with white space around them; any other text is an error.

out_type: The type of the numbers.`)
	kernel.ForType("StringToNumber", "out_type", tensor.Float, newNumbers(func(s string) (float32, error) {
		x, err := parseFloat(s, 32)
		return float32(x), err
	}))
	kernel.ForType("StringToNumber", "out_type", tensor.Double, newNumbers(func(s string) (float64, error) { return parseFloat(s, 64) }))
	kernel.ForType("StringToNumber", "out_type", tensor.Int32, newNumbers(func(s string) (int32, error) {
		x, err := strconv.ParseInt(s, 10, 32)
		return int32(x), err
	}))
	kernel.ForType("StringToNumber", "out_type", tensor.Int64, newNumbers(func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
	kernel.ForType("StringToNumber", "out_type", tensor.Uint32, newNumbers(func(s string) (uint32, error) {
		x, err := parseUnsigned(s, 32)
		return uint32(x), err
	}))
	kernel.ForType("StringToNumber", "out_type", tensor.Uint64, newNumbers(func(s string) (uint64, error) { return parseUnsigned(s, 64) }))

	gradient.None("StringToNumber")
}

// long is the length of a text from which what parsing it takes is charged.
const long = 1 << 12

// newNumbers makes the kernel that parses what is between white space.
//
//go:noinline
func newNumbers[T tensor.Element](parse func(s string) (T, error)) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			v, err := ctx.Alloc(tensor.DTypeOf[T](), in[0].Dims())
			if err != nil {
				return err
			}
			out[0] = v
			o := tensor.Of[T](&out[0])
			before := ctx.Reserved()
			defer ctx.UnreserveTo(before)
			for i, s := range tensor.Of[string](&in[0]) {
				if i%1024 == 1023 {
					if err := ctx.Err(); err != nil {
						return err
					}
				}
				if len(s) > long { // copies of it, and the message about it
					ctx.UnreserveTo(before)
					if err := ctx.Reserve(4 * len(s)); err != nil {
						return err
					}
				}
				if o[i], err = parse(strings.Trim(s, " \t\n\v\f\r")); err != nil {
					return status.Invalid("StringToNumberOp could not correctly convert string: %s", s)
				}
			}
			return nil
		}), nil
	}
}

func parseUnsigned(s string, bits int) (uint64, error) {
	return strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, bits)
}

// parseFloat reads what C's strtod does. A number that is too large is
// infinite.
func parseFloat(s string, bits int) (float64, error) {
	digits := strings.ToLower(strings.TrimLeft(s, "+-"))
	switch {
	case strings.Contains(s, "_"):
		return 0, strconv.ErrSyntax
	case strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p"):
		s += "p0" // an exponent, which Go wants
	case strings.HasPrefix(digits, "nan(") && strings.HasSuffix(digits, ")"):
		s = s[:len(s)-len(digits)] + "nan"
	}
	x, err := strconv.ParseFloat(s, bits)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	return x, err
}
