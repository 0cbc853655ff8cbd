package main

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/train"
)

// A history is what the plot shows: values by updates.
type history struct {
	sums                 struct{ loss, correct, n float64 }
	trainLoss, trainRead plotter.XYs // means of the updates between two tests
	testLoss, testRead   plotter.XYs
}

func (h *history) train(s train.Step) {
	h.sums.loss += s.Loss
	h.sums.correct += s.Metrics[0]
	h.sums.n++
}

func (h *history) test(s train.Step, loss, read float64) {
	x := float64(s.N)
	h.trainLoss = append(h.trainLoss, plotter.XY{X: x, Y: h.sums.loss / h.sums.n})
	h.trainRead = append(h.trainRead, plotter.XY{X: x, Y: 100 * h.sums.correct / h.sums.n})
	h.testLoss = append(h.testLoss, plotter.XY{X: x, Y: loss})
	h.testRead = append(h.testRead, plotter.XY{X: x, Y: 100 * read})
	h.sums.loss, h.sums.correct, h.sums.n = 0, 0, 0
}

var (
	blue   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	orange = color.RGBA{R: 0xd9, G: 0x6a, B: 0x0b, A: 0xff}
)

// write draws loss and accuracy, one above the other, into a file of the kind that
// its name says.
func (h *history) write(name string) (err error) {
	loss, err := panel("loss", h.trainLoss, h.testLoss)
	if err != nil {
		return err
	}
	loss.Y.Scale, loss.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	read, err := panel("read right, %", h.trainRead, h.testRead)
	if err != nil {
		return err
	}
	read.X.Label.Text = "updates"
	read.Legend.Top, read.Legend.YOffs = false, 4
	canvas, err := draw.NewFormattedCanvas(16*vg.Centimeter, 16*vg.Centimeter, strings.TrimPrefix(filepath.Ext(name), "."))
	if err != nil {
		return err
	}
	whole := draw.New(canvas)
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadY: 4 * vg.Millimeter}
	panels := plot.Align([][]*plot.Plot{{loss}, {read}}, tiles, whole)
	loss.Draw(panels[0][0])
	read.Draw(panels[1][0])
	return files.WriteFile(name, func(w io.Writer) error { _, err := canvas.WriteTo(w); return err })
}

// panel returns a plot of two lines.
func panel(what string, training, test plotter.XYs) (*plot.Plot, error) {
	p := plot.New()
	p.Y.Label.Text = what
	p.X.Tick.Marker = plot.TickerFunc(wholeTicks)
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	for _, line := range []struct {
		name string
		at   plotter.XYs
		in   color.Color
	}{{"trained on", training, blue}, {"held out", test, orange}} {
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

// wholeTicks returns the usual ticks with numbers of updates as integers.
func wholeTicks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = fmt.Sprintf("%.0f", ticks[i].Value)
		}
	}
	return ticks
}
