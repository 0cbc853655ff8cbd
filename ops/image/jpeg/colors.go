package jpeg

import "github.com/troupe-go/troupe/devices/cpu/vec"

// context reports whether lines of a color are interpolated from the rows above and below.
func (d *decoder) context() bool {
	for i := range d.components {
		if c := &d.components[i]; c.used && d.options.Fancy && d.size > 1 && d.vertical(c) {
			return true
		}
	}
	return false
}

// vertical reports whether a component's lines are interpolated where that is wanted.
func (d *decoder) vertical(c *component) bool {
	h, v := d.across*d.size/(c.across*c.size), d.down*d.size/(c.down*c.size)
	return v == 2 && (h == 1 || h == 2 && c.smooth)
}

// A painter makes pixels of samples.
type painter struct {
	*Image
	pixels    []uint8
	space     []uint8 // lines of components, for each of some painters at the same time
	top, left int     // of the result
	colors    int
}

// painter is for so many lines at the same time.
func (m *Image) painter(pixels []uint8, many int) *painter {
	p := &painter{Image: m, pixels: pixels, colors: m.d.colors()}
	if c := m.d.options.Crop; c.Height > 0 {
		p.top, p.left = c.Y, c.X
	}
	m.d.window(p.left, m.Width, m.FullWidth)
	p.left -= m.d.left
	p.space = make([]uint8, many*len(m.d.components)*m.lineBytes())
	return p
}

// lines makes the lines in [from, to) that are in the result, with the space of one of
// the painters.
func (m *painter) lines(which, from, to int) {
	d, n := m.d, m.lineBytes()
	space := m.space[which*len(d.components)*n:]
	var rows [4][]uint8
	for y := max(from-m.top, 0); y < min(to-m.top, m.Height); y++ {
		for i := range d.components {
			if c := &d.components[i]; c.used {
				rows[i] = d.line(c, m.top+y, space[i*n:][:n])[m.left:][:m.Width]
			}
		}
		to := m.pixels[y*m.Width*m.Channels:][:m.Width*m.Channels]
		switch {
		case m.Channels == 1 && m.colors == rgb:
			toGray(to, rows[0], rows[1], rows[2])
		case m.Channels == 1:
			copy(to, rows[0])
		case m.colors == gray:
			for x, v := range rows[0] {
				p := to[3*x:][:3:3]
				p[0], p[1], p[2] = v, v, v
			}
		case m.colors == rgb:
			for x, v := range rows[0] {
				p := to[3*x:][:3:3]
				p[0], p[1], p[2] = v, rows[1][x], rows[2][x]
			}
		case m.colors == ycc:
			vec.Colors(to, rows[0], rows[1], rows[2])
		default:
			d.fromInks(to, rows, m.colors == ycck)
		}
	}
}

// window says which columns are wanted. Lines begin at the unit in which these begin, and
// end with them, as far as the interpolation of colors can see.
func (d *decoder) window(left, width, all int) {
	unit := d.across * d.size
	if len(d.components) == 1 {
		unit = d.size
	}
	d.left = left / unit * unit
	width += left - d.left
	narrow := false
	for i := range d.components {
		c := &d.components[i]
		c.from, c.wanted = d.left*c.across*c.size/(d.across*d.size), c.width
		if width < all {
			c.wanted = ceil(width*c.across*c.size, d.across*d.size)
		}
		narrow = narrow || c.wanted < 2 && c.width >= 2
	}
	for i := range d.components {
		c := &d.components[i]
		c.smooth = c.width > 2 && !(narrow && c.wanted <= 2)
	}
}

// line is line y of a component, from where lines begin on.
func (d *decoder) line(c *component, y int, space []uint8) []uint8 {
	h, v := d.across*d.size/(c.across*c.size), d.down*d.size/(c.down*c.size)
	row := c.row(y / v)[c.from:c.stride]
	if h == 1 && v == 1 {
		return row
	}
	fancy := d.options.Fancy && d.size > 1
	n := c.wanted
	switch {
	case fancy && v == 1 && h == 2 && c.smooth:
		vec.Triangle(space, row[:n])
		return space
	case fancy && d.vertical(c):
		// The row beyond on the side of the line; at the edge the row itself.
		at := min(max(y/2-1+y%2*2, 0), c.height-1)
		other := c.row(at)[c.from:c.stride]
		if h == 1 {
			bias := 1 + y%2
			for x, s := range row[:n] {
				space[x] = uint8((3*int(s) + int(other[x]) + bias) >> 2)
			}
		} else {
			vec.Triangles(space, row[:n], other[:n])
		}
		return space
	case h == 1:
		return row
	case h == 2:
		for x, s := range row[:n] {
			p := space[2*x:][:2:2]
			p[0], p[1] = s, s
		}
		return space
	}
	for x, s := range row[:n] {
		for k := range h {
			space[x*h+k] = s
		}
	}
	return space
}

func fix(x float64) int32 { return int32(x*(1<<16) + 0.5) }

func toGray(to, r, g, b []uint8) {
	for x := range to {
		to[x] = uint8((fix(0.29900)*int32(r[x]) + fix(0.58700)*int32(g[x]) + fix(0.11400)*int32(b[x]) + 1<<15) >> 16)
	}
}

// fromInks makes red, green and blue of four inks. Adobe's are the other way round.
func (d *decoder) fromInks(to []uint8, rows [4][]uint8, bright bool) {
	if bright {
		vec.Colors(to, rows[0], rows[1], rows[2])
	}
	for x, k := range rows[3] {
		p := to[3*x:][:3:3]
		for i := range p {
			ink := rows[i][x]
			if bright {
				ink = 255 - p[i]
			}
			if d.adobe {
				p[i] = uint8(int(k) * int(ink) / 255)
			} else {
				p[i] = uint8((255 - int(ink)) * (255 - int(k)) / 255)
			}
		}
	}
}
