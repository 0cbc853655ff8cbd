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
}

// togetherPixels is how many pixels the assembly computes at a time, where there are
// so many: they share what it loads of the weights.
const togetherPixels = 4

// Multiply sets dst, Channels numbers for each pixel one after the other, to the
// sums over the windows that begin with src, line by line: as in products of
// matrices each is a chain of multiply-adds that begins at 0, in one block, but never -0,
// so that it is the same with products of zeros and without. weights has Channels numbers for each column of a line, or of
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
	groups, rest := t.Pixels/togetherPixels, t.Pixels%togetherPixels
	if groups > 0 {
		r.pixels = groups
		t.eachPart(&r, 2, dst, src, func(c int, wide bool) {
			r.weights = unsafe.Pointer(&weights[c])
			switch {
			case wide && isa == avx512:
				tapsTogetherWideAVX512(&r)
			case wide:
				tapsTogetherWideAVX2(&r)
			case isa == avx512:
				tapsTogetherAVX512(&r)
			default:
				tapsTogetherAVX2(&r)
			}
		})
		dst, src = dst[groups*togetherPixels*t.Channels:], src[min(groups*togetherPixels*t.Step, len(src)):]
	}
	if rest == 0 {
		return
	}
	r.pixels = rest
	t.eachPart(&r, 4, dst, src, func(c int, wide bool) {
		r.weights = unsafe.Pointer(&weights[c])
		switch {
		case wide && isa == avx512:
			tapsWideAVX512(&r)
		case wide:
			tapsWideAVX2(&r)
		case isa == avx512:
			tapsAVX512(&r)
		default:
			tapsAVX2(&r)
		}
	})
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
	t.eachPart(&r, 4, dst, src, func(_ int, wide bool) {
		switch {
		case wide && isa == avx512:
			tapsLargestWideAVX512(&r)
		case wide:
			tapsLargestWideAVX2(&r)
		case isa == avx512:
			tapsLargestAVX512(&r)
		default:
			tapsLargestAVX2(&r)
		}
	})
}

// Claim adds the gradient of what Largest takes to sums, which lie as src does: Channels numbers
// of grad for each pixel go to the first of the largest elements of its window, or, if the
// window's first element is NaN, to that one.
func (t *Taps) Claim(sums, grad, src []float32) {
	t.check(len(grad), min(len(src), len(sums)))
	if isa == portable {
		t.portableClaim(sums, grad, src)
		return
	}
	r := t.run()
	lanes := 8
	if isa == avx512 {
		lanes = 16
	}
	for c := 0; c < t.Channels; c += lanes {
		r.src, r.dst, r.weights, r.lanes = unsafe.Pointer(&src[c]), unsafe.Pointer(&sums[c]), unsafe.Pointer(&grad[c]), t.Channels-c
		if isa == avx512 {
			tapsClaimAVX512(&r)
		} else {
			tapsClaimAVX2(&r)
		}
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

// eachPart calls f for all channels, from c on: for so many vectors of them, which is wide,
// or for one, which may be short. r is ready for them.
func (t *Taps) eachPart(r *tapRun, vectors int, dst, src []float32, f func(c int, wide bool)) {
	lanes := 8
	if isa == avx512 {
		lanes = 16
	}
	for c := 0; c < t.Channels; {
		r.src, r.dst, r.lanes = unsafe.Pointer(&src[c]), unsafe.Pointer(&dst[c]), t.Channels-c
		wide := r.lanes >= vectors*lanes
		f(c, wide)
		if wide {
			c += vectors * lanes
		} else {
			c += lanes
		}
	}
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

func (t *Taps) portableClaim(sums, grad, src []float32) {
	for p := range t.Pixels {
		for c := range t.Channels {
			at := p*t.Step + c
			best := at
			for l := range t.Lines {
				for k := range t.Columns {
					if i := at + l*t.Next + k*t.Column; src[i] > src[best] {
						best = i
					}
				}
			}
			sums[best] += grad[p*t.Channels+c]
		}
	}
}
