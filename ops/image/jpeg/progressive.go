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

// band reads coefficients of a band for the first time.
func (d *decoder) band(block *[64]int16) error {
	if d.endRun > 0 {
		d.endRun--
		return nil
	}
	codes := d.scan[0].acCodes
	for k := d.from; k <= d.to; k++ {
		s, err := d.code(codes)
		if err != nil {
			return err
		}
		run, size := s>>4, s&15
		switch {
		case size > 0:
			k += run
			x, err := d.number(size)
			if err != nil {
				return err
			}
			block[zigzag[k]] = int16(x << d.low)
			continue
		case run == 15:
			k += 15
			continue
		}
		rest, err := d.runOf(run)
		if err != nil {
			return err
		}
		d.endRun = rest - 1
		break
	}
	d.settle()
	return nil
}

// runOf is how many blocks a code ends, this one among them.
func (d *decoder) runOf(run int) (int, error) {
	if run == 0 {
		return 1, nil
	}
	more, err := d.get(run)
	return 1<<run + int(more), err
}

// refine reads one more bit of a band's coefficients.
func (d *decoder) refine(block *[64]int16) error {
	codes := d.scan[0].acCodes
	plus, minus := int16(1)<<d.low, int16(-1)<<d.low
	endRun := d.endRun
	// correct reads the next bit of a coefficient that is not zero.
	correct := func(x *int16) error {
		bit, err := d.get(1)
		if err == nil && bit != 0 && *x&plus == 0 {
			if *x >= 0 {
				*x += plus
			} else {
				*x += minus
			}
		}
		return err
	}
	k := d.from
	if endRun == 0 {
		for ; k <= d.to; k++ {
			s, err := d.code(codes)
			if err != nil {
				return err
			}
			run, fresh := s>>4, int16(0)
			if s&15 != 0 {
				bit, err := d.get(1)
				if err != nil {
					return err
				}
				if fresh = minus; bit != 0 {
					fresh = plus
				}
			} else if run != 15 {
				if endRun, err = d.runOf(run); err != nil {
					return err
				}
				break
			}
			for ; k <= d.to; k++ {
				if x := &block[zigzag[k]]; *x != 0 {
					if err := correct(x); err != nil {
						return err
					}
				} else if run--; run < 0 {
					break
				}
			}
			if fresh != 0 {
				block[zigzag[k]] = fresh
			}
		}
	}
	if endRun > 0 {
		for ; k <= d.to; k++ {
			if x := &block[zigzag[k]]; *x != 0 {
				if err := correct(x); err != nil {
					return err
				}
			}
		}
		endRun--
	}
	d.endRun = endRun
	d.settle()
	return nil
}
