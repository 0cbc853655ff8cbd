package main

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// marks tell columns apart: Troupe's engines are filled.
var marks = []struct {
	shape draw.GlyphDrawer
	color color.Color
}{
	{draw.CircleGlyph{}, color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}},
	{draw.BoxGlyph{}, color.RGBA{R: 0x4f, G: 0x9f, B: 0xd8, A: 0xff}},
	{draw.PyramidGlyph{}, color.RGBA{R: 0x10, G: 0x8a, B: 0x6b, A: 0xff}},
	{draw.CircleGlyph{}, color.RGBA{R: 0x99, G: 0x99, B: 0x99, A: 0xff}},
	{draw.RingGlyph{}, color.RGBA{R: 0xc0, G: 0x2f, B: 0x2f, A: 0xff}},
	{draw.SquareGlyph{}, color.RGBA{R: 0xd9, G: 0x6a, B: 0x0b, A: 0xff}},
	{draw.TriangleGlyph{}, color.RGBA{R: 0xb0, G: 0x8a, B: 0x00, A: 0xff}},
	{draw.CrossGlyph{}, color.RGBA{R: 0x7a, G: 0x3f, B: 0xa0, A: 0xff}},
	{draw.PlusGlyph{}, color.Black},
}

// draw draws the largest sizes on two cores: a line for each benchmark, a mark for each column.
func (t *table) draw(file string) error {
	p := plot.New()
	p.X.Label.Text = "nanoseconds a unit, two cores"
	p.Y.Label.Text = " " // or the longest name touches the edge
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for i, name := range t.columns {
		var at plotter.XYs
		for r, row := range t.rows {
			if ns := row.bySize[2][i].ns; ns > 0 {
				at = append(at, plotter.XY{X: ns, Y: float64(len(t.rows) - r)})
			}
		}
		if len(at) == 0 {
			continue
		}
		s, err := plotter.NewScatter(at)
		if err != nil {
			return err
		}
		m := marks[i%len(marks)]
		s.GlyphStyle = draw.GlyphStyle{Shape: m.shape, Color: m.color, Radius: font.Points(4)}
		p.Add(s)
		p.Legend.Add(name, s)
	}
	var names []plot.Tick
	for r, row := range t.rows {
		names = append(names, plot.Tick{Value: float64(len(t.rows) - r), Label: row.benchmark.name + ", " + row.benchmark.unit})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(names)
	p.Y.Min, p.Y.Max = 0.5, float64(len(t.rows))+0.5
	p.X.Max *= 20 // room for the legend
	return p.Save(22*vg.Centimeter, 12*vg.Centimeter, file)
}
