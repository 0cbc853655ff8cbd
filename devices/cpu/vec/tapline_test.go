package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestTapLine(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		n, g := 0, newGuarding(t, 1<<14)
		vanishing := g
		vanishing[0], vanishing[4] = slices.Repeat([]float32{float32(math.Copysign(0, -1))}, 100), vanish(mixed(t, 1<<14))
		for _, columns := range []int{3, 5} {
			for _, stride := range []int{1, 2} {
				for before := range columns {
					for width := 1; width < 36; width += 1 + width/20*5 {
						for pixels := 1; pixels < 36; pixels += 1 + pixels/9 {
							for _, lines := range []int{0, 1, 3} {
								channels := 1 + n*7%75
								line := TapLine{Channels: channels, Lines: lines, Columns: columns, Width: width, Before: before, Stride: stride, Pixels: pixels,
									Column: channels + n%3, Next: width * (channels + 3), WeightLine: columns*channels + n%2}
								if line.Fits() {
									n++
									testTapLine(t, &g, &line, n)
									if n%4 == 0 {
										testTapLine(t, &vanishing, &line, n/4)
									}
								}
							}
						}
					}
				}
			}
		}
	})
}

func testTapLine(t *testing.T, g *guarding, line *TapLine, n int) {
	src := g.last(3, max(0, (line.Lines-1)*line.Next+(line.Width-1)*line.Column+line.Channels))
	weights := g.last(4, max(0, (line.Lines-1)*line.WeightLine+line.Columns*line.Channels))
	if line.Lines == 0 {
		src, weights = nil, nil
	}
	size := line.Pixels * line.Channels
	finish := g.finish(n%finishKinds, line.Channels, size)
	f, got, want := &finish, g.last(5, size), make([]float32, size)
	for i := range want {
		p, c := i/line.Channels, i%line.Channels
		var sum float32
		for l := range line.Lines {
			for k := range line.Columns {
				if x := p*line.Stride - line.Before + k; x >= 0 && x < line.Width {
					sum = multiplyAdd(src[l*line.Next+x*line.Column+c], weights[l*line.WeightLine+k*line.Channels+c], sum)
				}
			}
		}
		want[i] = f.finished(sum+0, c, i)
	}
	line.Multiply(got, src, weights, f)
	if !same(got, want) {
		t.Fatalf("%+v, %+v: %v, want %v", *line, *f, got, want)
	}
	if n%50 != 0 {
		return
	}
	short := map[string]func(){"dst": func() { line.Multiply(got[1:], src, weights, f) }}
	if line.Lines > 0 {
		short["src"] = func() { line.Multiply(got, src[1:], weights, f) }
		short["weights"] = func() { line.Multiply(got, src, weights[1:], f) }
	}
	for what, part := range map[string]func(f *Finish) *[]float32{
		"Scale": func(f *Finish) *[]float32 { return &f.Scale },
		"Bias":  func(f *Finish) *[]float32 { return &f.Bias },
		"Add":   func(f *Finish) *[]float32 { return &f.Add },
	} {
		less := *f
		if p := part(&less); *p != nil {
			*p = (*p)[1:]
			short[what] = func() { line.Multiply(got, src, weights, &less) }
		}
	}
	for what, multiply := range short {
		mustPanic(t, fmt.Sprintf("%+v: %s was too short", *line, what), multiply)
	}
}
