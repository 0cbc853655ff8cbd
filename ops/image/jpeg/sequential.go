package jpeg

import "errors"

// A unit of a scan is its blocks that belong together: those of an interleaved scan's
// components at one place, or one block. Its coefficients are in blocks, all zero before.

var errCoefficient = errors.New("a coefficient is out of range")

// sequentialUnit reads the blocks of one unit of a scan that is not progressive.
func (d *decoder) sequentialUnit() error {
	fast := true
	if d.restart > 0 {
		if d.untilRestart == 0 {
			if err := d.atRestart(); err != nil {
				return err
			}
		}
		fast = false
	}
	if d.dry {
		clear(d.lasts)
	} else {
		if fast && len(d.data)-d.at >= 512*len(d.blocks) && d.marker == 0 && d.unitFast() {
			d.settle()
		} else if err := d.unitSlow(); err != nil {
			return err
		}
	}
	d.untilRestart--
	return nil
}

func (d *decoder) unitSlow() error {
	pred := d.pred
	for i, c := range d.owners {
		block := d.blocks[i]
		size, err := d.code(c.dcCodes)
		if err != nil {
			return err
		}
		var x int32
		if size > 0 {
			if x, err = d.number(size); err != nil {
				return err
			}
		}
		p := &pred[c.index]
		if *p > 1<<30 || *p < -1<<30 {
			return errCoefficient
		}
		*p += x
		block[0] = int16(*p)
		d.lasts[i] = 0
		for k := 1; k < 64; k++ {
			s, err := d.code(c.acCodes)
			if err != nil {
				return err
			}
			run, size := s>>4, s&15
			if size > 0 {
				k += run
				x, err := d.number(size)
				if err != nil {
					return err
				}
				block[zigzag[k]] = int16(x)
				d.lasts[i] = uint8(min(k, 63))
			} else {
				if run != 15 {
					break
				}
				k += 15
			}
		}
	}
	d.pred = pred
	d.settle()
	return nil
}

// word is 8 bytes of data.
func word(data string, at int) uint64 {
	s := data[at : at+8]
	return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 |
		uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
}

// full reports whether any byte of w is 0xff.
func full(w uint64) bool { return (^w-0x0101010101010101)&w&0x8080808080808080 != 0 }

// stuffed appends 6 bytes to acc, one by one: a zero after 0xff is left out. At a marker
// it answers which one, and appends zeros.
func stuffed(data string, at int, acc uint64) (uint64, int, byte) {
	var marker byte
	for range 6 {
		c, next := data[at], data[at+1]
		acc = acc<<8 | uint64(c)
		at++
		if c == 0xff {
			at++
			if next != 0 {
				marker = next
				at -= 2
				acc &^= 0xff
			}
		}
	}
	return acc, at, marker
}

// more appends 6 bytes to acc. It answers false at a marker, and where the file ends soon.
func more(data string, at int, acc uint64) (uint64, int, bool) {
	if at+8 > len(data) {
		return acc, at, false
	}
	if w := word(data, at); !full(w &^ 0xffff) {
		return acc<<48 | w>>16, at + 6, true
	}
	acc, at, marker := stuffed(data, at, acc)
	return acc, at, marker == 0
}

// unitFast is unitSlow where the file has bytes enough for any unit. It reads ahead 6
// bytes whenever there are 16 bits or less before a code, or before the number behind it:
// unless that is the last of a unit, both come to the same. It answers false, and has read
// nothing, if it comes to a marker or anything else that unitSlow has to see to.
func (d *decoder) unitFast() bool {
	data, at, acc, n := d.data, d.at, d.acc, d.n
	pred := d.pred
	ok := true
	for i, c := range d.owners {
		block := d.blocks[i]
		if n <= 16 {
			if acc, at, ok = more(data, at, acc); !ok {
				return d.back()
			}
			n += 48
		}
		p := &pred[c.index&15]
		x, size := int32(0), 0
		if e := c.dcCodes.quick[acc>>((n-quickBits)&63)&(1<<quickBits-1)]; e != 0 {
			n -= int(e & 31)
			x = e >> 16
		} else {
			size, n = c.dcCodes.symbol(acc, n)
			if size > 0 {
				if n <= 16 {
					if acc, at, ok = more(data, at, acc); !ok {
						return d.back()
					}
					n += 48
				}
				n -= size
				x = extend(int32(acc>>(n&63))&(1<<(size&31)-1), size)
			}
		}
		if *p > 1<<30 || *p < -1<<30 {
			return d.back()
		}
		*p += x
		block[0] = int16(*p)
		codes := c.acCodes
		last := 0
		for k := 1; k < 64; k++ {
			if n <= 16 {
				if acc, at, ok = more(data, at, acc); !ok {
					return d.back()
				}
				n += 48
			}
			if e := codes.quick[acc>>((n-quickBits)&63)&(1<<quickBits-1)]; e != 0 {
				n -= int(e & 31)
				k += int(e>>9) & 15
				block[zigzag[k&127]] = int16(e >> 16)
				last = k
				if k >= 63 && n+int(e>>5)&15 <= 16 {
					if acc, at, ok = more(data, at, acc); !ok {
						return d.back()
					}
					n += 48
				}
				continue
			}
			var s int
			s, n = codes.symbol(acc, n)
			size := s & 15
			if size == 0 {
				if s != 0xf0 {
					break
				}
				k += 15
				continue
			}
			if n <= 16 {
				if acc, at, ok = more(data, at, acc); !ok {
					return d.back()
				}
				n += 48
			}
			n -= size
			k += s >> 4
			block[zigzag[k&127]] = int16(extend(int32(acc>>(n&63))&(1<<(size&31)-1), size))
			last = k
		}
		d.lasts[i] = uint8(min(last, 63))
	}
	d.at, d.acc, d.n, d.pred = at, acc, n, pred
	return true
}

// back clears what unitFast has set.
func (d *decoder) back() bool {
	for _, b := range d.blocks {
		clear(b[:])
	}
	return false
}

// symbol returns what the next code of n bits ahead stands for, and how many bits are left.
func (h *huffman) symbol(acc uint64, n int) (int, int) {
	if e := h.look[uint8(acc>>((n-8)&63))]; e != 0 {
		return int(e & 0xff), n - int(e>>8)
	}
	n -= 9
	length := 9
	code := int32(acc>>(n&63)) & (1<<9 - 1)
	for code > h.most[length] {
		n--
		code = code<<1 | int32(acc>>(n&63))&1
		length++
	}
	if length > 16 {
		return 0, n
	}
	return int(h.values[uint8(code+h.offset[length])]), n
}

// atRestart passes over a restart marker, or what is there in its place.
func (d *decoder) atRestart() error {
	d.n, d.acc = 0, 0
	if d.marker == 0 {
		m, err := d.nextMarker()
		if err != nil {
			return err
		}
		d.marker = m
	}
	if int(d.marker) == markRST0+d.nextRestart {
		d.marker = 0
	} else if err := d.resync(); err != nil {
		return err
	}
	d.nextRestart = (d.nextRestart + 1) & 7
	d.pred = [16]int32{}
	d.untilRestart = d.restart
	d.endRun = 0
	if d.marker == 0 {
		d.dry = false
	}
	d.settle()
	return nil
}

// resync decides what to make of another marker than the expected one: one of the next
// two restarts, or the end, is left for later, and what lies between is zero; one of the
// last two is passed over; another restart is taken for the expected one.
func (d *decoder) resync() error {
	for {
		switch m, want := int(d.marker), d.nextRestart; {
		case m < markSOF0:
		case m < markRST0 || m > markRST7, m == markRST0+(want+1)&7, m == markRST0+(want+2)&7:
			return nil
		case m == markRST0+(want-1)&7, m == markRST0+(want-2)&7:
		default:
			d.marker = 0
			return nil
		}
		m, err := d.nextMarker()
		if err != nil {
			return err
		}
		d.marker = m
	}
}
