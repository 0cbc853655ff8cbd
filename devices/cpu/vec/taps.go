package vec

import (
	"fmt"
	"math"
	"unsafe"
)

// Taps are what pixels in a row take from an image whose channels are kept apart,
// as in a depthwise convolution: windows of Lines times Columns pixels, of each
// channel its sum of products with weights. Distances count elements.
type Taps struct {
	Channels       int
	Lines, Columns int
	Next, Column   int // from a line, a column of a window to the next
	WeightLine     int // from the weights of a line to those of the next; 0: all have the same
	Pixels, Step   int // from a window to the next
}

// A tapRun is one call of the assembly. Distances count bytes. The assembly knows
// the fields by their order.
type tapRun struct {
	src                unsafe.Pointer
	step, column, next uintptr
	weights            unsafe.Pointer
	tap, skip          uintptr // from tap to tap, and more from the last of a line to the next
	columns, lines     int
	dst                unsafe.Pointer
	dstStep            uintptr
	pixels, lanes      int
	taken              int // channels of this call: not the assembly's
}

// Multiply sets dst, Channels numbers for each pixel one after the other, to the
// sums over the windows that begin with src, line by line; products are rounded
// before they are added. weights has Channels numbers for each column of a line, or of
// all lines.
// It panics if something lies outside.
func (t *Taps) Multiply(dst, src, weights []float32) {
	t.check(len(dst), len(src))
	if t.WeightLine < t.Columns*t.Channels && t.WeightLine != 0 || len(weights) < (t.Lines-1)*t.WeightLine+t.Columns*t.Channels {
		panic(fmt.Sprintf("vec: the weights of %+v are not in %d elements", *t, len(weights)))
	}
	if isa == portable {
		t.portable(dst, src, weights)
		return
	}
	r := t.run()
	r.tap, r.skip = uintptr(t.Channels)*4, uintptr(t.WeightLine-t.Columns*t.Channels)*4
	for c := 0; c < t.Channels; {
		r.weights = unsafe.Pointer(&weights[c])
		switch wide := r.at(t, c, dst, src); {
		case wide && isa == avx512:
			tapsWideAVX512(&r)
		case wide:
			tapsWideAVX2(&r)
		case isa == avx512:
			tapsAVX512(&r)
		default:
			tapsAVX2(&r)
		}
		c += r.taken
	}
}

// Largest sets dst as Multiply does, to the largest number of each window: what is
// not a number is passed over, and the least result is the lowest finite number. Of
// zeros it is the first.
func (t *Taps) Largest(dst, src []float32) {
	t.check(len(dst), len(src))
	if isa == portable {
		t.portableLargest(dst, src)
		return
	}
	r := t.run()
	for c := 0; c < t.Channels; {
		switch wide := r.at(t, c, dst, src); {
		case wide && isa == avx512:
			tapsLargestWideAVX512(&r)
		case wide:
			tapsLargestWideAVX2(&r)
		case isa == avx512:
			tapsLargestAVX512(&r)
		default:
			tapsLargestAVX2(&r)
		}
		c += r.taken
	}
}

// check panics if something lies outside.
func (t *Taps) check(dst, src int) {
	if t.Channels <= 0 || t.Lines <= 0 || t.Columns <= 0 || t.Pixels <= 0 || t.Next < 0 || t.Column < 0 || t.Step < 0 ||
		dst < t.Pixels*t.Channels || src < (t.Pixels-1)*t.Step+(t.Lines-1)*t.Next+(t.Columns-1)*t.Column+t.Channels {
		panic(fmt.Sprintf("vec: %+v are not in %d and %d elements", *t, dst, src))
	}
}

// run returns what all calls of the assembly for t share.
func (t *Taps) run() tapRun {
	return tapRun{step: uintptr(t.Step) * 4, column: uintptr(t.Column) * 4, next: uintptr(t.Next) * 4,
		columns: t.Columns, lines: t.Lines, dstStep: uintptr(t.Channels) * 4, pixels: t.Pixels}
}

// at readies the call for channels c and on, and reports whether it is a wide one.
func (r *tapRun) at(t *Taps, c int, dst, src []float32) (wide bool) {
	r.src, r.dst, r.lanes = unsafe.Pointer(&src[c]), unsafe.Pointer(&dst[c]), t.Channels-c
	if r.taken = 8; isa == avx512 {
		r.taken = 16
	}
	if wide = r.lanes >= 4*r.taken; wide {
		r.taken *= 4
	}
	return wide
}

func (t *Taps) portable(dst, src, weights []float32) {
	for p := range t.Pixels {
		o := dst[p*t.Channels:][:t.Channels]
		clear(o)
		for l := range t.Lines {
			for c := range t.Columns {
				mulAddPortable(o, src[p*t.Step+l*t.Next+c*t.Column:][:len(o)], weights[l*t.WeightLine+c*t.Channels:][:len(o)])
			}
		}
	}
}

func (t *Taps) portableLargest(dst, src []float32) {
	for p := range t.Pixels {
		o := dst[p*t.Channels:][:t.Channels]
		for i := range o {
			o[i] = -math.MaxFloat32
		}
		for l := range t.Lines {
			for c := range t.Columns {
				abovePortable(o, src[p*t.Step+l*t.Next+c*t.Column:][:len(o)], o)
			}
		}
	}
}
