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

// Holds says whether a part of that size lies within the image before it is cropped.
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
}

func (d *decoder) unitsHigh() int { return ceil(d.height, d.down*8) }

// Memory is about how many bytes Decode takes.
func (m *Image) Memory() int {
	n, rows := 8*m.FullWidth, m.d.unitsHigh()
	for _, c := range m.d.components {
		if c.used {
			n += c.stride * rows * c.down * c.size
		}
		if m.d.many {
			n += 128 * c.blockRow * rows * c.down
		}
	}
	return n
}

// Decode sets pixels, line by line, each of channels side by side. It asks between rows
// of blocks whether to go on. Of a file that ends early it answers how many lines of
// the result are good; the others are not set. A file that is broken otherwise is an error.
func (m *Image) Decode(ask func() error, pixels []uint8) (lines int, err error) {
	d := m.d
	rows := d.unitsHigh()
	for i := range d.components {
		c := &d.components[i]
		if c.used {
			c.samples = make([]uint8, c.stride*rows*c.down*c.size)
		}
		if d.many {
			c.coefficients = make([]int16, 64*c.blockRow*rows*c.down)
		}
	}
	good := rows // rows of units
	if d.many {
		err = d.allScans(ask)
		if err == nil {
			err = d.transformAll(ask)
		}
	} else {
		good, err = d.onlyScan(ask)
	}
	if err != nil && !(errors.Is(err, errCut) && !d.many) {
		return 0, err
	}
	lines = m.FullHeight
	if good < rows {
		lines = d.linesOf(good)
	}
	if err := m.convert(ask, pixels, lines); err != nil {
		return 0, err
	}
	if good == rows && !d.many && m.d.options.Crop.Height == 0 {
		if err := d.rest(); err != nil {
			return 0, err
		}
	}
	if c := d.options.Crop; c.Height > 0 {
		lines = min(max(lines-c.Y, 0), c.Height)
	}
	return lines, nil
}

// linesOf is how many lines can be made of the first rows of units, if these are not all.
func (d *decoder) linesOf(rows int) int {
	n := rows * d.down * d.size
	if n > 0 && d.context() {
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
