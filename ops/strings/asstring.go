package strings

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/summary"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AsString").
		Input("input: T").Output("output: string").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128, bool, variant, string}").
		Attr("precision: int = -1").
		Attr("scientific: bool = false").
		Attr("shortest: bool = false").
		Attr("width: int = -1").
		Attr("fill: string = ''").
		Doc(`Prints numbers and bools as C's printf does.

precision: Digits after the point, or all digits with shortest; negative means 6.
scientific: Whether floats have an exponent.
shortest: Whether floats have one where that is shorter.
width: The least number of characters; no matter if negative.
fill: What a number is filled up with: a space, "0", "-" to fill on the right, or "+" for a sign. Empty for spaces.`)
	kernel.ForAll(newAsString, "AsString")

	gradient.None("AsString")
}

// A format is that of one number: a conversion of C's printf.
type format struct {
	verb             byte // e, f or g
	flag             byte // 0 without one
	width, precision int  // negative: none
}

func newAsString(c *kernel.Construction) (kernel.Kernel, error) {
	dt, precision, width, fill := c.Type("T"), c.Int("precision"), c.Int("width"), c.Str("fill")
	scientific, shortest := c.Bool("scientific"), c.Bool("shortest")
	fractions := slices.Contains(elementwise.Fields, dt) || dt == tensor.String
	switch {
	case !fractions && (scientific || shortest):
		return nil, c.Errorf("scientific and shortest format not supported for datatype %v", dt)
	case !fractions && precision >= 0:
		return nil, c.Errorf("precision not supported for datatype %v", dt)
	case len(fill) > 1:
		return nil, c.Errorf("Fill string must be one or fewer characters")
	case scientific && shortest:
		return nil, c.Errorf("Cannot select both scientific and shortest notation")
	case fill != "" && !strings.Contains(" +-0#", fill):
		return nil, c.Errorf("Fill argument not supported: \"%s\"", fill)
	case precision > math.MaxInt32 || width > math.MaxInt32:
		return nil, c.Errorf("precision %d and width %d must be 32-bit integers", precision, width)
	}
	f := format{verb: 'f', width: int(max(width, -1)), precision: int(max(precision, -1))}
	if fill != "" {
		f.flag = fill[0]
	}
	if scientific {
		f.verb = 'e'
	} else if shortest {
		f.verb = 'g'
	}
	print := f.printer(dt)
	if print == nil {
		return nil, c.Errorf("Type not supported: %v", dt)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		n := in[0].NumElements()
		if err := room(ctx, float64(n)*float64(max(f.width, 0)+max(f.precision, 0))); err != nil {
			return err
		}
		v, err := ctx.Alloc(tensor.String, in[0].Dims())
		if err != nil {
			return err
		}
		out[0] = v
		print(ctx, &in[0], tensor.Of[string](&out[0]))
		return nil
	}), nil
}

// printer returns what prints elements of a dtype; nil if it has no text.
func (f format) printer(dt tensor.DType) func(ctx *kernel.Context, v *tensor.Value, o []string) {
	switch dt {
	case tensor.Bool:
		return printing(strconv.FormatBool)
	case tensor.Int8:
		return signed[int8](f)
	case tensor.Int16:
		return signed[int16](f)
	case tensor.Int32:
		return signed[int32](f)
	case tensor.Int64:
		return signed[int64](f)
	case tensor.Uint8:
		return unsigned[uint8](f)
	case tensor.Uint16:
		return unsigned[uint16](f)
	case tensor.Uint32:
		return unsigned[uint32](f)
	case tensor.Uint64:
		return unsigned[uint64](f)
	case tensor.Half:
		return printing(func(x tensor.Float16) string { return f.float(float64(x.Float32())) })
	case tensor.Bfloat16:
		return printing(func(x tensor.BFloat16) string { return f.float(float64(x.Float32())) })
	case tensor.Float:
		return printing(func(x float32) string { return f.float(float64(x)) })
	case tensor.Double:
		return printing(f.float)
	case tensor.Complex64:
		return printing(func(x complex64) string { return f.complex(complex128(x)) })
	case tensor.Complex128:
		return printing(f.complex)
	case tensor.String:
		return printing(f.string)
	}
	return nil
}

func printing[T tensor.Element](f func(T) string) func(ctx *kernel.Context, v *tensor.Value, o []string) {
	return func(ctx *kernel.Context, v *tensor.Value, o []string) {
		x := tensor.Of[T](v)
		for lo, hi := range ctx.Ranges(len(x), 1<<10) {
			for i, x := range x[lo:hi] {
				o[lo+i] = f(x)
			}
		}
	}
}

func signed[T int8 | int16 | int32 | int64](f format) func(ctx *kernel.Context, v *tensor.Value, o []string) {
	return printing(func(x T) string {
		digits, negative := strings.CutPrefix(strconv.FormatInt(int64(x), 10), "-")
		return f.fill(f.sign(negative), digits, true)
	})
}

func unsigned[T uint8 | uint16 | uint32 | uint64](f format) func(ctx *kernel.Context, v *tensor.Value, o []string) {
	return printing(func(x T) string { return f.fill("", strconv.FormatUint(uint64(x), 10), true) })
}

func (f format) float(x float64) string {
	sign := f.sign(math.Signbit(x) && !math.IsNaN(x))
	switch {
	case math.IsNaN(x):
		return f.fill(sign, "nan", false)
	case math.IsInf(x, 0):
		return f.fill(sign, "inf", false)
	}
	x = math.Abs(x)
	precision := f.precision
	if precision < 0 {
		precision = 6
	}
	var digits string
	if f.verb == 'g' {
		digits = summary.General(x, precision, f.flag == '#')
	} else {
		digits = strconv.FormatFloat(x, f.verb, precision, 64)
	}
	if f.flag == '#' && !strings.Contains(digits, ".") {
		mantissa, exponent, found := strings.Cut(digits, "e")
		if digits = mantissa + "."; found {
			digits += "e" + exponent
		}
	}
	return f.fill(sign, digits, true)
}

func (f format) complex(x complex128) string {
	return "(" + f.float(real(x)) + "," + f.float(imag(x)) + ")"
}

func (f format) string(s string) string {
	if f.precision >= 0 && f.precision < len(s) {
		s = s[:f.precision]
	}
	return f.fill("", s, false)
}

// sign returns what stands before a number's digits.
func (f format) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case f.flag == '+', f.flag == ' ':
		return string(f.flag)
	}
	return ""
}

// fill makes a text as wide as it is to be; zeros only go before a number.
func (f format) fill(sign, digits string, number bool) string {
	missing := f.width - len(sign) - len(digits)
	switch {
	case missing <= 0:
		return sign + digits
	case f.flag == '-':
		return sign + digits + strings.Repeat(" ", missing)
	case f.flag == '0' && number:
		return sign + strings.Repeat("0", missing) + digits
	}
	return strings.Repeat(" ", missing) + sign + digits
}
