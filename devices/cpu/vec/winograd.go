package vec

import (
	"fmt"
	"unsafe"
)

// A Winograd is the transforms by which a convolution of 3×3 filters takes fewer
// multiplications: S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin and
// S. Gray, Fast Algorithms for Convolutional Neural Networks (2015). Size×Size pixels of the
// result come from a square of Points×Points of the image: [Winograd.Input] of it, for each of
// Points² positions, is multiplied with [Winograd.Filter] there and summed up over the
// channels, and [Winograd.Output] of the sums is the result.
//
// The points that stand for polynomials are 0, ±1 and infinity for 2×2 pixels, and 0, ±5/8,
// ±3/2 and infinity for 4×4. Of the usual 0, ±1, ±2 sums have about twice the error on average,
// and four times at most: numbers of the transforms are nearer to one another here, and all
// factors are exact. How to choose them: B. Barabasz, A. Anderson, K. Soodhalter and D. Gregg,
// Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks
// (2020).
type Winograd struct {
	Size, Points int
}

// Winograd2 and Winograd4 make 2×2 and 4×4 pixels.
var (
	Winograd2 = &Winograd{2, 4}
	Winograd4 = &Winograd{4, 6}
)

// The points of Winograd4, and what is made of them.
const (
	pointA        = 0.625
	pointB        = 1.5
	pointA2       = pointA * pointA
	pointB2       = pointB * pointB
	pointA3       = pointA * pointA2
	pointB3       = pointB * pointB2
	pointsSum     = pointA2 + pointB2
	pointsProduct = pointA2 * pointB2
)

// A winogradRun is one call of the assembly. Distances count bytes. The assembly knows the
// fields by their order.
type winogradRun struct {
	src            unsafe.Pointer
	line, pixel    uintptr
	dst            unsafe.Pointer
	dstLine        uintptr
	dstPixel       uintptr
	channels       int
	temp           unsafe.Pointer
	lines, columns int
	finish         finishing
}

// Lanes is how many channels transforms take at a time: their results have a multiple of it.
func (w *Winograd) Lanes() int {
	if isa == avx512 {
		return 16
	}
	return 8
}

// Whole returns n rounded up to a multiple of Lanes.
func (w *Winograd) Whole(n int) int { return (n + w.Lanes() - 1) / w.Lanes() * w.Lanes() }

// Temp is how many elements of memory a transform needs.
func (w *Winograd) Temp() int { return w.Points * w.Points * w.Lanes() }

// Input transforms a square of an image whose lines and pixels are so far apart: position i
// goes to dst from i·step on, for each channel a number, and as many more as make Whole. It
// panics if something lies outside.
func (w *Winograd) Input(dst []float32, step int, src []float32, line, pixel, channels int, temp []float32) {
	n := w.Points
	if channels < 1 || line < 0 || pixel < 0 || step < 0 || len(src) < (n-1)*(line+pixel)+channels || len(dst) < (n*n-1)*step+w.Whole(channels) || len(temp) < w.Temp() {
		panic(fmt.Sprintf("vec: %d channels of %d×%d pixels are not in %d, %d and %d elements", channels, n, n, len(src), len(dst), len(temp)))
	}
	if isa == portable {
		w.portableInput(dst, step, src, line, pixel, channels)
		return
	}
	t := winogradRun{src: unsafe.Pointer(&src[0]), line: uintptr(line) * 4, pixel: uintptr(pixel) * 4,
		dst: unsafe.Pointer(&dst[0]), dstPixel: uintptr(step) * 4, channels: channels, temp: unsafe.Pointer(&temp[0])}
	switch {
	case isa == avx512 && n == 6:
		winogradInput6AVX512(&t)
	case isa == avx512:
		winogradInput4AVX512(&t)
	case n == 6:
		winogradInput6AVX2(&t)
	default:
		winogradInput4AVX2(&t)
	}
}

// A WinogradSquare is where pixels of a result lie: so many lines and columns of its square, from
// element At on, of so many channels. From its column First on they are finished with.
type WinogradSquare struct {
	At             int
	Line, Pixel    int // distances
	Lines, Columns int
	First          int
	Channels       int
}

// Output transforms sums, of which position i is from i·step on, into a square of dst, and
// finishes it as f says: what that adds lies as dst does. It panics if something lies outside.
func (w *Winograd) Output(dst []float32, s WinogradSquare, src []float32, step int, f *Finish, temp []float32) {
	n := w.Points
	end := s.At + (s.Lines-1)*s.Line + (s.Columns-1)*s.Pixel + s.Channels
	if s.At < 0 || s.Line < 0 || s.Pixel < 0 || s.First < 0 || s.Channels < 1 || s.Lines < 1 || s.Lines > w.Size || s.Columns < 1 || s.Columns > w.Size || step < 0 ||
		len(dst) < end || len(src) < (n*n-1)*step+w.Whole(s.Channels) || len(temp) < w.Temp() {
		panic(fmt.Sprintf("vec: %+v is not in %d, %d and %d elements", s, len(dst), len(src), len(temp)))
	}
	f.check(s.First+s.Channels, end)
	if isa == portable {
		w.portableOutput(dst, s, src, step, f)
		return
	}
	t := winogradRun{src: unsafe.Pointer(&src[0]), pixel: uintptr(step) * 4, dst: unsafe.Pointer(&dst[s.At]), dstLine: uintptr(s.Line) * 4,
		dstPixel: uintptr(s.Pixel) * 4, channels: s.Channels, temp: unsafe.Pointer(&temp[0]), lines: s.Lines, columns: s.Columns}
	if r := f.run(); r.what != 0 {
		t.finish = r.from(s.First, s.At)
	}
	switch {
	case isa == avx512 && n == 6:
		winogradOutput6AVX512(&t)
	case isa == avx512:
		winogradOutput4AVX512(&t)
	case n == 6:
		winogradOutput6AVX2(&t)
	default:
		winogradOutput4AVX2(&t)
	}
}

// Filters transforms n filters of 3×3 numbers, which follow each other in src: their lines and
// numbers are so far apart. Position i goes to dst from i·step on. n is a multiple of Lanes. It
// panics if something lies outside.
//
// It computes in double and rounds once.
func (w *Winograd) Filters(dst []float32, step int, src []float32, line, pixel, n int, temp []float32) {
	if n < 1 || n%w.Lanes() != 0 || line < 0 || pixel < 0 || step < 0 || len(src) < 2*(line+pixel)+n || len(dst) < (w.Points*w.Points-1)*step+n || len(temp) < w.Temp() {
		panic(fmt.Sprintf("vec: %d filters are not in %d, %d and %d elements", n, len(src), len(dst), len(temp)))
	}
	if isa == portable {
		w.portableFilters(dst, step, src, line, pixel, n)
		return
	}
	t := winogradRun{src: unsafe.Pointer(&src[0]), line: uintptr(line) * 4, pixel: uintptr(pixel) * 4,
		dst: unsafe.Pointer(&dst[0]), dstPixel: uintptr(step) * 4, channels: n, temp: unsafe.Pointer(&temp[0])}
	switch {
	case isa == avx512 && w.Points == 6:
		winogradFilter6AVX512(&t)
	case isa == avx512:
		winogradFilter4AVX512(&t)
	case w.Points == 6:
		winogradFilter6AVX2(&t)
	default:
		winogradFilter4AVX2(&t)
	}
}
