package jpeg

// progressiveUnit reads what a scan of a progressive file has for the blocks of one unit.
func (d *decoder) progressiveUnit() error {
	if d.restart > 0 && d.untilRestart == 0 {
		if err := d.atRestart(); err != nil {
			return err
		}
	}
	var err error
	switch {
	case d.from == 0 && d.high > 0: // one more bit of each constant
		for _, b := range d.blocks {
			bit, err := d.get(1)
			if err != nil {
				return err
			}
			b[0] |= int16(bit << d.low)
		}
		d.settle()
	case d.dry:
	case d.from == 0:
		err = d.constants()
	case d.high == 0:
		err = d.band(d.blocks[0])
	default:
		err = d.refine(d.blocks[0])
	}
	d.untilRestart--
	return err
}

func (d *decoder) constants() error {
	pred := d.pred
	for i, c := range d.owners {
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
		d.blocks[i][0] = int16(*p << d.low)
	}
	d.pred = pred
	d.settle()
	return nil
}

// band reads coefficients of a band for the first time. The bits ahead are in variables
// of its own, as in refine, and are read ahead exactly where get and code do.
func (d *decoder) band(block *[64]int16) error {
	if d.endRun > 0 {
		d.endRun--
		return nil
	}
	codes, to, low := d.scan[0].acCodes, d.to, d.low&15
	acc, n := d.acc, d.n
	var err error
	for k := d.from; k <= to; k++ {
		var s int
		if n < 8 {
			if acc, n, err = d.ahead(acc, n, 0); err != nil {
				return err
			}
		}
		if e := codes.look[uint8(acc>>((n-8)&63))]; e != 0 && n >= 8 {
			s, n = int(e&0xff), n-int(e>>8)
		} else if s, acc, n, err = d.longCode(codes, acc, n); err != nil {
			return err
		}
		run, size := s>>4, s&15
		if size == 0 && run == 15 {
			k += 15
			continue
		}
		want := size
		if size == 0 { // the end of the band, and of so many blocks' after this one's
			if want = run; run == 0 {
				break
			}
		}
		if n < want {
			if acc, n, err = d.ahead(acc, n, want); err != nil {
				return err
			}
		}
		n -= want
		x := int32(acc>>(n&63)) & (1<<want - 1)
		if size == 0 {
			d.endRun = 1<<run + int(x) - 1
			break
		}
		k += run
		block[zigzag[k&127]&63] = int16(extend(x, size) << low)
	}
	d.acc, d.n = acc, n
	d.settle()
	return nil
}

// ahead is fill for bits that are in variables.
func (d *decoder) ahead(acc uint64, n, want int) (uint64, int, error) {
	d.acc, d.n = acc, n
	err := d.fill(want)
	return d.acc, d.n, err
}

// longCode is code for bits that are in variables.
func (d *decoder) longCode(h *huffman, acc uint64, n int) (int, uint64, int, error) {
	d.acc, d.n = acc, n
	s, err := d.code(h)
	return s, d.acc, d.n, err
}

// refine reads one more bit of a band's coefficients.
func (d *decoder) refine(block *[64]int16) error {
	codes, to := d.scan[0].acCodes, d.to
	plus, minus := int16(1)<<(d.low&15), int16(-1)<<(d.low&15)
	endRun, k := d.endRun, d.from
	acc, n := d.acc, d.n
	var err error
	for ; endRun == 0 && k <= to; k++ {
		var s int
		if n < 8 {
			if acc, n, err = d.ahead(acc, n, 0); err != nil {
				return err
			}
		}
		if e := codes.look[uint8(acc>>((n-8)&63))]; e != 0 && n >= 8 {
			s, n = int(e&0xff), n-int(e>>8)
		} else if s, acc, n, err = d.longCode(codes, acc, n); err != nil {
			return err
		}
		run, fresh := s>>4, int16(0)
		if s&15 != 0 || run != 15 && run > 0 {
			want := 1 // the sign of a new coefficient
			if s&15 == 0 {
				want = run // how many blocks end here
			}
			if n < want {
				if acc, n, err = d.ahead(acc, n, want); err != nil {
					return err
				}
			}
			n -= want
			x := int(acc>>(n&63)) & (1<<want - 1)
			switch {
			case s&15 == 0:
				endRun = 1<<run + x
			case x != 0:
				fresh = plus
			default:
				fresh = minus
			}
		} else if run == 0 {
			endRun = 1
		}
		if endRun > 0 {
			break
		}
		for ; k <= to; k++ {
			x := &block[zigzag[k&127]&63]
			v := *x
			if v == 0 {
				if run--; run < 0 {
					break
				}
				continue
			}
			if n < 1 {
				if acc, n, err = d.ahead(acc, n, 1); err != nil {
					return err
				}
			}
			n--
			*x = corrected(v, plus, int16(acc>>(n&63)&1))
		}
		if fresh != 0 {
			block[zigzag[k&127]&63] = fresh
		}
	}
	if endRun > 0 {
		for ; k <= to; k++ {
			x := &block[zigzag[k&127]&63]
			v := *x
			if v == 0 {
				continue
			}
			if n < 1 {
				if acc, n, err = d.ahead(acc, n, 1); err != nil {
					return err
				}
			}
			n--
			*x = corrected(v, plus, int16(acc>>(n&63)&1))
		}
		endRun--
	}
	d.acc, d.n, d.endRun = acc, n, endRun
	d.settle()
	return nil
}

// corrected returns a coefficient with its next bit: away from zero by plus where the bit is set
// and the coefficient's is not.
func corrected(v, plus, bit int16) int16 {
	if bit == 0 || v&plus != 0 {
		return v
	}
	return v + (plus ^ v>>15) - v>>15
}
