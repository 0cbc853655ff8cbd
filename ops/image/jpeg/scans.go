package jpeg

import (
	"errors"
	"fmt"
)

var errScan = errors.New("a scan that cannot be")

// begin gets ready to read a scan whose head has been read.
func (d *decoder) begin() error {
	for _, c := range d.scan {
		if c.divisors != nil {
			continue
		}
		if c.table > 3 || !d.tables[c.table].set {
			return fmt.Errorf("component %d has no divisors", c.id)
		}
		own := d.tables[c.table].divisors
		c.divisors, c.scale = &own, plainScale(&own)
		switch {
		case c.size == 4:
			c.transform = four
		case c.size == 2:
			c.transform = two
		case c.size == 1:
			c.transform = one
		case d.options.Accurate:
			c.transform = accurate
		default:
			c.scale, c.transform = fastScale(&own), fast
		}
	}
	wantDC, wantAC := true, true
	if d.progressive {
		bad := d.low > 13 || d.high > 0 && d.low != d.high-1
		if d.from == 0 {
			bad = bad || d.to != 0
		} else {
			bad = bad || d.to < d.from || d.to > 63 || len(d.scan) != 1
		}
		if bad {
			return errScan
		}
		wantDC, wantAC = d.from == 0 && d.high == 0, d.from > 0
	}
	d.owners = d.owners[:0]
	for _, c := range d.scan {
		var err error
		if wantDC {
			if c.dcCodes, err = d.table(0, c.dc); err != nil {
				return err
			}
		}
		if wantAC {
			if c.acCodes, err = d.table(1, c.ac); err != nil {
				return err
			}
		}
		n := 1
		if len(d.scan) > 1 {
			n = c.across * c.down
		}
		for range n {
			d.owners = append(d.owners, c)
		}
	}
	if len(d.owners) > 10 {
		return fmt.Errorf("a unit of %d blocks", len(d.owners))
	}
	d.blocks, d.lasts = make([]*[64]int16, len(d.owners)), make([]uint8, len(d.owners))
	d.n, d.acc, d.dry, d.endRun = 0, 0, false, 0
	d.pred = [16]int32{}
	d.untilRestart = d.restart
	return nil
}

func (d *decoder) table(class int, index byte) (*huffman, error) {
	if index > 3 || d.codes[class][index] == nil && (index > 1 || d.progressive) {
		return nil, fmt.Errorf("there are no codes %d", index)
	}
	s := d.codes[class][index]
	if s == nil {
		s = &Suggested[2*int(index)+class]
	}
	h, ok := newHuffman(&s.Counts, s.Values)
	if !ok || class == 0 && !h.dc {
		return nil, fmt.Errorf("codes %d cannot be", index)
	}
	if !d.progressive {
		h.hasten()
	}
	return h, nil
}

// onlyScan reads rows of units of a file of a single scan, into coefficients that are zero.
// It answers how many rows there are then: fewer than to if the file has no more, with an
// error, or if no more are wanted.
func (d *decoder) onlyScan(ask func() error, from, to int) (good int, err error) {
	unitsWide := ceil(d.width, d.across*8)
	single, rows := len(d.scan) == 1, 1
	if single { // its units are blocks
		unitsWide, rows = d.scan[0].wide, d.scan[0].down
	}
	for row := from; row < to; row++ {
		if c := d.options.Crop; c.Height > 0 && d.linesOf(row) >= c.Y+c.Height {
			return row, nil
		}
		if err := ask(); err != nil {
			return row, err
		}
		for sub := range rows {
			if single && row*rows+sub >= d.scan[0].high {
				break
			}
			var at [10]int
			var wide [10]int
			i := 0
			for _, c := range d.scan {
				h, v := c.across, c.down
				if single {
					h, v = 1, 1
				}
				for y := range v {
					for x := range h {
						at[i], wide[i] = (c.blocks(row)+sub+y)*c.blockRow+x, h
						i++
					}
				}
			}
			for range unitsWide {
				for i, c := range d.owners {
					d.blocks[i] = (*[64]int16)(c.coefficients[at[i]*64:])
				}
				if err := d.sequentialUnit(); err != nil {
					return row, err
				}
				for i, c := range d.owners {
					c.lasts[at[i]] = d.lasts[i]
					at[i] += wide[i]
				}
			}
		}
	}
	return to, nil
}

// transformRow makes samples of a row of units, whose coefficients are zero then unless
// they are those of the whole image.
func (d *decoder) transformRow(row int) {
	for i := range d.components {
		c := &d.components[i]
		for y := row * c.down; y < min((row+1)*c.down, c.high); y++ {
			at := (c.blocks(row) + y - row*c.down) * c.blockRow
			for x := range c.wide {
				b := (*[64]int16)(c.coefficients[(at+x)*64:])
				last := uint8(63)
				if !d.many {
					last = c.lasts[at+x]
				}
				if c.used {
					d.put(c, b, last, c.row(y * c.size)[x*c.size:])
				}
				if !d.many && last == 0 {
					b[0] = 0
				} else if !d.many {
					clear(b[:])
				}
			}
			if !d.many { // blocks that fill up units
				clear(c.coefficients[(at+c.wide)*64 : (at+c.blockRow)*64])
			}
		}
		for y := max(row*c.down, c.high); y < (row+1)*c.down && !d.many; y++ {
			at := (c.blocks(row) + y - row*c.down) * c.blockRow
			clear(c.coefficients[at*64 : (at+c.blockRow)*64])
		}
	}
}

// put transforms a block, of which last is the last coefficient that may not be zero.
func (d *decoder) put(c *component, b *[64]int16, last uint8, to []uint8) {
	if last == 0 && c.size == 8 {
		x := times16(b[0], c.scale[0])
		if d.options.Accurate {
			flat(limit(round(int32(int16(x<<2)), 5)), to, c.stride)
		} else {
			flat(limit(x>>5), to, c.stride)
		}
		return
	}
	c.transform(b, &c.scale, to, c.stride)
}

// allScans reads a file of several scans.
func (d *decoder) allScans(ask func() error) error {
	for {
		if err := d.begin(); err != nil {
			return err
		}
		if err := d.scanInto(ask); err != nil {
			return err
		}
		if end, err := d.toScan(); err != nil || end {
			return err
		}
	}
}

// scanInto reads a scan into the coefficients.
func (d *decoder) scanInto(ask func() error) error {
	wide, high := ceil(d.width, d.across*8), d.unitsHigh()
	if len(d.scan) == 1 {
		wide, high = d.scan[0].wide, d.scan[0].high
	}
	for y := range high {
		if err := ask(); err != nil {
			return err
		}
		for x := range wide {
			i := 0
			for _, c := range d.scan {
				h, v := c.across, c.down
				if len(d.scan) == 1 {
					h, v = 1, 1
				}
				for by := range v {
					for bx := range h {
						at := ((y*v+by)*c.blockRow + x*h + bx) * 64
						d.blocks[i] = (*[64]int16)(c.coefficients[at:])
						i++
					}
				}
			}
			var err error
			if d.progressive {
				err = d.progressiveUnit()
			} else {
				err = d.sequentialUnit()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
