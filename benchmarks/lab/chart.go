package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/troupe-go/troupe/files"
)

// marks distinguish columns by shape and by color, on a light ground and on a dark one: Troupe's
// engines are filled. A mark is a path around (0, 0).
var marks = map[string]struct {
	class, path string
	filled      bool
}{
	"actors":      {"c1", "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z", true},
	"tokens":      {"c2", "M-4.5,-4.5h9v9h-9z", true},
	"messages":    {"c3", "M0,-6l5.5,10h-11z", true},
	"sequential":  {"c4", "M0,-5.5l5.5,5.5l-5.5,5.5l-5.5,-5.5z", true},
	"goroutines":  {"c5", "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z", false},
	"Proto.Actor": {"c6", "M-4,-4h8v8h-8z", false},
	"Hollywood":   {"c7", "M0,-5.5l5,9h-10z", false},
	"Erlang":      {"c8", "M-4.5,-4.5l9,9M-4.5,4.5l9,-9", false},
	"TensorFlow":  {"c9", "M0,-5.5v11M-5.5,0h11", false},
}

const style = `<style>
svg{--ground:#fff;--text:#1c2024;--faint:#d8dde2;--band:#f5f7f9;--c1:#1257b0;--c2:#3d93d6;--c3:#0b7a5c;--c4:#7a8088;--c5:#c2272d;--c6:#c95f00;--c7:#977400;--c8:#7a3fa0;--c9:#000;font:12px system-ui,"Liberation Sans",Arial,sans-serif}
@media(prefers-color-scheme:dark){svg{--ground:#15181c;--text:#e4e8ec;--faint:#3a4149;--band:#1d2126;--c1:#5aa2f5;--c2:#9bd0ff;--c3:#3fcf9f;--c4:#a7afb8;--c5:#ff7b7b;--c6:#ffa14d;--c7:#e6c84a;--c8:#cf9bf2;--c9:#fff}}
text{fill:var(--text)}.g{stroke:var(--faint);stroke-width:1}.b{fill:var(--band)}
`

// draw writes the picture into a file.
func (t table) draw(file string) error {
	text, err := t.svg()
	if err != nil {
		return err
	}
	return files.WriteFile(file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// svg returns a picture in SVG of the largest sizes on two cores: a line for each benchmark, a mark for
// each column.
func (t table) svg() (string, error) {
	const left, top, line, width, right = 250, 58, 26, 640, 24
	rows, columns := t.rows(), t.columns()
	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range rows {
		for _, c := range columns {
			if ns := t[b.name][c].TwoCores[2].NS; ns > 0 {
				low, high = min(low, math.Floor(math.Log10(ns))), max(high, math.Ceil(math.Log10(ns)))
			}
		}
	}
	if low > high {
		return "", fmt.Errorf("there is nothing to draw")
	}
	high = max(high, low+1)
	x := func(ns float64) float64 { return left + width*(math.Log10(ns)-low)/(high-low) }
	bottom := top + line*len(rows)

	var s strings.Builder
	fmt.Fprintf(&s, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Nanoseconds a unit, by problem and solution, on two cores\">\n", left+width+right, bottom+48)
	s.WriteString(style)
	for _, c := range columns {
		m := marks[c]
		if m.filled {
			fmt.Fprintf(&s, ".%s{fill:var(--%s)}", m.class, m.class)
		} else {
			fmt.Fprintf(&s, ".%s{fill:none;stroke:var(--%s);stroke-width:1.8}", m.class, m.class)
		}
	}
	s.WriteString("\n</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--ground)\"/>\n")
	for i, c := range columns {
		at := 24 + i*(left+width)/len(columns)
		fmt.Fprintf(&s, "<path class=\"%s\" transform=\"translate(%d,24)\" d=\"%s\"/><text x=\"%d\" y=\"28\">%s</text>\n", marks[c].class, at, marks[c].path, at+11, c)
	}
	for i := range rows {
		if i%2 == 0 {
			fmt.Fprintf(&s, "<rect class=\"b\" x=\"8\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", top+i*line, left+width+right-16, line)
		}
	}
	for e := low; e <= high; e++ {
		at := x(math.Pow(10, e))
		fmt.Fprintf(&s, "<path class=\"g\" d=\"M%.1f,%dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at, top, bottom, at, bottom+17,
			[]string{"1", "10", "100", "1k", "10k", "100k", "1M", "10M", "100M"}[min(max(int(e), 0), 8)])
	}
	fmt.Fprintf(&s, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">nanoseconds a unit, two cores</text>\n", left+width/2, bottom+37)
	for i, b := range rows {
		y := top + i*line + line/2
		fmt.Fprintf(&s, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %s</text>\n", left-14, y+4, b.name, b.unit)
		for _, c := range columns {
			if ns := t[b.name][c].TwoCores[2].NS; ns > 0 {
				fmt.Fprintf(&s, "<path class=\"%s\" transform=\"translate(%.1f,%d)\" d=\"%s\"/>\n", marks[c].class, x(ns), y, marks[c].path)
			}
		}
	}
	s.WriteString("</svg>\n")
	return s.String(), nil
}
