package vec

// What the assembly does, channel by channel. Products are rounded before they are added.

func (w *Winograd) portableInput(dst []float32, step int, src []float32, line, pixel, channels int) {
	n := w.Points
	var d, e [6]float32
	var lines [6][6]float32
	for c := range channels {
		for i := range n {
			for j := range n {
				d[j] = src[i*line+j*pixel+c]
			}
			w.in(&lines[i], &d)
		}
		for j := range n {
			for i := range n {
				d[i] = lines[i][j]
			}
			w.in(&e, &d)
			for i := range n {
				dst[(i*n+j)*step+c] = e[i]
			}
		}
	}
	for i := range n * n {
		clear(dst[i*step+channels:][:w.Whole(channels)-channels])
	}
}

// in is the transform of an image's numbers.
func (w *Winograd) in(t, d *[6]float32) {
	if w.Points == 4 {
		t[0], t[1], t[2], t[3] = d[0]-d[2], d[1]+d[2], d[2]-d[1], d[1]-d[3]
		return
	}
	t[0] = d[4] - float32(d[2]*pointsSum) + float32(d[0]*pointsProduct)
	even, odd := d[4]-float32(d[2]*pointB2), float32((d[3]-float32(d[1]*pointB2))*pointA)
	t[1], t[2] = even+odd, even-odd
	even, odd = d[4]-float32(d[2]*pointA2), float32((d[3]-float32(d[1]*pointA2))*pointB)
	t[3], t[4] = even+odd, even-odd
	t[5] = d[5] - float32(d[3]*pointsSum) + float32(d[1]*pointsProduct)
}

func (w *Winograd) portableOutput(dst []float32, s WinogradSquare, src []float32, step int, f *Finish) {
	n := w.Points
	var d, e [6]float32
	var lines [4][6]float32
	for c := range s.Channels {
		for j := range n {
			for i := range n {
				d[i] = src[(i*n+j)*step+c]
			}
			w.out(&e, &d)
			for i := range w.Size {
				lines[i][j] = e[i]
			}
		}
		for i := range s.Lines {
			w.out(&e, &lines[i])
			for j := range s.Columns {
				dst[s.At+i*s.Line+j*s.Pixel+c] = e[j]
			}
		}
	}
	part := *f
	if part.Scale != nil {
		part.Scale = part.Scale[s.First:]
	}
	if part.Bias != nil {
		part.Bias = part.Bias[s.First:]
	}
	for i := range s.Lines {
		part.Rows(dst, s.At+i*s.Line, s.Columns, s.Channels, s.Pixel)
	}
}

// out is the transform of sums.
func (w *Winograd) out(y, m *[6]float32) {
	s, d := m[1]+m[2], m[1]-m[2]
	if w.Points == 4 {
		y[0], y[1] = m[0]+s, d-m[3]
		return
	}
	s2, d2 := m[3]+m[4], m[3]-m[4]
	y[0] = m[0] + s + s2
	y[1] = float32(d*pointA) + float32(d2*pointB)
	y[2] = float32(s*pointA2) + float32(s2*pointB2)
	y[3] = m[5] + float32(d*pointA3) + float32(d2*pointB3)
}

func (w *Winograd) portableFilters(dst []float32, step int, src []float32, line, pixel, n int) {
	var lines [3][6]float64
	for c := range n {
		for i := range lines {
			g := src[i*line+c:]
			w.values(float64(g[0]), float64(g[pixel]), float64(g[2*pixel]), func(j int, v float64) { lines[i][j] = v })
		}
		for j := range w.Points {
			w.values(lines[0][j], lines[1][j], lines[2][j], func(i int, v float64) { dst[(i*w.Points+j)*step+c] = float32(v) })
		}
	}
}

// values evaluates a polynomial at the points, and divides by what the image's transform has too
// much.
func (w *Winograd) values(g0, g1, g2 float64, put func(i int, v float64)) {
	pair := func(first int, even, odd float64) {
		put(first, even+odd)
		put(first+1, even-odd)
	}
	put(w.Points-1, g2)
	if w.Points == 4 {
		put(0, g0)
		pair(1, (g0+g2)*0.5, float64(g1*0.5))
		return
	}
	const na, nb = 2 * pointA2 * (pointA2 - pointB2), 2 * pointB2 * (pointB2 - pointA2)
	pair(1, (g0+float64(g2*pointA2))*(1/na), float64(g1*(pointA/na)))
	pair(3, (g0+float64(g2*pointB2))*(1/nb), float64(g1*(pointB/nb)))
	put(0, g0*(1/pointsProduct))
}
