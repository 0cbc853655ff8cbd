package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// inProcesses has several processes of this program measure a benchmark, one after another, with the
// same arguments, and returns their tables.
func inProcesses(ctx context.Context, b *benchmark, count int, args []string) (list []table, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for i := range count {
		file := filepath.Join(dir, strconv.Itoa(i)+".json")
		cmd := exec.CommandContext(ctx, self, append(args, "-only", "^"+regexp.QuoteMeta(b.name)+"$", "-results", file, "-silent")...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		t, err := readTable(file)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// combined returns the figures of a benchmark by column, of several tables: of the largest size on one
// core, and of each on two.
func combined(b *benchmark, columns []column, tables []table) (one []figure, two [][]figure) {
	two = make([][]figure, len(b.sizes))
	for _, c := range columns {
		cells := make([]cell, len(tables))
		for i, t := range tables {
			cells[i] = t[b.name][c.name]
		}
		figures := func(of func(cell) figure) figure {
			list := make([]figure, len(cells))
			for i, c := range cells {
				list[i] = of(c)
			}
			return together(list)
		}
		one = append(one, figures(func(c cell) figure { return c.OneCore }))
		for k := range two {
			two[k] = append(two[k], figures(func(c cell) figure { return c.TwoCores[k] }))
		}
	}
	return one, two
}
