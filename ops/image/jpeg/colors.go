package jpeg

// context says whether lines of a color are interpolated from the rows above and below.
func (d *decoder) context() bool {
	for i := range d.components {
		if c := &d.components[i]; c.used && d.options.Fancy && d.size > 1 && d.vertical(c) {
			return true
		}
	}
	return false
}

// vertical says whether a component's lines are interpolated where that is wanted.
func (d *decoder) vertical(c *component) bool {
	h, v := d.across*d.size/(c.across*c.size), d.down*d.size/(c.down*c.size)
	return v == 2 && (h == 1 || h == 2 && c.smooth)
}

// convert makes pixels of the samples, as far as there are so many lines of the image.
func (m *Image) convert(ask func() error, pixels []uint8, lines int) error {
	d, top, left := m.d, 0, 0
	if c := d.options.Crop; c.Height > 0 {
		top, left = c.Y, c.X
	}
	d.window(left, m.Width, m.FullWidth)
	left -= d.left
	var rows [4][]uint8
	colors := d.colors()
	space := make([]uint8, len(d.components)*(m.FullWidth+16))
	for y := range m.Height {
		if y&15 == 0 {
			if err := ask(); err != nil {
				return err
			}
		}
		if top+y >= lines {
			break
		}
		for i := range d.components {
			if c := &d.components[i]; c.used {
				rows[i] = d.line(c, top+y, space[i*(m.FullWidth+16):][:m.FullWidth+16])[left:][:m.Width]
			}
		}
		to := pixels[y*m.Width*m.Channels:][:m.Width*m.Channels]
		switch {
		case m.Channels == 1 && colors == rgb:
			toGray(to, rows[0], rows[1], rows[2])
		case m.Channels == 1:
			copy(to, rows[0])
		case colors == gray:
			for x, v := range rows[0] {
				p := to[3*x:][:3:3]
				p[0], p[1], p[2] = v, v, v
			}
		case colors == rgb:
			for x, v := range rows[0] {
				p := to[3*x:][:3:3]
				p[0], p[1], p[2] = v, rows[1][x], rows[2][x]
			}
		case colors == ycc:
			toColor(to, rows[0], rows[1], rows[2])
		default:
			d.fromInks(to, rows, colors == ycck)
		}
	}
	return nil
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
	row := c.samples[y/v*c.stride:][c.from:c.stride]
	if h == 1 && v == 1 {
		return row
	}
	fancy := d.options.Fancy && d.size > 1
	n := c.wanted
	switch {
	case fancy && v == 1 && h == 2 && c.smooth:
		across(space, row[:n])
		return space
	case fancy && d.vertical(c):
		// The row beyond on the side of the line; at the edge the row itself.
		at := min(max(y/2-1+y%2*2, 0), c.height-1)
		other := c.samples[at*c.stride:][c.from:c.stride]
		if h == 1 {
			bias := 1 + y%2
			for x, s := range row[:n] {
				space[x] = uint8((3*int(s) + int(other[x]) + bias) >> 2)
			}
		} else {
			both(space, row[:n], other[:n])
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

// across doubles a row: three quarters are of the nearer sample.
func across(to, row []uint8) {
	last := len(row) - 1
	left, at := int(row[0]), int(row[0])
	for x := range last {
		right := int(row[x+1])
		p := to[2*x:][:2:2]
		p[0], p[1] = uint8((3*at+left+1)>>2), uint8((3*at+right+2)>>2)
		left, at = at, right
	}
	to[0] = row[0]
	to[2*last], to[2*last+1] = uint8((3*at+left+1)>>2), row[last]
}

// both doubles a row that lies between two: three quarters are of the nearer one, and of
// the nearer sample in it.
func both(to, row, other []uint8) {
	other = other[:len(row)]
	last := len(row) - 1
	at := 3*int(row[0]) + int(other[0])
	left := at
	for x := range last {
		right := 3*int(row[x+1]) + int(other[x+1])
		p := to[2*x:][:2:2]
		p[0], p[1] = uint8((3*at+left+8)>>4), uint8((3*at+right+7)>>4)
		left, at = at, right
	}
	to[2*last], to[2*last+1] = uint8((3*at+left+8)>>4), uint8((4*at+7)>>4)
}

func fix(x float64) int32 { return int32(x*(1<<16) + 0.5) }

// Of the differences of color, what they add to red and blue, and to green with 16 bits
// after the point.
var redOf, blueOf, greenOfRed, greenOfBlue = func() (r, b, gr, gb [256]int32) {
	for i := range r {
		x := int32(i) - 128
		r[i], b[i] = (fix(1.40200)*x+1<<15)>>16, (fix(1.77200)*x+1<<15)>>16
		gr[i], gb[i] = -fix(0.71414)*x, -fix(0.34414)*x+1<<15
	}
	return
}()

func clamp(x int32) uint8 {
	if uint32(x) > 255 {
		return uint8(^(x >> 31))
	}
	return uint8(x)
}

func toColor(to, bright, blue, red []uint8) {
	blue, red = blue[:len(bright)], red[:len(bright)]
	for x, v := range bright {
		l, cb, cr := int32(v), blue[x], red[x]
		p := to[3*x:][:3:3]
		p[0] = clamp(l + redOf[cr])
		p[1] = clamp(l + (greenOfBlue[cb]+greenOfRed[cr])>>16)
		p[2] = clamp(l + blueOf[cb])
	}
}

func toGray(to, r, g, b []uint8) {
	for x := range to {
		to[x] = uint8((fix(0.29900)*int32(r[x]) + fix(0.58700)*int32(g[x]) + fix(0.11400)*int32(b[x]) + 1<<15) >> 16)
	}
}

// fromInks makes red, green and blue of four inks. Adobe's are the other way round.
func (d *decoder) fromInks(to []uint8, rows [4][]uint8, bright bool) {
	for x, k := range rows[3] {
		c, m, y := rows[0][x], rows[1][x], rows[2][x]
		if bright {
			l, cb, cr := int32(c), m, y
			c, m, y = 255-clamp(l+redOf[cr]), 255-clamp(l+(greenOfBlue[cb]+greenOfRed[cr])>>16), 255-clamp(l+blueOf[cb])
		}
		p := to[3*x:][:3:3]
		for i, ink := range [3]uint8{c, m, y} {
			if d.adobe {
				p[i] = uint8(int(k) * int(ink) / 255)
			} else {
				p[i] = uint8((255 - int(ink)) * (255 - int(k)) / 255)
			}
		}
	}
}
