package nn

import "github.com/troupe-go/troupe/devices/cpu/vec"

// A lattice is where the windows of one dimension look: position q at the
// elements q·step + offset, for each of the offsets, which rise. Elements that
// are not in [0, in) are zeros.
type lattice struct {
	n, in   int // positions and elements
	step    int
	offsets []int
}

// Patches are the windows of a convolution as the rows of a matrix, which a
// product with the filters turns into the result (im2col). Only a panel of rows
// is in memory at a time.
type patches struct {
	dims     [3]lattice
	channels int  // of a pixel that a row takes
	pixel    int  // elements from pixel to pixel of the source
	dense    bool // the last dimension's offsets follow each other, and pixels hold nothing else
}

func newPatches(dims [3]lattice, channels, pixel int) *patches {
	p := &patches{dims: dims, channels: channels, pixel: pixel, dense: channels == pixel && len(dims[2].offsets) > 0}
	for i, o := range dims[2].offsets {
		p.dense = p.dense && o == dims[2].offsets[0]+i
	}
	return p
}

// forward returns the lattice of a convolution along an axis.
func (a *axis) forward() lattice {
	l := lattice{n: a.out, in: a.in, step: a.stride, offsets: make([]int, a.size)}
	for k := range l.offsets {
		l.offsets[k] = k*a.dilation - a.before
	}
	return l
}

// width returns the length of a row: taps times channels.
func (p *patches) width() int {
	return len(p.dims[0].offsets) * len(p.dims[1].offsets) * len(p.dims[2].offsets) * p.channels
}

// positions returns the number of rows of one example.
func (p *patches) positions() int { return p.dims[0].n * p.dims[1].n * p.dims[2].n }

// fill writes rows lo to hi into dst.
func fill[T vec.Number](p *patches, dst, src []T, lo, hi int) {
	d0, d1, d2 := &p.dims[0], &p.dims[1], &p.dims[2]
	width, line := p.width(), d2.in*p.pixel
	segment := len(d2.offsets) * p.channels
	for r := lo; r < hi; {
		q2 := r % d2.n
		q1 := r / d2.n % d1.n
		q0 := r / (d2.n * d1.n) % d0.n
		b := r / (d2.n * d1.n * d0.n)
		n := min(d2.n-q2, hi-r)
		at := 0
		for _, o0 := range d0.offsets {
			z := q0*d0.step + o0
			for _, o1 := range d1.offsets {
				y := q1*d1.step + o1
				rows := dst[at:]
				at += segment
				if z < 0 || z >= d0.in || y < 0 || y >= d1.in {
					for i := range n {
						clear(rows[i*width:][:segment])
					}
					continue
				}
				from := src[((b*d0.in+z)*d1.in+y)*line:]
				if p.dense {
					segments(p, rows, width, from, q2, n)
				} else {
					pixels(p, rows, width, from, q2, n)
				}
			}
		}
		dst = dst[n*width:]
		r += n
	}
}

// segments copies, for n positions from q on of the last dimension, whose
// offsets follow each other, all that lies inside at once.
func segments[T vec.Number](p *patches, rows []T, width int, line []T, q, n int) {
	d := &p.dims[2]
	taps, channels := len(d.offsets), p.channels
	x := q*d.step + d.offsets[0]
	for i := range n {
		row := rows[i*width:][:taps*channels]
		switch lo, hi := max(x, 0), min(x+taps, d.in); {
		case hi-lo == taps:
			copy(row, line[lo*channels:])
		case lo >= hi:
			clear(row)
		default:
			clear(row[:(lo-x)*channels])
			copy(row[(lo-x)*channels:], line[lo*channels:hi*channels])
			clear(row[(hi-x)*channels:])
		}
		x += d.step
	}
}

// pixels copies pixel by pixel.
func pixels[T vec.Number](p *patches, rows []T, width int, line []T, q, n int) {
	d := &p.dims[2]
	for i := range n {
		row := rows[i*width:]
		for k, o := range d.offsets {
			x := (q+i)*d.step + o
			to := row[k*p.channels:][:p.channels]
			if x < 0 || x >= d.in {
				clear(to)
			} else {
				copy(to, line[x*p.pixel:])
			}
		}
	}
}
