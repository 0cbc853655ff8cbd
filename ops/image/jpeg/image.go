package jpeg

import (
	"errors"
	"fmt"
)

// Open reads a file up to its first scan.
func Open(file string, o Options) (*Image, error) {
	d := &decoder{options: o}
	d.data, d.recover = file, o.Recover
	if end, err := d.toScan(); err != nil || end {
		if end {
			err = errors.New("the file has no image")
		}
		return nil, err
	}
	if d.options.Ratio == 0 {
		d.options.Ratio = 1
	}
	m := &Image{Channels: o.Channels, Progressive: d.progressive, d: d}
	if m.Channels == 0 {
		m.Channels = min(len(d.components), 3)
	}
	colors := d.colors()
	switch {
	case m.Channels == 1 && (colors == cmyk || colors == ycck || colors == unknown),
		m.Channels == 3 && colors == unknown,
		m.Channels != 1 && m.Channels != 3:
		return nil, fmt.Errorf("an image of %d components has no %d channels", len(d.components), m.Channels)
	}
	d.many = d.progressive || len(d.scan) < len(d.components)
	d.layOut(m.Channels, colors)
	for _, c := range d.components {
		if c.used && (d.across*d.size%(c.across*c.size) != 0 || d.down*d.size%(c.down*c.size) != 0) {
			return nil, fmt.Errorf("components of %d and %d samples", d.across, c.across)
		}
	}
	m.FullHeight, m.FullWidth = ceil(d.height*d.size, 8), ceil(d.width*d.size, 8)
	m.Height, m.Width = m.FullHeight, m.FullWidth
	if c := o.Crop; c.Height > 0 {
		m.Height, m.Width = c.Height, c.Width
	}
	return m, nil
}

// Holds reports whether a part of that size lies within the image before it is cropped.
func (m *Image) Holds(y, x, height, width int) bool {
	return y >= 0 && x >= 0 && height > 0 && width > 0 && y <= m.FullHeight-height && x <= m.FullWidth-width
}

func ceil(n, by int) int { return (n + by - 1) / by }

// layOut decides how large the components' blocks and planes are. Where an image is
// scaled down, components with fewer samples are scaled down less, so far as they then
// have as many as the others.
func (d *decoder) layOut(channels, colors int) {
	d.size = 8 / d.options.Ratio
	for i := range d.components {
		c := &d.components[i]
		c.index, c.size = i, d.size
		for c.size < 8 && d.across*d.size%(c.across*c.size*2) == 0 && d.down*d.size%(c.down*c.size*2) == 0 {
			c.size *= 2
		}
		c.used = i == 0 || channels == 3 || colors == rgb
		c.width, c.height = ceil(d.width*c.across*c.size, d.across*8), ceil(d.height*c.down*c.size, d.down*8)
		c.wide, c.high = ceil(d.width*c.across, d.across*8), ceil(d.height*c.down, d.down*8)
		c.blockRow = ceil(d.width, d.across*8) * c.across
		c.stride = c.blockRow * c.size
		c.smooth = c.width > 2
	}
	d.neighbors = d.context()
}

func (d *decoder) unitsHigh() int { return ceil(d.height, d.down*8) }

// Memory is about how many bytes Decode takes.
func (m *Image) Memory() int {
	d, n := m.d, 0
	ahead, _ := d.stages()
	for i := range d.components {
		c := &d.components[i]
		n += ahead*m.lineBytes() + c.down*c.blockRow*128*d.kept()
		if c.used {
			n += 3 * ahead * c.stride * c.down * c.size
		}
	}
	return n
}

// fewPixels are decoded by the caller alone.
const fewPixels = 1 << 16

// stages reports how many rows of units are worked on at a time, and how far each of three
// stages, in such steps, is behind the one before it: reading, transforming, and making
// colors. Where others work they do so on different rows at the same time.
func (d *decoder) stages() (rows, behind int) {
	if p := d.options.Pool; p != nil && p.Workers() > 1 && d.width*d.height >= fewPixels {
		return min(4*p.Workers(), d.unitsHigh()), 1
	}
	return 1, 0
}

// kept is of how many rows of units there are coefficients.
func (d *decoder) kept() int {
	if d.many {
		return d.unitsHigh()
	}
	rows, behind := d.stages()
	return rows * (1 + behind)
}

// lineBytes returns the space that one component's line takes while colors are made.
func (m *Image) lineBytes() int { return m.FullWidth + 16 }

// Decode sets pixels, line by line, each of channels side by side. It asks between rows
// of blocks whether to go on. Of a file that ends early it answers how many lines of
// the result are good; the others are not set. A file that is broken otherwise is an error.
func (m *Image) Decode(ask func() error, pixels []uint8) (lines int, err error) {
	d := m.d
	n := d.unitsHigh()
	rows, behind := d.stages()
	for i := range d.components {
		c := &d.components[i]
		c.blockRows, c.rows = d.kept()*c.down, 3*rows*c.down*c.size
		c.coefficients = make([]int16, 64*c.blockRow*c.blockRows)
		if !d.many {
			c.lasts = make([]uint8, c.blockRow*c.blockRows)
		}
		if c.used {
			c.samples = make([]uint8, c.stride*c.rows)
		}
	}
	if d.many {
		err = d.allScans(ask)
	} else {
		err = d.begin()
	}
	if err != nil {
		return 0, err
	}
	for i := range d.components {
		if c := &d.components[i]; c.used && c.divisors == nil {
			return 0, fmt.Errorf("component %d is in no scan", c.id)
		}
	}
	good := n // rows of units
	painter := m.painter(pixels, rows)
	var cut error
	for step := 0; (step-2*behind)*rows < good; step++ {
		if err := ask(); err != nil {
			return 0, err
		}
		part := func(behind int) (from, to int) {
			return min(max(step-behind, 0)*rows, good), min(max(step-behind+1, 0)*rows, good)
		}
		readFrom, readTo := part(0)
		from, to := part(behind)
		linesFrom, linesTo := part(2 * behind)
		reads := 0
		if !d.many && readFrom < readTo {
			reads = 1
		}
		read := readTo
		do := func(i int) {
			if i < reads {
				read, cut = d.onlyScan(ask, readFrom, readTo)
				return
			}
			if i -= reads; i < to-from {
				d.transformRow(from + i)
				return
			}
			row := linesFrom + i - (to - from)
			painter.lines(row%rows, d.linesTo(m, row), d.linesTo(m, row+1))
		}
		if behind == 0 {
			if reads > 0 {
				do(0)
				to, linesTo = min(to, read), min(linesTo, read)
			}
			for i := reads; i < reads+to-from+linesTo-linesFrom; i++ {
				do(i)
			}
		} else {
			d.options.Pool.Parallel(reads+to-from+linesTo-linesFrom, 1, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					do(i)
				}
			})
			if err := ask(); err != nil {
				return 0, err
			}
		}
		if reads > 0 && read < readTo {
			good = read
		}
		if cut != nil && !errors.Is(cut, errCut) {
			return 0, cut
		}
	}
	lines = d.linesTo(m, good)
	if good == n && !d.many && m.d.options.Crop.Height == 0 {
		if err := d.rest(); err != nil {
			return 0, err
		}
	}
	if c := d.options.Crop; c.Height > 0 {
		lines = min(max(lines-c.Y, 0), c.Height)
	}
	return lines, nil
}

// linesTo returns how many lines can be made of the first rows of units.
func (d *decoder) linesTo(m *Image, rows int) int {
	if rows == d.unitsHigh() {
		return m.FullHeight
	}
	return min(d.linesOf(rows), m.FullHeight)
}

// linesOf returns how many lines can be made of the first rows of units, if these are not all.
func (d *decoder) linesOf(rows int) int {
	n := rows * d.down * d.size
	if n > 0 && d.neighbors {
		n -= d.down
	}
	return n
}

// rest reads what is behind the only scan. It may end in the middle of a marker.
func (d *decoder) rest() error {
	switch end, err := d.toScan(); {
	case errors.Is(err, errCut):
		return nil
	case err == nil && !end:
		return errors.New("a second scan of all components")
	default:
		return err
	}
}
