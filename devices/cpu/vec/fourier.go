package vec

// A FourierStep splits a radix off a Fourier transform in the order of Stockham: From is
// Stride interleaved sequences, of which To has radix times as many, each a radix-th as long
// (package kernel/fourier). Roots are those of one, of which the step takes every Each-th.
// Results have the same bits on every machine.
type FourierStep struct {
	To, From []complex128
	Stride   int
	Roots    []complex128
	Each     int
}

// A fourierRun is a step for the assembly; lengths are bytes.
type fourierRun struct {
	to, from, roots   *complex128
	stride            int
	part              int // how far the inputs of one result are apart
	count             int // of elements of a sequence
	root, rootsToNext int
}

// Root is exp(-2πi·k/n) of the n that is transformed.
func (s *FourierStep) Root(k int) complex128 { return s.Roots[k*s.Each] }

// In is the j-th part of the i-th elements of the sequences, of a step of so many parts.
func (s *FourierStep) In(i, j, parts int) []complex128 {
	return s.From[s.Stride*(i+j*parts):][:s.Stride]
}

// Out is the j-th result of the i-th elements of the sequences, of a step by radix r.
func (s *FourierStep) Out(r, i, j int) []complex128 { return s.To[s.Stride*(r*i+j):][:s.Stride] }

// ComplexTimes is x·y for numbers that are finite.
func ComplexTimes(x, y complex128) complex128 {
	return complex(float64(real(x)*real(y))-float64(imag(x)*imag(y)), float64(real(x)*imag(y))+float64(imag(x)*real(y)))
}

// Radix2 splits 2 off elements lo to hi of the sequences.
func (s *FourierStep) Radix2(lo, hi int) {
	switch {
	case isa == avx512 && s.Stride%4 == 0 && lo < hi:
		run := s.run(2, lo, hi)
		radix2AVX512(&run)
		return
	case isa >= avx2 && s.Stride%2 == 0 && lo < hi:
		run := s.run(2, lo, hi)
		radix2AVX2(&run)
		return
	}
	m := len(s.From) / (2 * s.Stride)
	for i := lo; i < hi; i++ {
		w := s.Root(i * s.Stride)
		x0, x1 := s.In(i, 0, m), s.In(i, 1, m)
		y0, y1 := s.Out(2, i, 0), s.Out(2, i, 1)
		for q, a := range x0 {
			b := x1[q]
			y0[q] = a + b
			y1[q] = ComplexTimes(a-b, w)
		}
	}
}

// Radix4 splits 4 off elements lo to hi of the sequences.
func (s *FourierStep) Radix4(lo, hi int) {
	switch {
	case s.Stride == 1: // vectors take several elements
		lanes := choose(4, 2, 1)
		if whole := (hi - lo) / lanes * lanes; lanes > 1 && whole > 0 {
			run := s.run(4, lo, lo+whole)
			if isa == avx512 {
				radix4FirstAVX512(&run)
			} else {
				radix4FirstAVX2(&run)
			}
			lo += whole
		}
	case isa == avx512 && s.Stride%4 == 0 && lo < hi:
		run := s.run(4, lo, hi)
		radix4AVX512(&run)
		return
	case isa >= avx2 && s.Stride%2 == 0 && lo < hi:
		run := s.run(4, lo, hi)
		radix4AVX2(&run)
		return
	}
	m := len(s.From) / (4 * s.Stride)
	for i := lo; i < hi; i++ {
		w1, w2, w3 := s.Root(i*s.Stride), s.Root(2*i*s.Stride), s.Root(3*i*s.Stride)
		x0, x1, x2, x3 := s.In(i, 0, m), s.In(i, 1, m), s.In(i, 2, m), s.In(i, 3, m)
		y0, y1, y2, y3 := s.Out(4, i, 0), s.Out(4, i, 1), s.Out(4, i, 2), s.Out(4, i, 3)
		for q := range x0 {
			a, c := x0[q]+x2[q], x0[q]-x2[q]
			b, d := x1[q]+x3[q], x1[q]-x3[q]
			d = complex(imag(d), -real(d)) // -i·d
			y0[q] = a + b
			y1[q] = ComplexTimes(c+d, w1)
			y2[q] = ComplexTimes(a-b, w2)
			y3[q] = ComplexTimes(c-d, w3)
		}
	}
}

// run is the step by radix r of elements lo to hi, of which there are some, for the assembly.
// It panics where a slice is too short.
func (s *FourierStep) run(r, lo, hi int) fourierRun {
	const size = 16
	m := len(s.From) / (r * s.Stride)
	s.In(hi-1, r-1, m)
	s.Out(r, hi-1, r-1)
	s.Root((r - 1) * (hi - 1) * s.Stride)
	step := size * s.Each * s.Stride
	return fourierRun{
		&s.To[s.Stride*r*lo], &s.From[s.Stride*lo], &s.Roots[0],
		size * s.Stride, size * s.Stride * m, hi - lo, lo * step, step,
	}
}
