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
	if len(d.owners) > len(d.space) {
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
	return h, nil
}

// onlyScan reads a file of a single scan, and transforms each row of units. It answers
// how many rows are complete.
func (d *decoder) onlyScan(ask func() error) (good int, err error) {
	if err := d.begin(); err != nil {
		return 0, err
	}
	for i := range d.blocks {
		d.blocks[i] = &d.space[i]
	}
	unitsWide, unitsHigh := ceil(d.width, d.across*8), d.unitsHigh()
	single, rows := len(d.scan) == 1, 1
	if single { // its units are blocks
		unitsWide, rows = d.scan[0].wide, d.scan[0].down
	}
	for row := range unitsHigh {
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
			for x := range unitsWide {
				if err := d.sequentialUnit(); err != nil {
					return row, err
				}
				i := 0
				for _, c := range d.scan {
					high, wide := c.down, c.across
					if single {
						high, wide = 1, 1
					}
					for v := range high {
						y := (row*c.down + sub + v) * c.size
						for h := range wide {
							b := d.blocks[i]
							if c.used {
								d.put(c, b, d.lasts[i], c.samples[y*c.stride+(x*wide+h)*c.size:])
							}
							if d.lasts[i] > 0 || b[0] != 0 {
								clear(b[:])
								d.lasts[i] = 0
							}
							i++
						}
					}
				}
			}
		}
	}
	return unitsHigh, nil
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

// transformAll makes samples of all coefficients.
func (d *decoder) transformAll(ask func() error) error {
	for i := range d.components {
		c := &d.components[i]
		if !c.used {
			continue
		}
		if c.divisors == nil {
			return fmt.Errorf("component %d is in no scan", c.id)
		}
		for y := range c.high {
			if err := ask(); err != nil {
				return err
			}
			for x := range c.wide {
				b := (*[64]int16)(c.coefficients[(y*c.blockRow+x)*64:])
				c.transform(b, &c.scale, c.samples[(y*c.stride+x)*c.size:], c.stride)
			}
		}
	}
	return nil
}
