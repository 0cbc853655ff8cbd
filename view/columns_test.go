package view

import (
	"slices"
	"testing"
)

// full returns the nodes' names as the page reads them.
func (c *columns) full() (all []string) {
	last := ""
	for i, rest := range c.Names {
		last = last[:c.Shared[i]] + rest
		all = append(all, last)
	}
	return all
}

func TestColumns(t *testing.T) {
	names := []string{"a/b/MatMul", "a/b/MatMul_1", "a/b", "", "é", "éa", "\xff", "\xffa", "b", "b"}
	c := newColumns(0)
	for i, n := range names {
		c.add(n, i, 0, 0)
	}
	c.Inputs.put(4, 0)
	c.Inputs.put(5, 1)
	if got := c.full(); !slices.Equal(got, names) {
		t.Errorf("names are %q, want %q", got, names)
	}
	for i, s := range c.Shared { // what JavaScript counts otherwise is not shared
		if s > 0 && c.Names[i] != "" && c.Names[i][0] >= 0x80 && names[i][s-1] >= 0x80 {
			t.Errorf("%q shares %d bytes", names[i], s)
		}
	}
	if n := c.Inputs.Counts; n[len(n)-1] != 4 || n[0] != 0 {
		t.Errorf("counts of inputs are %d", n)
	}
}
