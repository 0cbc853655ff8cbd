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
	if !prints(dt) {
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
		o := tensor.Of[string](&out[0])
		for lo, hi := range ctx.Ranges(n, 1<<10) {
			for i := lo; i < hi; i++ {
				o[i] = f.element(&in[0], i)
			}
		}
		return nil
	}), nil
}

// prints reports whether elements of a dtype have a text.
func prints(dt tensor.DType) bool {
	switch dt {
	case tensor.Bool, tensor.String, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
		tensor.Half, tensor.Bfloat16, tensor.Float, tensor.Double, tensor.Complex64, tensor.Complex128:
		return true
	}
	return false
}

// element returns the text of element i.
func (f format) element(v *tensor.Value, i int) string {
	switch v.DType() {
	case tensor.Bool:
		return strconv.FormatBool(tensor.Of[bool](v)[i])
	case tensor.Int8:
		return f.signed(int64(tensor.Of[int8](v)[i]))
	case tensor.Int16:
		return f.signed(int64(tensor.Of[int16](v)[i]))
	case tensor.Int32:
		return f.signed(int64(tensor.Of[int32](v)[i]))
	case tensor.Int64:
		return f.signed(tensor.Of[int64](v)[i])
	case tensor.Uint8:
		return f.unsigned(uint64(tensor.Of[uint8](v)[i]))
	case tensor.Uint16:
		return f.unsigned(uint64(tensor.Of[uint16](v)[i]))
	case tensor.Uint32:
		return f.unsigned(uint64(tensor.Of[uint32](v)[i]))
	case tensor.Uint64:
		return f.unsigned(tensor.Of[uint64](v)[i])
	case tensor.Half:
		return f.float(float64(tensor.Of[tensor.Float16](v)[i].Float32()))
	case tensor.Bfloat16:
		return f.float(float64(tensor.Of[tensor.BFloat16](v)[i].Float32()))
	case tensor.Float:
		return f.float(float64(tensor.Of[float32](v)[i]))
	case tensor.Double:
		return f.float(tensor.Of[float64](v)[i])
	case tensor.Complex64:
		return f.complex(complex128(tensor.Of[complex64](v)[i]))
	case tensor.Complex128:
		return f.complex(tensor.Of[complex128](v)[i])
	}
	return f.string(tensor.Of[string](v)[i])
}

func (f format) signed(x int64) string {
	digits, negative := strings.CutPrefix(strconv.FormatInt(x, 10), "-")
	return f.fill(f.sign(negative), digits, true)
}

func (f format) unsigned(x uint64) string { return f.fill("", strconv.FormatUint(x, 10), true) }

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
