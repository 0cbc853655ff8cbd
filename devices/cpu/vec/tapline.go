package vec

import (
	"fmt"
	"unsafe"
)

// A TapLine is a line of windows on an image whose channels are kept apart, as [Taps]: a
// whole line of the result of a depthwise convolution. Windows may reach over the ends of
// the image's lines; what they have outside is left out of their sums. Distances count
// elements.
type TapLine struct {
	Channels       int
	Lines, Columns int // of a window; the lines are in the image
	Next, Column   int // from a line, a column of the image to the next
	WeightLine     int // from the weights of a line of the window to those of the next
	Width          int // columns of the image
	Before         int // columns of the first window that lie before the image
	Stride         int // columns from a window to the next
	Pixels         int // windows
}

// A lineRun is one call of the assembly. Distances count bytes. The assembly knows the
// fields by their order.
type lineRun struct {
	src             unsafe.Pointer
	next, column    uintptr
	weights         unsafe.Pointer
	tap, weightLine uintptr
	lines           int
	dst             unsafe.Pointer
	dstStep         uintptr
	before, width   int
	pixels, group   int // all, and at a time
	lanes           int // where whole vectors of channels end, in bytes; or how many channels a short one has
	finish          finishing
	at              int    // byte of the channels that the assembly is at
	_               [3]int // of the assembly: columns and windows to go, windows of a group
}

// lineTogether returns how many windows of so many columns the assembly computes at a time,
// for so many vectors of channels.
func lineTogether(columns, vectors int) int {
	switch {
	case isa == avx2:
		return 8
	case vectors <= 1:
		return 14
	case columns == 3:
		return 12
	}
	return 10
}

// Fits reports whether lines of windows of this kind can be multiplied: they are 3 or 5
// columns wide, move by 1 or 2, and each sees some of the image.
func (t *TapLine) Fits() bool {
	return (t.Columns == 3 || t.Columns == 5) && (t.Stride == 1 || t.Stride == 2) && t.Before >= 0 && t.Before < t.Columns &&
		(t.Pixels-1)*t.Stride-t.Before < t.Width
}

// Multiply sets dst, Channels numbers for each pixel one after the other, to the sums over
// the windows, line by line, as those of [Taps.Multiply]. src begins with
// the image's line that is the windows' first, weights with their first line: Channels
// numbers for each column. f is what is done with sums. It panics if something lies outside.
func (t *TapLine) Multiply(dst, src, weights []float32, f *Finish) {
	if t.Channels <= 0 || t.Lines < 0 || t.Pixels <= 0 || t.Width <= 0 || t.Next < 0 || t.Column < 0 || t.WeightLine < 0 || !t.Fits() ||
		len(dst) < t.Pixels*t.Channels ||
		t.Lines > 0 && (len(src) < (t.Lines-1)*t.Next+(t.Width-1)*t.Column+t.Channels || len(weights) < (t.Lines-1)*t.WeightLine+t.Columns*t.Channels) {
		panic(fmt.Sprintf("vec: %+v is not in %d, %d and %d elements", *t, len(dst), len(src), len(weights)))
	}
	f.check(t.Channels, t.Pixels*t.Channels)
	if t.Lines == 0 || isa == portable {
		t.portable(dst, src, weights)
		f.Rows(dst, 0, t.Pixels, t.Channels, t.Channels)
		return
	}
	r := lineRun{src: unsafe.Pointer(&src[0]), next: uintptr(t.Next) * 4, column: uintptr(t.Column) * 4,
		weights: unsafe.Pointer(&weights[0]), tap: uintptr(t.Channels) * 4, weightLine: uintptr(t.WeightLine) * 4, lines: t.Lines,
		dst: unsafe.Pointer(&dst[0]), dstStep: uintptr(t.Channels) * 4, before: t.Before, width: t.Width,
		pixels: t.Pixels, finish: f.run()}
	lanes := fewLanes()
	rest := t.Channels % lanes
	if isa == avx512 {
		if r.lanes = t.Channels / (2 * lanes) * (2 * lanes) * 4; r.lanes > 0 {
			t.run(&r, 2)
		}
	}
	if r.lanes = (t.Channels - rest) * 4; r.at < r.lanes {
		t.run(&r, 1)
	}
	if r.lanes = rest; rest > 0 {
		t.run(&r, 0)
	}
}

// run computes the channels from r.at on, so many vectors at a time.
func (t *TapLine) run(r *lineRun, vectors int) {
	groups := (t.Pixels-1)/lineTogether(t.Columns, vectors) + 1
	r.group = (t.Pixels-1)/groups + 1
	if isa == avx512 {
		runTapLineAVX512(t.Columns, t.Stride, vectors, r)
	} else {
		runTapLineAVX2(t.Columns, t.Stride, vectors, r)
	}
}

func (t *TapLine) portable(dst, src, weights []float32) {
	for p := range t.Pixels {
		o := dst[p*t.Channels:][:t.Channels]
		clear(o)
		for l := range t.Lines {
			for k := range t.Columns {
				if x := p*t.Stride - t.Before + k; x >= 0 && x < t.Width {
					mulAddPortable(o, src[l*t.Next+x*t.Column:][:len(o)], weights[l*t.WeightLine+k*t.Channels:][:len(o)])
				}
			}
		}
	}
}
