package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// windowed returns an element of a product with windows as it is documented: the chain
// of Gemm, with blocks of whole lines of the window where these are short.
func windowed(w *Windows, l *Line, a func(line, at int) float32, b func(row int) float32) float32 {
	total, first := float32(0), true
	add := func(line, end, at, stop int) {
		sum := float32(0)
		for ; line < end; line++ {
			for p := at; p < stop; p++ {
				sum = fma32(a(line, p), b((l.First+line)*w.Length+p), sum)
			}
		}
		if first {
			total, first = sum, false
		} else {
			total += sum
		}
	}
	for line := 0; line < l.Lines; {
		if w.Length > GemmBlock {
			for at := 0; at < w.Length; at += GemmBlock {
				add(line, line+1, at, min(at+GemmBlock, w.Length))
			}
			line++
			continue
		}
		together := GemmBlock / w.Length
		end := min((l.First+line)/together*together+together-l.First, l.Lines)
		add(line, end, 0, w.Length)
		line = end
	}
	return total
}

func TestWindows(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if !WindowsInAssembly[float32]() {
			t.Skip("no assembly")
		}
		g, kind := newGuarding(t, 1<<15), 0
		for _, c := range []struct{ rows, step, length, next, k, n, lines int }{
			{1, 1, 1, 1, 1, 1, 1}, {5, 3, 9, 40, 27, 7, 3}, {56, 4, 12, 300, 36, 33, 3}, {16, 6, 21, 200, 147, 64, 7},
			{14, 64, 192, 2000, 576, 65, 3}, {3, 130, 390, 1000, 1170, 20, 3}, {300, 2, 2, 700, 4, 40, 2}, {29, 0, 300, 0, 300, 31, 1},
		} {
			w := Windows{Rows: c.rows, Step: c.step, Length: c.length, Next: c.next}
			ldb, ldc := c.n+3, c.n+5
			for first := range c.lines {
				for lines := 1; lines <= c.lines-first; lines++ {
					each := (c.rows-1)*c.step + (lines-1)*c.next + c.length
					a, b, out := mixed(t, each+7), mixed(t, (c.k-1)*ldb+c.n), mixed(t, (2*c.rows-1)*ldc+c.n)
					all := []Line{{Source: 7, First: first, Lines: lines}, {Source: 0, Result: c.rows * ldc, First: first, Lines: lines}}
					kind++
					f := g.finish(kind%finishKinds, c.n, len(out))
					want := append([]float32(nil), out...)
					for _, l := range all {
						for i := range c.rows {
							for j := range c.n {
								at := l.Result + i*ldc + j
								want[at] = f.finished(windowed(&w, &l,
									func(line, at int) float32 { return a[l.Source+i*c.step+line*c.next+at] },
									func(row int) float32 { return b[row*ldb+j] }), j, at)
							}
						}
					}
					for _, rows := range []int{2 * c.rows, 1 << 20} { // as it is, and packed
						got := guarded[float32](t, len(out))
						copy(got, out)
						var p Panels[float32]
						p.Open(c.k, c.n, b, ldb, rows)
						p.Finish = f
						p.Multiply(w, all, a, got, ldc)
						if !same(got, want) {
							t.Fatalf("%+v, lines %d to %d: %v, want %v", c, first, first+lines, got[:8], want[:8])
						}
						for _, together := range []int{1, 2} { // panels
							copy(got, out)
							for from := 0; from < p.Count(); from += together {
								p.Sweep(from, min(from+together, p.Count()), w, all, a, got, ldc)
							}
							if !same(got, want) {
								t.Fatalf("%+v, lines %d to %d, %d panels at a time: %v, want %v", c, first, first+lines, together, got[:8], want[:8])
							}
						}
						p.Close()
					}
				}
			}
		}
	})
}

// Filters are packed where so many rows pass by that it pays.
func TestPanelsPacked(t *testing.T) {
	if !WindowsInAssembly[float32]() {
		t.Skip("no assembly")
	}
	for _, x := range []struct {
		k, n, rows int
		packed     bool
	}{
		{288, 64, 29 * 29, false},
		{576, 64, 56 * 56, true},
		{2304, 256, 28 * 28, true}, // rows of the filter meet in few sets of the first cache
		{2304, 256, 14 * 14, false},
		{576, PanelColumns(), 56 * 56, false}, // it is a panel
	} {
		var p Panels[float32]
		p.Open(x.k, x.n, make([]float32, x.k*x.n), x.n, x.rows)
		if packed := p.own != nil; packed != x.packed {
			t.Errorf("%+v: packed %v", x, packed)
		}
		p.Close()
	}
}

func TestWindowsOutside(t *testing.T) {
	var p Panels[float32]
	p.Open(6, 2, make([]float32, 12), 2, 4)
	w := Windows{Rows: 4, Step: 1, Length: 3, Next: 10}
	good := Line{Result: 0, First: 0, Lines: 2}
	for name, f := range map[string]func(w Windows, l Line) (Windows, Line){
		"A":                         func(w Windows, l Line) (Windows, Line) { l.Source = 5; return w, l },
		"B":                         func(w Windows, l Line) (Windows, Line) { l.First = 1; return w, l },
		"C":                         func(w Windows, l Line) (Windows, Line) { l.Result = 1; return w, l },
		"no rows":                   func(w Windows, l Line) (Windows, Line) { w.Rows = 0; return w, l },
		"less lines":                func(w Windows, l Line) (Windows, Line) { l.Lines = -1; return w, l },
		"before A":                  func(w Windows, l Line) (Windows, Line) { l.Source = -1; return w, l },
		"a step back":               func(w Windows, l Line) (Windows, Line) { w.Step = -1; return w, l },
		"more before A than a step": func(w Windows, l Line) (Windows, Line) { w.Before = 2; return w, l },
		"too few columns for edges": func(w Windows, l Line) (Windows, Line) { w.After = 1; return w, l },
		"a line above":              func(w Windows, l Line) (Windows, Line) { w.Next = -1; return w, l },
	} {
		mustPanic(t, name+": did not panic", func() {
			w, l := f(w, good)
			p.Multiply(w, []Line{l}, make([]float32, 20), make([]float32, 8), 2)
		})
	}
	p.Finish.Add = make([]float32, 7)
	mustPanic(t, "less to add than C has: did not panic", func() { p.Multiply(w, []Line{good}, make([]float32, 20), make([]float32, 8), 2) })
}

// TestWindowsBeyondEdges leaves out what windows have beyond the ends of a line, around which there is
// nothing but NaN: bits are those with zeros around the line.
func TestWindowsBeyondEdges(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		if !WindowsInAssembly[float32]() {
			t.Skip("no assembly")
		}
		rng, tested := rand.New(rand.NewPCG(5, 6)), 0
		random := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			return x
		}
		for _, c := range []struct{ width, channels, taps, stride, before, after, n int }{
			{8, 16, 3, 1, 1, 1, 32}, {7, 3, 3, 1, 1, 1, 64}, {4, 300, 3, 1, 1, 1, 31}, {16, 20, 3, 1, 1, 1, 96}, {33, 32, 3, 1, 1, 1, 33},
			{16, 6, 3, 2, 0, 1, 64}, {29, 5, 4, 1, 1, 1, 31}, {300, 2, 3, 1, 1, 1, 32}, {12, 130, 2, 1, 1, 0, 32}, {5, 130, 2, 1, 0, 1, 64}, {9, 64, 5, 2, 2, 2, 32}, {9, 32, 5, 1, 2, 2, 32},
		} {
			const high, window = 6, 3 // lines of the image, and of a window
			rows := (c.width+c.before+c.after-c.taps)/c.stride + 1
			w := Windows{Rows: rows, Step: c.stride * c.channels, Length: c.taps * c.channels, Next: c.width * c.channels, Before: c.before * c.channels, After: c.after * c.channels}
			if !LeavesOut[float32](&w, c.n) {
				continue
			}
			tested++
			line, wide := w.Next, w.Next+w.Before+w.After
			image, b := random(high*line), random(window*w.Length*c.n)
			around := make([]float32, 2*wide+len(image)+2*wide)
			for i := range around {
				around[i] = float32(math.NaN())
			}
			inside := around[2*wide:][:len(image)]
			copy(inside, image)
			padded := make([]float32, high*wide)
			for i := range high {
				copy(padded[i*wide+w.Before:], image[i*line:][:line])
			}
			zeros := w
			zeros.Next, zeros.Before, zeros.After = wide, 0, 0
			var out, within []Line
			for r := range high {
				top, bottom := max(0, r-1), min(high, r+2)
				l := Line{Result: r * rows * c.n, First: top - r + 1, Lines: bottom - top, Source: top*line - w.Before}
				out = append(out, l)
				l.Source = top * wide
				within = append(within, l)
			}
			for _, many := range []int{1, 1 << 20} { // as it is, and packed
				var p Panels[float32]
				p.Open(window*w.Length, c.n, b, c.n, many)
				want, got := random(high*rows*c.n), random(high*rows*c.n)
				p.Multiply(zeros, within, padded, want, c.n)
				p.Multiply(w, out, inside, got, c.n)
				if !same(got, want) {
					t.Fatalf("%+v: %v, want %v", c, got[:8], want[:8])
				}
				got = random(len(got))
				p.Sweep(0, p.Count(), w, out, inside, got, c.n)
				if !same(got, want) {
					t.Fatalf("%+v, block by block: %v, want %v", c, got[:8], want[:8])
				}
				p.Close()
			}
			grad := random(high * rows * c.n)
			want := random(window * w.Length * c.n)
			got := append([]float32(nil), want...)
			AddTransposed(zeros, within, c.n, padded, grad, c.n, want, c.n, nil)
			AddTransposed(w, out, c.n, inside, grad, c.n, got, c.n, nil)
			if !same(got, want) {
				t.Fatalf("%+v, transposed: %v, want %v", c, got[:8], want[:8])
			}
		}
		if tested < 5 {
			t.Errorf("%d windows could leave something out", tested)
		}
	})
}
