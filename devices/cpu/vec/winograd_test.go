package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// polynomials are the matrices of a transform by its points, of which infinity is the last: of
// the image, the filter and the sums. They come from the definition, by Toom and Cook: a product
// of polynomials from their values.
func polynomials(points []float64, size int) (in, filter, out [][]float64) {
	n := len(points) + 1
	power := func(x float64, count int) []float64 {
		row := []float64{1}
		for len(row) < count {
			row = append(row, row[len(row)-1]*x)
		}
		return row
	}
	// without returns the coefficients of the product of all x-p but for one point.
	without := func(skip int) []float64 {
		c := []float64{1}
		for i, p := range points {
			if i == skip {
				continue
			}
			next := make([]float64, len(c)+1)
			for j, v := range c {
				next[j+1] += v
				next[j] -= p * v
			}
			c = next
		}
		return append(c, make([]float64, n-len(c))...)
	}
	for i, p := range points {
		in = append(in, without(i))
		div := 1.0
		for j, q := range points {
			if j != i {
				div *= p - q
			}
		}
		row := power(p, 3)
		for j := range row {
			row[j] /= div
		}
		filter, out = append(filter, row), append(out, power(p, size))
	}
	last := make([]float64, size)
	last[size-1] = 1
	return append(in, without(-1)), append(filter, []float64{0, 0, 1}), append(out, last)
}

// both applies a matrix to the columns and the rows of a square; turned, its transpose.
func both(m [][]float64, x [][]float64, turned bool) [][]float64 {
	rows, cols := len(m), len(m[0])
	at := func(i, j int) float64 { return m[i][j] }
	if turned {
		rows, cols = cols, rows
		at = func(i, j int) float64 { return m[j][i] }
	}
	y := make([][]float64, rows)
	for i := range y {
		y[i] = make([]float64, rows)
		for j := range y[i] {
			for a := range cols {
				for b := range cols {
					y[i][j] += at(i, a) * at(j, b) * x[a][b]
				}
			}
		}
	}
	return y
}

// The transforms are those that the definition has for their points, but for factors that those of
// image and filter share.
func TestWinograd(t *testing.T) {
	for _, c := range []struct {
		w      *Winograd
		points []float64
		signs  []float64 // of the image's transform
	}{
		{Winograd2, []float64{0, 1, -1}, []float64{-1, 1, 1, -1}},
		{Winograd4, []float64{0, pointA, -pointA, pointB, -pointB}, []float64{1, 1, 1, 1, 1, 1}},
	} {
		in, filter, out := polynomials(c.points, c.w.Size)
		for i, s := range c.signs {
			for j := range in[i] {
				in[i][j] *= s
			}
			for j := range filter[i] {
				filter[i][j] *= s
			}
		}
		if c.w == Winograd2 { // the last position has another sign, as its factor has
			for j := range out[3] {
				out[3][j] *= -1
			}
			for j := range filter[3] {
				filter[3][j] *= -1
			}
			in[3][1], in[3][3] = 1, -1
		}
		eachISA(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			n := c.w.Points
			for channels := 1; channels < 600; channels += 1 + channels/4 {
				line, pixel, step := (n+2)*channels+3, channels+1, c.w.Whole(channels)+5
				src := make([]float32, (n-1)*(line+pixel)+channels)
				for i := range src {
					src[i] = rng.Float32() - 0.5
				}
				got := guarded[float32](t, (n*n-1)*step+c.w.Whole(channels))
				temp := guarded[float32](t, c.w.Temp())
				c.w.Input(got, step, src, line, pixel, channels, temp)
				for k := range channels {
					x := make([][]float64, n)
					for i := range x {
						for j := range n {
							x[i] = append(x[i], float64(src[i*line+j*pixel+k]))
						}
					}
					want := both(in, x, false)
					for i := range n * n {
						if d := math.Abs(float64(got[i*step+k]) - want[i/n][i%n]); d > 5e-6 {
							t.Fatalf("%d points, channel %d of %d: position %d is %v, want %v", n, k, channels, i, got[i*step+k], want[i/n][i%n])
						}
					}
				}
				for i := range got {
					got[i] = rng.Float32() - 0.5
				}
				scale, bias, add := mixed(t, channels+3), mixed(t, channels+3), []float32(nil)
				for _, lines := range []int{1, c.w.Size} {
					for _, columns := range []int{1, c.w.Size - 1, c.w.Size} {
						s := WinogradSquare{At: 7, Line: c.w.Size*channels + 9, Pixel: channels + 1, Lines: lines, Columns: columns, First: 3, Channels: channels}
						end := s.At + (lines-1)*s.Line + (columns-1)*s.Pixel + channels
						add = mixed(t, end)
						for what, f := range []Finish{{}, {Bias: bias}, {Scale: scale, Bias: bias, Add: add}, {Add: add, Limit: ReluLimit}, {Bias: bias, Limit: Relu6Limit}} {
							dst := guarded[float32](t, end)
							for i := range dst {
								dst[i] = 1e9
							}
							c.w.Output(dst, s, got, step, &f, temp)
							for k := range channels {
								x := make([][]float64, n)
								for i := range x {
									for j := range n {
										x[i] = append(x[i], float64(got[(i*n+j)*step+k]))
									}
								}
								want := both(out, x, true)
								for i := range lines {
									for j := range columns {
										v, at := want[i][j], s.At+i*s.Line+j*s.Pixel+k
										if f.Scale != nil {
											v *= float64(scale[3+k])
										}
										if f.Bias != nil {
											v += float64(bias[3+k])
										}
										if f.Add != nil {
											v += float64(add[at])
										}
										if f.Limit != NoLimit {
											v = max(v, 0)
										}
										if f.Limit == Relu6Limit {
											v = min(v, 6)
										}
										if d := math.Abs(float64(dst[at]) - v); d > 1e-5*(1+math.Abs(v)) {
											t.Fatalf("%d points, finish %d, channel %d of %d: %d, %d is %v, want %v", n, what, k, channels, i, j, dst[at], v)
										}
										dst[at] = 1e9
									}
								}
							}
							for i, v := range dst {
								if v != 1e9 {
									t.Fatalf("%+v of %d points wrote element %d", s, n, i)
								}
							}
						}
					}
				}
			}
			const filters = 32
			line, pixel, step := 3*filters+5, filters+1, filters+2
			src, got := make([]float32, 2*(line+pixel)+filters), guarded[float32](t, (n*n-1)*step+filters)
			for i := range src {
				src[i] = rng.Float32()
			}
			c.w.Filters(got, step, src, line, pixel, filters, guarded[float32](t, c.w.Temp()))
			for k := range filters {
				x := make([][]float64, 3)
				for i := range 9 {
					x[i/3] = append(x[i/3], float64(src[i/3*line+i%3*pixel+k]))
				}
				want := both(filter, x, false)
				for i := range n * n {
					if math.Abs(float64(got[i*step+k])-want[i/n][i%n]) > 1e-7*math.Abs(want[i/n][i%n])+1e-15 {
						t.Fatalf("%d points, filter %d: position %d is %v, want %v", n, k, i, got[i*step+k], want[i/n][i%n])
					}
				}
			}
		})
	}
}

// Vectors of both lengths give the same bits.
func TestWinogradBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, w := range []*Winograd{Winograd2, Winograd4} {
		const channels, step = 21, 40
		n := w.Points
		src := make([]float32, n*n*channels)
		sums := make([]float32, n*n*step)
		for i := range src {
			src[i] = rng.Float32() - 0.5
		}
		for i := range sums {
			sums[i] = rng.Float32() - 0.5
		}
		var in, out, filters [2][]float32
		for i, s := range []instructionSet{avx2, avx512} {
			filters[i] = make([]float32, n*n*16)
			in[i], out[i] = make([]float32, n*n*step), make([]float32, w.Size*w.Size*channels)
			if !withISA(s, func() {
				temp := make([]float32, w.Temp())
				w.Filters(filters[i], 16, sums, 48, 16, 16, temp)
				w.Input(in[i], step, src, n*channels, channels, channels, temp)
				w.Output(out[i], WinogradSquare{Line: w.Size * channels, Pixel: channels, Lines: w.Size, Columns: w.Size, Channels: channels}, sums, step, &Finish{}, temp)
			}) {
				t.Skip("there is one")
			}
		}
		for i := range n * n {
			if !same(in[0][i*step:][:channels], in[1][i*step:][:channels]) {
				t.Errorf("position %d of %d points differs", i, n)
			}
		}
		if !same(filters[0], filters[1]) {
			t.Errorf("filters of %d points differ", n)
		}
		if !same(out[0], out[1]) {
			t.Errorf("pixels of %d points differ", n)
		}
	}
}

// What lies outside is refused.
func TestWinogradOutside(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		w := Winograd4
		src, dst, temp := make([]float32, 36*8), make([]float32, 36*16), make([]float32, w.Temp())
		square := WinogradSquare{Line: 32, Pixel: 8, Lines: 4, Columns: 4, Channels: 8}
		image := make([]float32, 16*8)
		for name, f := range map[string]func(){
			"the image":     func() { w.Input(dst, 16, src[1:], 48, 8, 8, temp) },
			"positions":     func() { w.Input(dst[1:35*16+8], 16, src, 48, 8, 8, temp) },
			"memory":        func() { w.Input(dst, 16, src, 48, 8, 8, temp[1:]) },
			"sums":          func() { w.Output(image, square, dst[:35*16+7], 16, &Finish{}, temp) },
			"the result":    func() { w.Output(image[1:], square, dst, 16, &Finish{}, temp) },
			"a bias":        func() { w.Output(image, square, dst, 16, &Finish{Bias: src[:7]}, temp) },
			"what is added": func() { w.Output(image, square, dst, 16, &Finish{Add: image[1:]}, temp) },
			"filters":       func() { w.Filters(dst, 16, src[:2*64+15], 48, 16, 16, temp) },
			"their places":  func() { w.Filters(dst[:35*16+15], 16, src, 48, 16, 16, temp) },
			"a panel":       func() { MultiplyPanel(2, 8, 4, src, 4, make([]float32, 4*PanelColumns()-1), dst, 8) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s was too short", name)
					}
				}()
				f()
			}()
		}
	})
}

// A product with a panel has the bits of Gemm.
func TestMultiplyPanel(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, c := range []struct{ m, cols, k int }{{1, 1, 1}, {1, 16, 300}, {7, 5, 20}, {14, 16, 256}, {15, 9, 257}, {50, 16, 600}, {3, 3, 3}} {
			cols := min(c.cols, PanelColumns())
			lda, ldc := c.k+3, cols+2
			a, b := mixed(t, c.m*lda), mixed(t, c.k*PanelColumns())
			got, want := guarded[float32](t, (c.m-1)*ldc+cols), make([]float32, c.m*cols)
			MultiplyPanel(c.m, cols, c.k, a, lda, b, got, ldc)
			Gemm(nil, false, false, c.m, cols, c.k, a, lda, b, PanelColumns(), want, cols)
			for i := range c.m {
				if !same(got[i*ldc:][:cols], want[i*cols:][:cols]) {
					t.Fatal(fmt.Sprint(c), "row", i, got[i*ldc:][:cols], want[i*cols:][:cols])
				}
			}
		}
	})
}
