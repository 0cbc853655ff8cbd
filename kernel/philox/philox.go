package philox

import (
	"math"
	"math/bits"

	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// A Generator is the counter-based generator Philox4x32-10 of J. Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011. Its values are those of
// TensorFlow for the same key and counter.
type Generator struct {
	Counter [4]uint32
	Key     [2]uint32
}

// New makes the generator that an operation's two seeds name.
func New(seed, seed2 uint64) Generator {
	return Generator{
		Counter: [4]uint32{2: uint32(seed2), 3: uint32(seed2 >> 32)},
		Key:     [2]uint32{uint32(seed), uint32(seed >> 32)},
	}
}

// Next returns four numbers and moves the counter on by one.
func (p *Generator) Next() [4]uint32 {
	c0, c1, c2, c3 := p.Counter[0], p.Counter[1], p.Counter[2], p.Counter[3]
	k0, k1 := p.Key[0], p.Key[1]
	for range 10 {
		x, y := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(y>>32)^c1^k0, uint32(y), uint32(x>>32)^c3^k1, uint32(x)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	if p.Counter[0]++; p.Counter[0] == 0 {
		p.Counter[0]--
		p.Skip(1)
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Fill sets o, of a length that is a multiple of four, to what as many calls of Next as are
// needed return.
func (p *Generator) Fill(o []uint32) {
	pair := func(x []uint32) uint64 { return uint64(x[0]) | uint64(x[1])<<32 }
	vec.Philox(o, pair(p.Counter[:]), pair(p.Counter[2:]), pair(p.Key[:]))
	p.Skip(uint64(len(o) / 4))
}

// Skip moves the counter, a number of 128 bits, on by n.
func (p *Generator) Skip(n uint64) {
	lo, carry := bits.Add64(uint64(p.Counter[0])|uint64(p.Counter[1])<<32, n, 0)
	hi := uint64(p.Counter[2]) | uint64(p.Counter[3])<<32 + carry
	p.Counter = [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)}
}

// A Single hands out a Generator's numbers one by one.
type Single struct {
	Generator
	left [4]uint32
	used int // of left; 4 at first
}

// NewSingle hands out the numbers of p.
func NewSingle(p Generator) *Single { return &Single{Generator: p, used: 4} }

// One returns the next number.
func (s *Single) One() uint32 {
	if s.used == 4 {
		s.left, s.used = s.Next(), 0
	}
	s.used++
	return s.left[s.used-1]
}

// Below draws from [0, n) without bias; n is positive.
func Below(g *Single, n uint32) uint32 {
	if n&(n-1) == 0 {
		return g.One() & (n - 1)
	}
	least := math.MaxUint32%n + 1
	for {
		if x := g.One(); x >= least {
			return x % n
		}
	}
}

// Unit draws a float from [0, 1).
func Unit(g *Single) float32 { return math.Float32frombits(g.One()&0x7fffff|127<<23) - 1 }
