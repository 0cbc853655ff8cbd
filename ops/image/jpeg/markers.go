package jpeg

import (
	"errors"
	"fmt"
)

// Markers.
const (
	markSOF0  = 0xc0
	markSOF1  = 0xc1
	markSOF2  = 0xc2
	markDHT   = 0xc4
	markRST0  = 0xd0
	markRST7  = 0xd7
	markSOI   = 0xd8
	markEOI   = 0xd9
	markSOS   = 0xda
	markDQT   = 0xdb
	markDRI   = 0xdd
	markAPP0  = 0xe0
	markAPP14 = 0xee
	markTEM   = 0x01
	markDNL   = 0xdc
	markCOM   = 0xfe
)

// zigzag is the place in natural order of the coefficients in the order of a file, and
// behind them the last place for what points beyond them.
var zigzag = [128]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, // of which 79 is the last
}

// A segmentReader reads the rest of a segment.
type segmentReader struct {
	*bits
	left int
}

func (d *decoder) segment() (segmentReader, error) {
	n, err := d.uint16()
	if err == nil && n < 2 {
		err = errors.New("a segment without a length")
	}
	return segmentReader{&d.bits, n - 2}, err
}

// want fails unless there are n more bytes in the segment.
func (s *segmentReader) want(n int, what string) error {
	if s.left < n {
		return fmt.Errorf("the segment of %s is too short", what)
	}
	s.left -= n
	return nil
}

// toScan reads markers up to the head of the next scan, or to the end of the image,
// about which it answers true.
func (d *decoder) toScan() (end bool, err error) {
	for {
		if d.marker == 0 {
			if !d.begun {
				a, err := d.byte()
				if err != nil {
					return false, err
				}
				b, err := d.byte()
				if err != nil {
					return false, err
				}
				if a != 0xff || b != markSOI {
					return false, errors.New("no JPEG file")
				}
				d.settle()
				d.marker = b
			} else if d.marker, err = d.nextMarker(); err != nil {
				return false, err
			}
		}
		m := d.marker
		switch {
		case m == markSOI:
			if d.begun {
				return false, errors.New("two beginnings")
			}
			d.begun = true
			d.restart, d.jfif, d.adobe = 0, false, false
		case m == markSOF0 || m == markSOF1 || m == markSOF2:
			d.progressive = m == markSOF2
			err = d.frame()
		case m >= 0xc3 && m <= 0xcf && m != markDHT && m != 0xcc:
			err = fmt.Errorf("images of kind %d are not decoded", m-markSOF0)
		case m == markSOS:
			if err = d.scanHead(); err == nil {
				d.settle()
				d.marker = 0
			}
			return false, err
		case m == markEOI:
			d.marker = 0
			return true, nil
		case m == markDHT:
			err = d.huffmans()
		case m == markDQT:
			err = d.divisors()
		case m == markDRI:
			err = d.interval()
		case m >= markAPP0 && m <= markAPP0+15, m == 0xcc, m == markDNL, m == markCOM:
			err = d.application(m)
		case m >= markRST0 && m <= markRST7, m == markTEM:
		default:
			err = fmt.Errorf("the marker %#x is not known", m)
		}
		if err != nil {
			return false, err
		}
		d.settle()
		d.marker = 0
	}
}

func (d *decoder) frame() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	if err := s.want(6, "a frame"); err != nil {
		return err
	}
	if d.components != nil {
		return errors.New("two frames")
	}
	precision, err := d.byte()
	if err != nil {
		return err
	}
	if d.height, err = d.uint16(); err != nil {
		return err
	}
	if d.width, err = d.uint16(); err != nil {
		return err
	}
	n, err := d.byte()
	switch {
	case err != nil:
		return err
	case d.height == 0 || d.width == 0 || n == 0:
		return errors.New("an image without rows, columns or components")
	case s.left != 3*int(n):
		return fmt.Errorf("%d bytes for %d components", s.left, n)
	case precision != 8:
		return fmt.Errorf("samples of %d bits", precision)
	case n > 10:
		return fmt.Errorf("%d components", n)
	}
	components := make([]component, n)
	for i := range components {
		c := &components[i]
		if c.id, err = d.byte(); err != nil {
			return err
		}
		hv, err := d.byte()
		if err != nil {
			return err
		}
		if c.table, err = d.byte(); err != nil {
			return err
		}
		for k := range i {
			if components[k].id == c.id { // as libjpeg does, which counts on from the largest
				c.id = 0
				for _, o := range components[:i] {
					c.id = max(c.id, o.id+1)
				}
				break
			}
		}
		c.across, c.down = int(hv>>4), int(hv&15)
		if c.across < 1 || c.across > 4 || c.down < 1 || c.down > 4 {
			return fmt.Errorf("component %d has %d by %d samples", i, c.across, c.down)
		}
		d.across, d.down = max(d.across, c.across), max(d.down, c.down)
	}
	d.components = components
	return nil
}

func (d *decoder) scanHead() error {
	if d.components == nil {
		return errors.New("a scan without a frame")
	}
	s, err := d.segment()
	if err != nil {
		return err
	}
	n, err := d.byte()
	if err != nil {
		return err
	}
	if n < 1 || n > 4 || s.left != 2*int(n)+4 {
		return fmt.Errorf("%d bytes for a scan of %d components", s.left, n)
	}
	d.scan = d.scan[:0]
	for range n {
		id, err := d.byte()
		if err != nil {
			return err
		}
		tables, err := d.byte()
		if err != nil {
			return err
		}
		var c *component
		for i := range d.components {
			if d.components[i].id == id {
				c = &d.components[i]
				break
			}
		}
		if c == nil {
			return fmt.Errorf("a scan of component %d, which is not there", id)
		}
		for _, o := range d.scan {
			if o == c {
				return fmt.Errorf("a scan has component %d twice", id)
			}
		}
		c.dc, c.ac = tables>>4, tables&15
		d.scan = append(d.scan, c)
	}
	from, err := d.byte()
	if err != nil {
		return err
	}
	to, err := d.byte()
	if err != nil {
		return err
	}
	planes, err := d.byte()
	d.from, d.to, d.high, d.low = int(from), int(to), int(planes>>4), int(planes&15)
	d.nextRestart = 0
	d.scans++
	return err
}

func (d *decoder) huffmans() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	for s.left > 16 {
		if err := s.want(17, "codes"); err != nil {
			return err
		}
		index, err := d.byte()
		if err != nil {
			return err
		}
		var counts [16]byte
		sum := 0
		for i := range counts {
			if counts[i], err = d.byte(); err != nil {
				return err
			}
			sum += int(counts[i])
		}
		if sum > 256 || sum > s.left {
			return errors.New("a table of codes is too long")
		}
		s.left -= sum
		values := make([]byte, sum)
		for i := range values {
			if values[i], err = d.byte(); err != nil {
				return err
			}
		}
		if index&^0x13 != 0 {
			return fmt.Errorf("codes have the number %d", index)
		}
		d.codes[index>>4][index&3] = &Codes{counts, values}
	}
	if s.left != 0 {
		return errors.New("a segment of codes has bytes to spare")
	}
	return nil
}

func (d *decoder) divisors() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	for s.left > 0 {
		s.left--
		head, err := d.byte()
		if err != nil {
			return err
		}
		wide, index := head>>4 != 0, head&15
		if index > 3 {
			return fmt.Errorf("divisors have the number %d", index)
		}
		// Fewer than 64 are taken for what is there, and 1 for the others.
		t := &d.tables[index]
		for i := range t.divisors {
			t.divisors[i] = 1
		}
		n := 64
		if wide {
			if s.left < 128 {
				n = s.left / 2
			}
		} else if s.left < 64 {
			n = s.left
		}
		if n < 64 {
			return errors.New("a table of divisors is too short")
		}
		for i := range n {
			var x int
			if wide {
				if x, err = d.uint16(); err != nil {
					return err
				}
				s.left -= 2
			} else {
				b, err := d.byte()
				if err != nil {
					return err
				}
				x = int(b)
				s.left--
			}
			t.divisors[zigzag[i]] = uint16(x)
		}
		t.set = true
	}
	return nil
}

func (d *decoder) interval() error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	if s.left != 2 {
		return errors.New("a restart interval has 2 bytes")
	}
	d.restart, err = d.uint16()
	return err
}

// application looks at the segments of applications that say what colors are.
func (d *decoder) application(m byte) error {
	s, err := d.segment()
	if err != nil {
		return err
	}
	var head [14]byte
	n := 0
	if m == markAPP0 || m == markAPP14 {
		for n = range min(s.left, len(head)) {
			if head[n], err = d.byte(); err != nil {
				return err
			}
		}
		n = min(s.left, len(head))
	}
	switch {
	case m == markAPP0 && n >= 14 && string(head[:5]) == "JFIF\x00":
		d.jfif = true
	case m == markAPP14 && n >= 12 && string(head[:5]) == "Adobe":
		d.adobe, d.transform = true, head[11]
	}
	d.settle()
	d.skip(s.left - n)
	return nil
}
