package fourier

import (
	"math"
	"math/bits"

	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// largestRadix is the greatest prime factor that is transformed by its
// definition.
const largestRadix = 31

// A Plan transforms n complex numbers. It does not change once it is made, and
// any number of goroutines may use it.
type Plan struct {
	n       int
	factors []int        // the radices, whose product is n; nil for a chirp
	halves  []int        // those of n/2; nil where n is odd, and for a chirp
	roots   []complex128 // exp(-2πi·k/n)
	chirp   *chirp
}

// Stop reports whether what is being computed is no longer wanted: plans and
// transforms that take longer than a millisecond ask it. A nil Stop never does.
type Stop func() bool

func (s Stop) asked() bool { return s != nil && s() }

// factors returns the radices of n, and what is left of it: 1, or a number with a large
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

// NewPlan returns the plan for n numbers, n >= 1; nil if it was stopped. See [Bytes].
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
	if n%2 == 0 {
		p.halves, _ = factors(n / 2)
		p.halves = append([]int{}, p.halves...) // not nil, of n = 2
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

// Len returns the n of the plan.
func (p *Plan) Len() int { return p.n }

// Scratch returns how much room Transform needs in addition to the numbers.
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
		stockham(x, scratch[:p.n], p.factors, p.roots, 1, stop)
	}
	if inverse { // is the transform at -k
		reversed(x)
	}
}

// reversed puts what is at k to -k.
func reversed(x []complex128) {
	for i, j := 1, len(x)-1; i < j; i, j = i+1, j-1 {
		x[i], x[j] = x[j], x[i]
	}
}

// Halves reports whether the plan has TransformReal.
func (p *Plan) Halves() bool { return p.halves != nil }

// TransformReal is Transform of n real numbers, which x has in pairs: the first as the
// real part of x[0], the second as its imaginary part. It leaves the first n/2+1 numbers
// of the transform, of which the others are conjugates, and the first and the last real.
// The inverse takes these, and
// leaves n real numbers, times n. H. V. Sorensen et al., "Real-valued fast Fourier
// transform algorithms", 1987: the transform of half the length, of which the even part
// is that of the even elements, and the odd part that of the odd ones.
func (p *Plan) TransformReal(x, scratch []complex128, inverse bool, stop Stop) {
	m := p.n / 2
	x = x[:m+1]
	if !inverse {
		stockham(x[:m], scratch[:m], p.halves, p.roots, 2, stop)
		x[0], x[m] = complex(real(x[0])+imag(x[0]), 0), complex(real(x[0])-imag(x[0]), 0)
	} else {
		x[0] = complex(real(x[0])+real(x[m]), real(x[0])-real(x[m]))
	}
	for k := 1; k <= m-k; k++ {
		a, b := x[k], x[m-k]
		even := complex(real(a)+real(b), imag(a)-imag(b)) // twice
		odd := complex(imag(a)+imag(b), real(b)-real(a))  // twice, -i·(a-b̄)
		if inverse {
			odd = vec.ComplexTimes(complex(-real(odd), -imag(odd)), conjugate(p.roots[k]))
		} else {
			even, odd = complex(real(even)/2, imag(even)/2), complex(real(odd)/2, imag(odd)/2)
			odd = vec.ComplexTimes(odd, p.roots[k])
		}
		x[k], x[m-k] = even+odd, conjugate(even-odd)
	}
	if inverse {
		stockham(x[:m], scratch[:m], p.halves, p.roots, 2, stop)
		reversed(x[:m])
	}
}

func conjugate(x complex128) complex128 { return complex(real(x), -imag(x)) }

// A step splits a radix off.
type step struct{ vec.FourierStep }

// stockham splits off one radix after the other. Where stride is the product of
// those before, x is stride interleaved sequences, of which a step makes r
// times as many, each an rth as long.
func stockham(x, scratch []complex128, factors []int, roots []complex128, each int, stop Stop) {
	p := step{vec.FourierStep{To: scratch, From: x, Stride: 1, Roots: roots, Each: each}}
	for _, r := range factors {
		parts := len(x) / (r * p.Stride)
		some := max(1, slab/(r*p.Stride))
		for lo := 0; lo < parts; lo += some {
			if len(x) > slab && stop.asked() {
				return
			}
			hi := min(parts, lo+some)
			switch r {
			case 2:
				p.Radix2(lo, hi)
			case 3:
				p.radix3(lo, hi)
			case 4:
				p.Radix4(lo, hi)
			case 5:
				p.radix5(lo, hi)
			default:
				p.radix(r, lo, hi)
			}
		}
		p.From, p.To = p.To, p.From
		p.Stride *= r
	}
	if len(factors)%2 != 0 {
		copy(x, p.From)
	}
}

// slab is how many elements are handled between two questions to a Stop.
const slab = 1 << 16

func (p *step) radix3(lo, hi int) {
	sin := math.Sqrt(3) / 2
	m := len(p.From) / (3 * p.Stride)
	for i := lo; i < hi; i++ {
		w1, w2 := p.Root(i*p.Stride), p.Root(2*i*p.Stride)
		x0, x1, x2 := p.In(i, 0, m), p.In(i, 1, m), p.In(i, 2, m)
		y0, y1, y2 := p.Out(3, i, 0), p.Out(3, i, 1), p.Out(3, i, 2)
		for q, a := range x0 {
			b, c := x1[q]+x2[q], x1[q]-x2[q]
			c = complex(sin*imag(c), -sin*real(c)) // -i·sin(2π/3)·c
			y0[q] = a + b
			a -= complex(real(b)/2, imag(b)/2)
			y1[q] = vec.ComplexTimes(a+c, w1)
			y2[q] = vec.ComplexTimes(a-c, w2)
		}
	}
}

func (p *step) radix5(lo, hi int) {
	s1, c1 := math.Sincos(2 * math.Pi / 5)
	s2, c2 := math.Sincos(4 * math.Pi / 5)
	m := len(p.From) / (5 * p.Stride)
	for i := lo; i < hi; i++ {
		w1, w2, w3, w4 := p.Root(i*p.Stride), p.Root(2*i*p.Stride), p.Root(3*i*p.Stride), p.Root(4*i*p.Stride)
		x0, x1, x2, x3, x4 := p.In(i, 0, m), p.In(i, 1, m), p.In(i, 2, m), p.In(i, 3, m), p.In(i, 4, m)
		y0, y1, y2, y3, y4 := p.Out(5, i, 0), p.Out(5, i, 1), p.Out(5, i, 2), p.Out(5, i, 3), p.Out(5, i, 4)
		for q, a := range x0 {
			b, e := x1[q]+x4[q], x1[q]-x4[q]
			c, d := x2[q]+x3[q], x2[q]-x3[q]
			y0[q] = a + b + c
			u := complex(real(a)+c1*real(b)+c2*real(c), imag(a)+c1*imag(b)+c2*imag(c))
			v := complex(real(a)+c2*real(b)+c1*real(c), imag(a)+c2*imag(b)+c1*imag(c))
			f := complex(s1*imag(e)+s2*imag(d), -(s1*real(e) + s2*real(d)))
			g := complex(s2*imag(e)-s1*imag(d), -(s2*real(e) - s1*real(d)))
			y1[q] = vec.ComplexTimes(u+f, w1)
			y2[q] = vec.ComplexTimes(v+g, w2)
			y3[q] = vec.ComplexTimes(v-g, w3)
			y4[q] = vec.ComplexTimes(u-f, w4)
		}
	}
}

// radix is a step of any odd radix r. It takes the terms j and r-j of the
// definition together, and so finds the results k and r-k together.
func (p *step) radix(r, lo, hi int) {
	var sums, differences [largestRadix/2 + 1]complex128
	n, s := len(p.From), p.Stride
	m, turn := n/(r*s), n/r
	for i := lo; i < hi; i++ {
		for q := range s {
			in, out := p.From[s*i+q:], p.To[s*r*i+q:]
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
					w, sum, difference := p.Root(at*turn), sums[j], differences[j]
					even += complex(real(w)*real(sum), real(w)*imag(sum))
					odd += complex(-imag(w)*imag(difference), imag(w)*real(difference))
					if at += k; at >= r {
						at -= r
					}
				}
				out[s*k] = vec.ComplexTimes(even+odd, p.Root(i*k*s))
				out[s*(r-k)] = vec.ComplexTimes(even-odd, p.Root(i*(r-k)*s))
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

// chirpLen returns the power of 2 that is at least 2n-1.
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
