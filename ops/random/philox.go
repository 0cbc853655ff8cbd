package random

import "math/bits"

// A philox is the counter-based generator Philox4x32-10 of J. Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011. Its values are those of
// TensorFlow for the same key and counter.
type philox struct {
	counter [4]uint32
	key     [2]uint32
}

// newPhilox makes the generator that an operation's two seeds name.
func newPhilox(seed, seed2 uint64) philox {
	return philox{
		counter: [4]uint32{2: uint32(seed2), 3: uint32(seed2 >> 32)},
		key:     [2]uint32{uint32(seed), uint32(seed >> 32)},
	}
}

// next gives four numbers and moves the counter on by one.
func (p *philox) next() [4]uint32 {
	c, k := p.counter, p.key
	for round := 0; ; round++ {
		hi0, lo0 := bits.Mul32(0xD2511F53, c[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k[0], lo1, hi0 ^ c[3] ^ k[1], lo0}
		if round == 9 {
			break
		}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	p.skip(1)
	return c
}

// skip moves the counter, a number of 128 bits, on by n.
func (p *philox) skip(n uint64) {
	lo, carry := bits.Add64(uint64(p.counter[0])|uint64(p.counter[1])<<32, n, 0)
	hi := uint64(p.counter[2]) | uint64(p.counter[3])<<32 + carry
	p.counter = [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)}
}

// A single hands out a philox's numbers one by one.
type single struct {
	philox
	left [4]uint32
	used int // of left; 4 at first
}

func newSingle(p philox) *single { return &single{philox: p, used: 4} }

func (s *single) one() uint32 {
	if s.used == 4 {
		s.left, s.used = s.next(), 0
	}
	s.used++
	return s.left[s.used-1]
}
