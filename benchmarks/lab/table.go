package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/files"
)

// A cell is what was measured of a benchmark in a column.
type cell struct {
	OneCore  figure    `json:"one"` // of the largest size
	TwoCores [3]figure `json:"two"` // of each size
}

// A table is what was measured, by the names of benchmarks and of columns.
type table map[string]map[string]cell

// readTable reads a table that was written; there need not be one.
func readTable(file string) (table, error) {
	t := table{}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err
}

func (t table) write(file string) error {
	b, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	return files.WriteFile(file, func(w io.Writer) error { _, err := w.Write(append(b, '\n')); return err })
}

// set enters figures of a benchmark: of the largest size on one core, and of each on two. With
// lower, an existing figure that is lower is kept.
func (t table) set(b *benchmark, columns []column, one []figure, two [][]figure, lower bool) {
	if t[b.name] == nil {
		t[b.name] = map[string]cell{}
	}
	for i, c := range columns {
		now := cell{one[i], [3]figure{two[0][i], two[1][i], two[2][i]}}
		if before, ok := t[b.name][c.name]; ok && lower {
			now.OneCore = now.OneCore.orLower(before.OneCore)
			for k := range now.TwoCores {
				now.TwoCores[k] = now.TwoCores[k].orLower(before.TwoCores[k])
			}
		}
		t[b.name][c.name] = now
	}
}

// orLower returns the lower of two figures, of which one may be none.
func (f figure) orLower(g figure) figure {
	if f.NS == 0 || g.NS > 0 && g.NS < f.NS && f.Over == g.Over || f.Over && !g.Over && g.NS > 0 {
		return g
	}
	return f
}

// rows are the benchmarks in the table, in their order.
func (t table) rows() (rows []*benchmark) {
	for i := range benchmarks {
		if len(t[benchmarks[i].name]) > 0 {
			rows = append(rows, &benchmarks[i])
		}
	}
	return rows
}

// columns are the names of those that any benchmark has, in their order.
func (t table) columns() (names []string) {
	for _, c := range allColumns("") {
		if slices.ContainsFunc(t.rows(), func(b *benchmark) bool { _, ok := t[b.name][c.name]; return ok }) {
			names = append(names, c.name)
		}
	}
	return names
}

// print writes the table as Markdown: the largest size on one core and on two, then all sizes.
func (t table) print(w io.Writer) {
	columns := t.columns()
	head := func(first string) {
		fmt.Fprintf(w, "| %s | %s |\n|---|---|%s\n", first, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	}
	head("ns | a")
	for _, b := range t.rows() {
		fmt.Fprintf(w, "| %s | %s |", b.name, b.unit)
		for _, name := range columns {
			c := t[b.name][name]
			fmt.Fprintf(w, " %s · %s |", c.OneCore, c.TwoCores[2])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	head("ns by size | sizes")
	for _, b := range t.rows() {
		fmt.Fprintf(w, "| %s | %d, %d, %d |", b.name, b.sizes[0], b.sizes[1], b.sizes[2])
		for _, name := range columns {
			two := t[b.name][name].TwoCores
			fmt.Fprintf(w, " %s, %s, %s |", two[0], two[1], two[2])
		}
		fmt.Fprintln(w)
	}
}

// String returns the nanoseconds with significant digits only.
func (f figure) String() string {
	over := ""
	if f.Over {
		over = ">"
	}
	switch {
	case f.NS == 0:
		return "–"
	case f.NS < 10:
		return fmt.Sprintf("%s%.1f", over, f.NS)
	case f.NS < 1000:
		return fmt.Sprintf("%s%.0f", over, f.NS)
	case f.NS < 1e6:
		return fmt.Sprintf("%s%.3gk", over, f.NS/1000)
	}
	return fmt.Sprintf("%s%.3gM", over, f.NS/1e6)
}
