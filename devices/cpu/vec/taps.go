package vec

import (
	"fmt"
	"unsafe"
)

// Taps are what pixels in a row take from an image whose channels are kept apart,
// as in a depthwise convolution: windows of Lines times Columns pixels, of each
// channel its sum of products with weights. Distances count elements.
type Taps struct {
	Channels       int
	Lines, Columns int
	Next, Column   int // from a line, a column of a window to the next
	WeightLine     int // from the weights of a line to those of the next
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

// Multiply sets dst, Channels numbers for each pixel one after the other, to the
// sums over the windows that begin with src, line by line; products are rounded
// before they are added. weights has Channels numbers for each column of a line.
// It panics if something lies outside.
func (t *Taps) Multiply(dst, src, weights []float32) {
	if t.Channels <= 0 || t.Lines <= 0 || t.Columns <= 0 || t.Pixels <= 0 || t.Next < 0 || t.Column < 0 || t.Step < 0 ||
		t.WeightLine < t.Columns*t.Channels || len(dst) < t.Pixels*t.Channels ||
		len(src) < (t.Pixels-1)*t.Step+(t.Lines-1)*t.Next+(t.Columns-1)*t.Column+t.Channels ||
		len(weights) < (t.Lines-1)*t.WeightLine+t.Columns*t.Channels {
		panic(fmt.Sprintf("vec: %+v are not in %d, %d and %d elements", *t, len(dst), len(src), len(weights)))
	}
	const size = 4
	lanes := 8
	switch isa {
	case portable:
		t.portable(dst, src, weights)
		return
	case avx512:
		lanes = 16
	}
	r := tapRun{step: uintptr(t.Step * size), column: uintptr(t.Column * size), next: uintptr(t.Next * size),
		tap: uintptr(t.Channels * size), skip: uintptr((t.WeightLine - t.Columns*t.Channels) * size),
		columns: t.Columns, lines: t.Lines, dstStep: uintptr(t.Channels * size), pixels: t.Pixels}
	for c := 0; c < t.Channels; {
		r.src, r.weights, r.dst = unsafe.Pointer(&src[c]), unsafe.Pointer(&weights[c]), unsafe.Pointer(&dst[c])
		r.lanes = t.Channels - c
		wide := r.lanes >= 4*lanes
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
		if c += lanes; wide {
			c += 3 * lanes
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
