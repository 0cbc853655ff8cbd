package fourier

import (
	"math"
	"math/bits"
)

// largestRadix is the greatest prime factor that is transformed by its
// definition.
const largestRadix = 31

// A Plan transforms n complex numbers. It does not change once it is made, and
// any number of goroutines may use it.
type Plan struct {
	n       int
	factors []int        // the radices, whose product is n; nil for a chirp
	roots   []complex128 // exp(-2πi·k/n)
	chirp   *chirp
}

// Stop says whether somebody no longer wants what is being computed: plans and
// transforms that take longer than a millisecond ask it. A nil Stop never does.
type Stop func() bool

func (s Stop) asked() bool { return s != nil && s() }

// factors is the radices of n, and what is left of it: 1, or a number with a large
// prime factor.
func factors(n int) (radices []int, rest int) {
	for _, r := range []int{4, 2} {
		for n%r == 0 {
			radices = append(radices, r)
			n /= r
		}
	}
	for r := 3; r <= largestRadix; r += 2 {
		for n%r == 0 {
			radices = append(radices, r)
			n /= r
		}
	}
	return radices, n
}

// Bytes is about what [NewPlan] takes for n numbers: 16·n, or up to 10 times that if
// n has a large prime factor.
func Bytes(n int) int {
	if _, rest := factors(n); rest > 1 {
		return 16 * (n + 3*chirpLen(n))
	}
	return 16 * n
}

// NewPlan is the plan for n numbers, n >= 1; nil if it was stopped. See [Bytes].
func NewPlan(n int, stop Stop) *Plan {
	p := &Plan{n: n}
	var rest int
	if p.factors, rest = factors(n); rest > 1 {
		p.factors, p.chirp = nil, newChirp(n, stop)
		if p.chirp == nil {
			return nil
		}
		return p
	}
	p.roots = make([]complex128, n)
	for k := range p.roots {
		if k%slab == slab-1 && stop.asked() {
			return nil
		}
		p.roots[k] = root(k, n)
	}
	return p
}

// Len is the n of the plan.
func (p *Plan) Len() int { return p.n }

// Scratch is how much room Transform needs beside the numbers.
func (p *Plan) Scratch() int {
	if p.chirp != nil {
		return 2 * p.chirp.plan.n
	}
	return p.n
}

// Transform replaces the n numbers of x by their transform, or by the inverse
// one, times n. It overwrites scratch, which has at least Scratch elements. If it is
// stopped, x holds anything.
func (p *Plan) Transform(x, scratch []complex128, inverse bool, stop Stop) {
	x = x[:p.n]
	if p.chirp != nil {
		p.chirp.transform(x, scratch, stop)
	} else {
		p.stockham(x, scratch[:p.n], stop)
	}
	if inverse { // is the transform at -k
		for i, j := 1, p.n-1; i < j; i, j = i+1, j-1 {
			x[i], x[j] = x[j], x[i]
		}
	}
}

// stockham splits off one radix after the other. Where stride is the product of
// those before, x is stride interleaved sequences, of which a step makes r
// times as many, each an rth as long.
func (p *Plan) stockham(x, scratch []complex128, stop Stop) {
	from, to := x, scratch
	stride := 1
	for _, r := range p.factors {
		parts := p.n / (r * stride)
		some := max(1, slab/(r*stride))
		for lo := 0; lo < parts; lo += some {
			if p.n > slab && stop.asked() {
				return
			}
			hi := min(parts, lo+some)
			switch r {
			case 2:
				p.radix2(to, from, stride, lo, hi)
			case 3:
				p.radix3(to, from, stride, lo, hi)
			case 4:
				p.radix4(to, from, stride, lo, hi)
			default:
				p.radix(r, to, from, stride, lo, hi)
			}
		}
		from, to = to, from
		stride *= r
	}
	if len(p.factors)%2 != 0 {
		copy(x, from)
	}
}

// slab is how many elements are handled between two questions to a Stop.
const slab = 1 << 16

func (p *Plan) radix2(y, x []complex128, s, lo, hi int) {
	m := p.n / (2 * s)
	for i := lo; i < hi; i++ {
		w := p.roots[i*s]
		x0, x1 := x[s*i:][:s], x[s*(i+m):][:s]
		y0, y1 := y[s*2*i:][:s], y[s*(2*i+1):][:s]
		for q, a := range x0 {
			b := x1[q]
			y0[q] = a + b
			y1[q] = (a - b) * w
		}
	}
}

func (p *Plan) radix3(y, x []complex128, s, lo, hi int) {
	sin := math.Sqrt(3) / 2
	m := p.n / (3 * s)
	for i := lo; i < hi; i++ {
		w1, w2 := p.roots[i*s], p.roots[2*i*s]
		x0, x1, x2 := x[s*i:][:s], x[s*(i+m):][:s], x[s*(i+2*m):][:s]
		y0, y1, y2 := y[s*3*i:][:s], y[s*(3*i+1):][:s], y[s*(3*i+2):][:s]
		for q, a := range x0 {
			b, c := x1[q]+x2[q], x1[q]-x2[q]
			c = complex(sin*imag(c), -sin*real(c)) // -i·sin(2π/3)·c
			y0[q] = a + b
			a -= complex(real(b)/2, imag(b)/2)
			y1[q] = (a + c) * w1
			y2[q] = (a - c) * w2
		}
	}
}

func (p *Plan) radix4(y, x []complex128, s, lo, hi int) {
	m := p.n / (4 * s)
	for i := lo; i < hi; i++ {
		w1, w2, w3 := p.roots[i*s], p.roots[2*i*s], p.roots[3*i*s]
		x0, x1, x2, x3 := x[s*i:][:s], x[s*(i+m):][:s], x[s*(i+2*m):][:s], x[s*(i+3*m):][:s]
		y0, y1, y2, y3 := y[s*4*i:][:s], y[s*(4*i+1):][:s], y[s*(4*i+2):][:s], y[s*(4*i+3):][:s]
		for q := range x0 {
			a, c := x0[q]+x2[q], x0[q]-x2[q]
			b, d := x1[q]+x3[q], x1[q]-x3[q]
			d = complex(imag(d), -real(d)) // -i·d
			y0[q] = a + b
			y1[q] = (c + d) * w1
			y2[q] = (a - b) * w2
			y3[q] = (c - d) * w3
		}
	}
}

// radix is a step of any odd radix r. It takes the terms j and r-j of the
// definition together, and so finds the results k and r-k together.
func (p *Plan) radix(r int, y, x []complex128, s, lo, hi int) {
	var sums, differences [largestRadix/2 + 1]complex128
	m, step := p.n/(r*s), p.n/r
	for i := lo; i < hi; i++ {
		for q := range s {
			in, out := x[s*i+q:], y[s*r*i+q:]
			first := in[0]
			total := first
			for j := 1; j <= r/2; j++ {
				a, b := in[s*m*j], in[s*m*(r-j)]
				sums[j], differences[j] = a+b, a-b
				total += a + b
			}
			out[0] = total
			for k := 1; k <= r/2; k++ {
				even, odd := first, complex128(0)
				for j, at := 1, k; j <= r/2; j++ {
					w, sum, difference := p.roots[at*step], sums[j], differences[j]
					even += complex(real(w)*real(sum), real(w)*imag(sum))
					odd += complex(-imag(w)*imag(difference), imag(w)*real(difference))
					if at += k; at >= r {
						at -= r
					}
				}
				out[s*k] = (even + odd) * p.roots[i*k*s]
				out[s*(r-k)] = (even - odd) * p.roots[i*(r-k)*s]
			}
		}
	}
}

// root is exp(-2πi·k/n) for 0 <= k < n. The angle is brought into the first
// eighth of the circle by integers, so that multiples of 45° are exact.
func root(k, n int) complex128 {
	hi, lo := bits.Mul64(uint64(k), 8)
	octant, rest := bits.Div64(hi, lo, uint64(n)) // 8k = octant·n + rest
	part := float64(rest)
	if octant%2 != 0 {
		part = float64(uint64(n) - rest)
	}
	s, c := math.Sincos(math.Pi / 4 * part / float64(n))
	if octant%2 != 0 {
		s, c = c, s // seen from the nearer end of the quarter
	}
	switch octant / 2 {
	case 0:
		return complex(c, -s)
	case 1:
		return complex(-s, -c)
	case 2:
		return complex(-c, s)
	default:
		return complex(s, c)
	}
}

// A chirp transforms a length that has a large prime factor. As jk = (j² + k²
// - (k-j)²)/2, the transform is a convolution with exp(πi·j²/n) between two
// multiplications by its conjugate; L. Bluestein, 1970. The convolution is one
// of cyclic sequences of a power of 2, by transforms.
type chirp struct {
	plan    *Plan
	w       []complex128 // exp(-πi·j²/n)
	spectra []complex128 // the transform of the conjugates, over the plan's length
}

// chirpLen is the power of 2 that is at least 2n-1.
func chirpLen(n int) int { return 1 << bits.Len(uint(2*n-2)) }

// newChirp is nil if it was stopped.
func newChirp(n int, stop Stop) *chirp {
	length := chirpLen(n)
	plan := NewPlan(length, stop)
	if plan == nil {
		return nil
	}
	c := &chirp{plan: plan, w: make([]complex128, n), spectra: make([]complex128, length)}
	square := 0 // j² modulo 2n
	for j := range n {
		if j%slab == slab-1 && stop.asked() {
			return nil
		}
		c.w[j] = root(square, 2*n)
		square = (square + 2*j + 1) % (2 * n)
		conj := complex(real(c.w[j]), -imag(c.w[j])) / complex(float64(length), 0)
		c.spectra[j] = conj
		if j > 0 {
			c.spectra[length-j] = conj
		}
	}
	c.plan.Transform(c.spectra, make([]complex128, length), false, stop)
	return c
}

func (c *chirp) transform(x, scratch []complex128, stop Stop) {
	length := c.plan.n
	a, rest := scratch[:length], scratch[length:2*length]
	for j, w := range c.w {
		a[j] = x[j] * w
	}
	clear(a[len(x):])
	c.plan.Transform(a, rest, false, stop)
	for k, b := range c.spectra {
		a[k] *= b
	}
	c.plan.Transform(a, rest, true, stop)
	for k, w := range c.w {
		x[k] = a[k] * w
	}
}
