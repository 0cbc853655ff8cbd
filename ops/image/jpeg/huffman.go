package jpeg

// A huffman is a table of codes, to decode with.
type huffman struct {
	// look has, for the next 8 bits, the length of a code of at most 8 bits in its high
	// byte and what it stands for in its low byte; zero lengths are longer codes.
	look [256]uint16
	// quick has, for the next 10 bits, a code with the number behind it where both are in
	// them: the number in its high 16 bits, its size in bits 5 to 8, how many zeros come
	// before it from bit 9 on, and in the lowest bits how long all of that is. It is zero for
	// what is longer, or has no number.
	quick  [1 << quickBits]int32
	most   [18]int32 // the largest code of each length, -1 if there is none
	offset [17]int32 // from codes of a length to their places in values
	values [256]byte
	dc     bool // what codes stand for are sizes alone, at most 15
}

const quickBits = 10

// newHuffman makes a table of how many codes there are of each length, and what they
// stand for, in order. It reports whether that is possible.
func newHuffman(counts *[16]byte, values []byte) (h *huffman, ok bool) {
	h = &huffman{dc: true}
	copy(h.values[:], values)
	code, at := int32(0), 0
	for i, n := range counts {
		length := i + 1
		h.offset[length], h.most[length] = int32(at)-code, -1
		for range n {
			if code >= 1<<length {
				return nil, false
			}
			if length <= 8 {
				first := code << (8 - length)
				for k := range int32(1) << (8 - length) {
					h.look[first+k] = uint16(length)<<8 | uint16(h.values[at])
				}
			}
			h.most[length] = code
			code++
			at++
		}
		// A length's codes must leave one of all ones, which is not used.
		if n > 0 && code > 1<<length {
			return nil, false
		}
		code <<= 1
	}
	h.most[17] = 1<<31 - 1
	for _, v := range h.values[:at] {
		h.dc = h.dc && v <= 15
	}
	return h, true
}

// hasten sets quick.
func (h *huffman) hasten() {
	for code, e := range h.look {
		length, size := int(e>>8), int(e&15)
		if size == 0 || length+size > quickBits {
			continue
		}
		// Codes that are shorter than 8 bits come with each number again.
		rest := quickBits - length - size
		first := code << (quickBits - 8)
		for k := range 1 << (quickBits - 8) {
			x := extend(int32((first+k)>>rest)&(1<<size-1), size)
			h.quick[first+k] = x<<16 | int32(e>>4&15)<<9 | int32(size)<<5 | int32(length+size)
		}
	}
}

// bits are read ahead from a source. How far ahead is a part of what a file that ends
// early stands for, and so the two ways to read, with care and fast, each have a rule
// for it: see [bits.fill] and [bits.fillFast].
type bits struct {
	source
	acc uint64
	n   int // bits of acc that have not been read: the lowest
	// marker is the marker that was found among the bits, which end there; 0 for none.
	marker byte
	// dry: zeros have been read in place of bits beyond a marker. What is read then
	// is zero up to the next restart.
	dry bool
}

// fill reads ahead until there are more than 56 bits, as far as there are any, and
// makes want of them in any case.
func (b *bits) fill(want int) error {
	if b.marker == 0 {
		if b.n < 57 && b.at+8 <= len(b.data) {
			if w := word(b.data, b.at); !full(w) {
				n := (64 - b.n) >> 3
				b.acc = b.acc<<(8*n) | w>>(64-8*n)
				b.n += 8 * n
				b.at += n
			}
		}
		for b.n < 57 {
			c, err := b.byte()
			if err != nil {
				return err
			}
			if c == 0xff {
				for c == 0xff {
					if c, err = b.byte(); err != nil {
						return err
					}
				}
				if c != 0 {
					b.marker = c
					break
				}
				c = 0xff
			}
			b.acc = b.acc<<8 | uint64(c)
			b.n += 8
		}
	}
	if b.marker != 0 && want > b.n {
		b.dry = true
		b.acc <<= 57 - b.n
		b.n = 57
	}
	return nil
}

// get reads n bits, at most 16.
func (b *bits) get(n int) (int32, error) {
	if b.n < n {
		if err := b.fill(n); err != nil {
			return 0, err
		}
	}
	b.n -= n
	return int32(b.acc>>b.n) & (1<<n - 1), nil
}

// code reads a code, and answers what it stands for; 0 for what is no code.
func (b *bits) code(h *huffman) (int, error) {
	length := 9
	if b.n < 8 {
		if err := b.fill(0); err != nil {
			return 0, err
		}
	}
	if b.n >= 8 {
		if e := h.look[uint8(b.acc>>(b.n-8))]; e != 0 {
			b.n -= int(e >> 8)
			return int(e & 0xff), nil
		}
	} else {
		length = 1
	}
	code, err := b.get(length)
	for err == nil && code > h.most[length] {
		var bit int32
		bit, err = b.get(1)
		code = code<<1 | bit
		length++
	}
	if err != nil || length > 16 {
		return 0, err
	}
	return int(h.values[uint8(code+h.offset[length])]), nil
}

// extend returns the number of that size, which is not 0, whose bits are x: those below half of
// the range are negative.
func extend(x int32, size int) int32 {
	return x + (x>>((size-1)&31)-1)&(-1<<(size&31)+1)
}

// number reads a number of a size.
func (b *bits) number(size int) (int32, error) {
	x, err := b.get(size)
	return extend(x, size), err
}
