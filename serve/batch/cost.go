package batch

import (
	"math"
	"math/bits"
	"time"
)

// costs are what steps of a class cost by their number of rows, measured apart for steps
// that ran alone and for those that shared the machine with another.
type costs struct {
	alone, shared table
}

// A table has an estimate for each range of sizes: two to each power of two.
type table struct {
	at   [24]estimate
	most int // the greatest range that was measured, plus 1
	n    int // steps
}

// An estimate is the cost of a row in steps of a range of sizes.
type estimate struct {
	row  float64 // seconds
	n    int     // measurements
	last int     // the table's n at the last
}

// The time a measurement counts: an estimate averages about as many as history, and is
// measured again if stale steps of the class have not touched it. A step that took longer than
// the others was perhaps interrupted and counts for at most late times the estimate; one that
// took less was not, and the estimate is at most early times what it took.
const (
	history = 16
	late    = 1.25
	early   = 2
	stale   = 1 << 11
	sure    = 4
	doubt   = 64
)

// rangeOf returns the range of a size: 1, 2, 3, 4–5, 6–7, 8–11, 12–15, …
func rangeOf(rows int) int {
	if rows < 4 {
		return max(rows, 1) - 1
	}
	k := bits.Len(uint(rows)) - 1
	return min(2*k-1+rows>>(k-1)&1, len(table{}.at)-1)
}

// least returns the least size of a range.
func least(r int) int {
	if r < 3 {
		return r + 1
	}
	k := (r + 1) / 2
	return 1<<k + (r+1)%2<<(k-1)
}

func (c *costs) of(shared bool) *table {
	if shared {
		return &c.shared
	}
	return &c.alone
}

func (c *costs) add(rows int, took time.Duration, shared bool) {
	c.of(shared).add(rows, took.Seconds()/float64(rows))
}

func (t *table) add(rows int, row float64) {
	t.n++
	r := rangeOf(rows)
	e := &t.at[r]
	if e.n++; e.n > 1 {
		row = min(row, late*e.row)
		e.row = min(e.row, early*row)
	}
	e.row += (row - e.row) / float64(min(e.n, history))
	e.last = t.n
	t.most = max(t.most, r+1)
}

func (t *table) known(r int) bool {
	return t.at[r].n > 0 && t.n-t.at[r].last < stale
}

// view is what is known of steps that run alone, or of those that share the machine: what
// was measured of the other kind stands in for what was not, as far as the two compare.
type view struct {
	t, other *table
	ratio    float64
	most     int // the ranges that are known are below
}

func (c *costs) view(shared bool) view {
	v := view{t: c.of(shared), other: c.of(!shared), ratio: 1}
	v.most = max(v.t.most, v.other.most)
	sum, n := 0.0, 0.0
	for r := range v.most {
		if v.t.known(r) && v.other.at[r].n > 0 {
			sum += v.t.at[r].row / v.other.at[r].row
			n++
		}
	}
	if n > 0 {
		v.ratio = sum / n
	}
	return v
}

// row returns the cost of a row in a range of sizes; false if it is not known.
func (v *view) row(r int) (float64, bool) {
	switch {
	case r < 0 || r >= v.most:
		return 0, false
	case v.t.known(r):
		return v.t.at[r].row, true
	case v.other.known(r):
		return v.other.at[r].row * v.ratio, true
	}
	return 0, false
}

// doubtful reports whether the estimate of a range is of few steps, or old.
func (v *view) doubtful(r int) bool {
	if r >= v.most {
		return true
	}
	own, other := &v.t.at[r], &v.other.at[r]
	return own.n+other.n < sure || v.t.n-own.last > doubt
}

// size returns how many of rows that wait a step should take: the least size at which a
// row costs no more than a little above the cheapest; or a size that is not known yet, next
// to the cheapest or, if costs still fall with size, twice the largest.
func (c *costs) size(rows int, shared bool) int {
	const tolerance = 1.03
	v := c.view(shared)
	best, at, largest := math.Inf(1), -1, -1
	for r := range v.most {
		if x, ok := v.row(r); ok {
			largest = r
			if x < best {
				best, at = x, r
			}
		}
	}
	if at < 0 {
		return 1
	}
	enough := at // the least range that is as good
	for r := range at {
		if x, ok := v.row(r); ok && x <= best*tolerance {
			enough = r
			break
		}
	}
	if enough == largest {
		return min(rows, 2*least(largest))
	}
	// What makes a step of the next sizes look dear may be that it was interrupted.
	if enough+1 < v.most && v.doubtful(enough+1) && rows >= least(enough+1) {
		return min(rows, least(enough+2)-1)
	}
	if at+1 < v.most && v.doubtful(at+1) && rows >= least(at+1) {
		return min(rows, least(at+2)-1)
	}
	if _, ok := v.row(at + 1); !ok && at < largest {
		return min(rows, least(at+2)-1)
	}
	return min(rows, least(enough+1)-1)
}

// together reports whether steps of so many rows are known to do clearly more two at a time
// than steps of twice as many rows do one at a time, of which some ran lately: a process that
// has just begun is slower. A trial would show the same, at the cost
// of those who wait meanwhile: near the capacity of the better limit the worse one is beyond
// its own.
func (c *costs) together(rows int) bool {
	const clearly = 1.1
	two := &c.shared.at[rangeOf(rows)]
	v := c.view(false)
	r := rangeOf(2 * rows)
	twice, ok := v.row(r)
	if !ok || two.n < sure || v.doubtful(r) {
		return false
	}
	if x, ok := v.row(rangeOf(rows)); ok {
		twice = min(twice, x)
	}
	return 2*twice > clearly*two.row
}

// predict returns how long a step is likely to take. A row beyond the largest size that
// was measured is taken to cost growth times what one costs there.
func (c *costs) predict(rows int, shared bool, growth float64) time.Duration {
	v := c.view(shared)
	r := rangeOf(rows)
	for d := range len(v.t.at) {
		if x, ok := v.row(r - d); ok {
			known := float64(rows)
			if d > 0 {
				known = float64(least(r-d+1) - 1)
			}
			return time.Duration(x * (known + growth*(float64(rows)-known)) * float64(time.Second))
		}
		if x, ok := v.row(r + d); ok { // no more than the larger step
			return time.Duration(x * float64(least(r+d)) * float64(time.Second))
		}
	}
	return 0
}
