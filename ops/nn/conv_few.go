package nn

import "github.com/troupe-go/troupe/devices/cpu/vec"

// A fewFilters is a direct convolution by few filters, of float32: these would not fill
// vectors. The pixels of a line do, if each channel of the image has a line of its own: so
// the lines of a block are turned, and multiplied as [vec.Rows].
//
// A turned line of the image is lines of every channel: first those of pixels 0, step,
// 2·step and so on, counted from the first that a window sees, then those of pixels 1,
// step+1, ….
type fewFilters struct {
	rows     vec.Rows // of a block of a sum
	together int      // lines of a window that make a block
	line     int      // elements of a line of a channel
	turned   int      // elements of a turned line of the image
	whole    int      // pixels of a line of the result, and as many more as fill vectors
}

const (
	// fewTurns is how many multiplications at least there are for each element of the image
	// that is turned, and fewLine how many for each filter and line of the result, where
	// windows move by one: turning a line takes as long.
	fewTurns = 8
	fewLine  = 512
	// fewMost is how many elements a block of turned lines has at most.
	fewMost = 1 << 21
)

// fewFilters returns how d is computed if it has few filters; nil if it has not, or too little is
// done with an element of the image.
func (d *direct[T]) fewFilters() *fewFilters {
	x, y := &d.dims[2], &d.dims[1]
	taps, step := len(x.offsets), x.step
	if _, ok := any(d.src).([]float32); !ok || d.n > vec.FewColumns || step < 1 || taps*len(y.offsets)*d.n < fewTurns*step*max(y.step, 1) {
		return nil
	}
	f := &fewFilters{together: max(1, vec.GemmBlock/d.windows.Length)}
	f.whole = f.rows.Whole(x.n)
	if x.n < f.rows.Whole(1) || d.windows.Length*len(y.offsets)*x.n < fewLine*step*max(y.step, 1) {
		return nil
	}
	f.line = f.whole + (taps-1)/step
	f.turned = step * d.channels * f.line
	f.together = min(f.together, len(y.offsets))
	if d.fewMemory(f, 1) > fewMost {
		return nil
	}
	offsets := make([]int32, 0, f.together*d.windows.Length)
	for l := range f.together {
		for k := range taps {
			for c := range d.channels {
				offsets = append(offsets, int32(l*d.spacing*f.turned+(k%step*d.channels+c)*f.line+k/step))
			}
		}
	}
	f.rows = vec.RowsAt(offsets)
	return f
}

// fewMemory returns how many elements a block of so many lines takes: its turned lines, and a
// line of the result by filters.
func (d *direct[T]) fewMemory(f *fewFilters, height int) int {
	return ((height-1)*d.dims[1].step+d.span())*f.turned + d.n*f.whole
}

// turn turns a line of the image, or what windows see of it.
func (d *direct[T]) turn(f *fewFilters, to, line []float32) {
	x := &d.dims[2]
	clear(to)
	seen := (x.n-1)*x.step + len(x.offsets) // pixels that windows see, from the first on
	first := x.offsets[0]
	for phase := range x.step {
		pixel := phase
		if first+pixel < 0 { // it is in the zeros before the line
			pixel += (-first - pixel + x.step - 1) / x.step * x.step
		}
		end := min(seen, x.in-first)
		if pixel >= end {
			continue
		}
		vec.TransposeFloats(to[phase*d.channels*f.line+pixel/x.step:], f.line, line[(first+pixel)*d.channels:], x.step*d.channels,
			(end-pixel-1)/x.step+1, d.channels)
	}
}

// fewLines computes lines lo to hi, of one image.
func (d *direct[T]) fewLines(memory []T, lo, hi int) {
	f, y := d.few, &d.dims[1]
	m, src, filter, dst := any(memory).([]float32), any(d.src).([]float32), any(d.filter).([]float32), any(d.dst).([]float32)
	sums, m := m[:d.n*f.whole], m[d.n*f.whole:]
	image := src[lo/y.n*y.in*d.line:]
	from := max(lo%y.n*y.step+y.offsets[0], 0)
	last := min((hi-1)%y.n*y.step+y.offsets[len(y.offsets)-1], y.in-1)
	for i := from; i <= last; i++ {
		d.turn(f, m[(i-from)*f.turned:][:f.turned], image[i*d.line:][:d.line])
	}
	length := d.windows.Length
	for r := lo; r < hi && d.ctx.Err() == nil; r++ {
		l := d.seen(r)
		clear(sums)
		for first := 0; first < len(y.offsets); first += f.together {
			begin, end := max(first, l.First), min(first+f.together, l.First+l.Lines)
			if begin >= end {
				continue
			}
			at := m[(r%y.n*y.step+y.offsets[0]+begin*d.spacing-from)*f.turned:]
			count := (end - begin) * length
			for k := 0; k < count; k += vec.GemmBlock { // once, unless a line is longer
				f.rows.Multiply(k, min(k+vec.GemmBlock, count), f.whole, d.n, at, filter[(begin*length+k)*d.ldb:], d.ldb, sums, f.whole, begin > l.First || k > 0)
			}
		}
		vec.TransposeFloats(dst[l.Result:], d.ldc, sums, f.whole, d.n, d.windows.Rows)
	}
}
