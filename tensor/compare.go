package tensor

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// A Tolerance says how far a number may be from the one that is wanted:
// |got − want| ≤ ATol + RTol·|want|. The zero Tolerance asks for equal values.
type Tolerance struct {
	RTol, ATol float64
	Exact      bool // equal bits instead, any NaN for a NaN
}

// Compare reports whether got is want, as nil or as a FAILED_PRECONDITION error with the
// first difference and how many there are. Dtype and shape must be equal.
// Floats of every size hold if they are within tol; NaN equals NaN and
// infinities must be equal; the parts of complex numbers are compared apart.
// Everything else must be equal: handles by the names they carry (nil has none), variants by
// their serialized form ([RegisterVariantForm]).
func Compare(got, want *Tensor, tol Tolerance) error {
	if got.dtype != want.dtype {
		return status.Errorf(status.FailedPrecondition, "dtype is %v, want %v", got.dtype, want.dtype)
	}
	if FormatDims(got.shape) != FormatDims(want.shape) {
		return status.Errorf(status.FailedPrecondition, "shape is %s, want %s", FormatDims(got.shape), FormatDims(want.shape))
	}
	equal := equality(got, want, tol)
	first, count := -1, 0
	for i := range want.n {
		if !equal(i) {
			if count++; first < 0 {
				first = i
			}
		}
	}
	if count == 0 {
		return nil
	}
	var b strings.Builder
	if len(want.shape) > 0 {
		fmt.Fprintf(&b, "element %s is ", FormatDims(indexOf(first, want.shape)))
	} else {
		b.WriteString("value is ")
	}
	fmt.Fprintf(&b, "%s, want %s", clip(exactText(got, first)), clip(exactText(want, first)))
	if by := distance(got, want, first); by != "" {
		fmt.Fprintf(&b, " (off by %s)", by)
	}
	if want.n > 1 {
		fmt.Fprintf(&b, "; %d of %d elements differ", count, want.n)
	}
	return status.Errorf(status.FailedPrecondition, "%s", b.String())
}

// equality reports whether elements i of got and want, of one dtype, agree.
func equality(got, want *Tensor, tol Tolerance) func(i int) bool {
	switch want.dtype {
	case String:
		g, w := elems[string](got), elems[string](want)
		return func(i int) bool { return g[i] == w[i] }
	case Resource:
		g, w := elems[*Handle](got), elems[*Handle](want)
		return func(i int) bool { return equalHandles(g[i], w[i]) }
	case Variant:
		g, w := elems[*Object](got), elems[*Object](want)
		return func(i int) bool { return equalObjects(g[i], w[i]) }
	}
	if !want.dtype.isFloat() {
		return sameBytes(got, want)
	}
	complex := want.dtype == Complex64 || want.dtype == Complex128
	if tol.Exact {
		same := sameBytes(got, want)
		return func(i int) bool {
			if same(i) {
				return true
			}
			if complex {
				g, w := got.ComplexAt(i), want.ComplexAt(i)
				return equalBits(real(g), real(w)) && equalBits(imag(g), imag(w))
			}
			return equalBits(got.FloatAt(i), want.FloatAt(i))
		}
	}
	if complex {
		return func(i int) bool {
			g, w := got.ComplexAt(i), want.ComplexAt(i)
			return tol.holds(real(g), real(w)) && tol.holds(imag(g), imag(w))
		}
	}
	return func(i int) bool { return tol.holds(got.FloatAt(i), want.FloatAt(i)) }
}

func (tol Tolerance) holds(got, want float64) bool {
	switch {
	case got == want || got != got && want != want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return false
	}
	return math.Abs(got-want) <= tol.ATol+tol.RTol*math.Abs(want)
}

func equalBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

func sameBytes(got, want *Tensor) func(i int) bool {
	g, w, size := got.rawBytes(), want.rawBytes(), want.dtype.Size()
	return func(i int) bool { return bytes.Equal(g[i*size:(i+1)*size], w[i*size:(i+1)*size]) }
}

func equalHandles(a, b *Handle) bool {
	none := &Handle{}
	if a == nil {
		a = none
	}
	if b == nil {
		b = none
	}
	return a.Device == b.Device && a.Container == b.Container && a.Name == b.Name && a.Type == b.Type
}

func equalObjects(a, b *Object) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	// A value without a serialized form equals itself alone.
	x, err := variantForm(FromScalar(a))
	if err != nil {
		return false
	}
	y, err := variantForm(FromScalar(b))
	return err == nil && bytes.Equal(x, y)
}

// indexOf returns the index of element i of a tensor of that shape.
func indexOf(i int, shape []int64) []int64 {
	index := make([]int64, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		index[axis] = int64(i) % shape[axis]
		i /= int(shape[axis])
	}
	return index
}

// exactText is element i with all its digits.
func exactText(t *Tensor, i int) string {
	if t.dtype == Bfloat16 || t.dtype.Size() == 1 && t.dtype.isFloat() {
		return fmt.Sprint(t.FloatAt(i))
	}
	return elementText(t, i)
}

// distance is by how much elements i differ; empty if that says nothing.
func distance(got, want *Tensor, i int) string {
	switch want.dtype {
	case Complex64, Complex128:
		d := got.ComplexAt(i) - want.ComplexAt(i)
		return fmt.Sprintf("%.3g in the real part and %.3g in the imaginary", math.Abs(real(d)), math.Abs(imag(d)))
	}
	if !want.dtype.isFloat() {
		return ""
	}
	d := math.Abs(got.FloatAt(i) - want.FloatAt(i))
	if d != d || math.IsInf(d, 0) {
		return ""
	}
	return fmt.Sprintf("%.3g", d)
}

// clip shortens what would not fit a line.
func clip(s string) string {
	if len(s) > 80 {
		return s[:77] + "..."
	}
	return s
}
