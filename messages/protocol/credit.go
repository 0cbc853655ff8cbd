package protocol

import (
	"math/bits"
	"strconv"
)

// A Credit is a share of one unit of an iteration's activity: 2 to the power of
// minus itself, 0 the whole unit. As shares are kept as exponents they can be divided
// without end. Whoever sends messages divides what it holds among them; who
// has nothing to send gives it back.
type Credit uint32

// None says that a message carries no credit.
const None = ^Credit(0)

// share returns the i-th of n shares of c, which together are c. They differ by a
// factor of at most two.
func (c Credit) share(i, n int) Credit {
	m := bits.Len(uint(n - 1)) // 2^m is the first power that is n or more
	if i < 1<<m-n {
		return c + Credit(m) - 1
	}
	return c + Credit(m)
}

// A Purse adds up credit that has come back.
type Purse struct {
	units int64
	parts []uint64 // bit e, from 0: 2^-(e+1)
}

// Add puts c into the purse. Two equal parts make one of twice the size, as in
// counting: so adding takes constant time on average.
func (p *Purse) Add(c Credit) {
	for ; c > 0; c-- {
		e := int(c - 1)
		for e/64 >= len(p.parts) {
			p.parts = append(p.parts, 0)
		}
		bit := uint64(1) << (e % 64)
		if p.parts[e/64]&bit == 0 {
			p.parts[e/64] |= bit
			return
		}
		p.parts[e/64] &^= bit
	}
	p.units++
}

// Holds reports whether the purse holds that many units or more.
func (p *Purse) Holds(units int64) bool { return p.units >= units }

// Broken reports whether there are parts of units in it.
func (p *Purse) Broken() bool {
	for _, w := range p.parts {
		if w != 0 {
			return true
		}
	}
	return false
}

// Reset empties the purse.
func (p *Purse) Reset() {
	p.units = 0
	clear(p.parts)
}

// AddAll puts what is in q into the purse.
func (p *Purse) AddAll(q *Purse) {
	p.units += q.units
	for w, parts := range q.parts {
		for ; parts != 0; parts &= parts - 1 {
			p.Add(Credit(w*64+bits.TrailingZeros64(parts)) + 1)
		}
	}
}

// String is "3", or "2 and parts".
func (p *Purse) String() string {
	s := strconv.FormatInt(p.units, 10)
	if p.Broken() {
		s += " and parts"
	}
	return s
}
