// Package curves draws how a network learned.
package curves

import (
	"context"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/layers"
)

// To is a callback of layers that draws the values of the epochs, each with that of the
// validation, into a file of the kind that its name says: .svg, .png or .pdf. It does
// nothing without a name.
type To struct {
	File  string
	lines map[string]plotter.XYs
	names []string // of the panels, from the top
}

// Epoch draws the epochs so far.
func (c *To) Epoch(_ context.Context, e *layers.Epoch) error {
	if c.File == "" {
		return nil
	}
	if c.lines == nil {
		c.lines = map[string]plotter.XYs{}
		c.names = e.Names()
	}
	for name, y := range e.Values {
		c.lines[name] = append(c.lines[name], plotter.XY{X: float64(e.N), Y: y})
	}
	canvas, err := draw.NewFormattedCanvas(16*vg.Centimeter, vg.Length(len(c.names))*8*vg.Centimeter, strings.TrimPrefix(filepath.Ext(c.File), "."))
	if err != nil {
		return err
	}
	var panels [][]*plot.Plot
	for _, name := range c.names {
		p, err := panel(name, c.lines[name], c.lines["val_"+name])
		if err != nil {
			return err
		}
		panels = append(panels, []*plot.Plot{p})
	}
	panels[len(panels)-1][0].X.Label.Text = "epochs"
	for i, at := range plot.Align(panels, draw.Tiles{Rows: len(panels), Cols: 1, PadY: 4 * vg.Millimeter}, draw.New(canvas)) {
		panels[i][0].Draw(at[0])
	}
	return files.WriteFile(c.File, func(w io.Writer) error { _, err := canvas.WriteTo(w); return err })
}

// panel returns a plot of one value.
func panel(name string, trained, held plotter.XYs) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = name
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for _, line := range []struct {
		name string
		at   plotter.XYs
		in   color.Color
	}{{"trained on", trained, color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}}, {"held out", held, color.RGBA{R: 0xd9, G: 0x6a, B: 0x0b, A: 0xff}}} {
		if len(line.at) == 0 {
			continue
		}
		l, err := plotter.NewLine(line.at)
		if err != nil {
			return nil, err
		}
		l.Color, l.Width = line.in, vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(line.name, l)
	}
	return p, nil
}
