package tile

import "slices"

// A span is rows from to to.
type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// A walk goes through the bands of a section: of each it knows which rows of every step are
// needed, and which of these are not there yet.
type walk struct {
	segment *Segment
	section int
	need    []span
	fresh   []span
	have    []int // by step: the row after the last that was made
	keep    []int // by step: the first row that a step needs later which needs none in this band
}

func (w *walk) begin(s *Segment, section int) {
	w.segment, w.section = s, section
	n := len(s.steps)
	w.need, w.fresh, w.have, w.keep = sized(w.need, n), sized(w.fresh, n), sized(w.have, n), sized(w.keep, n)
	clear(w.have)
	for k := range s.steps {
		if owned := s.steps[k].owned; owned != nil {
			w.have[k] = owned[section]
		}
	}
}

// sized returns n elements of any value, in the memory of list where that suffices.
func sized[E any](list []E, n int) []E { return slices.Grow(list[:0], n)[:n] }

// band finds what rows lo to hi of the last result need. Of other results all rows are made that
// the section owns: those between rows that are needed, and at the end what is left. What a step
// has made is needed for as long as one that lags behind others, as one that lowers an image
// does, has not taken it.
func (w *walk) band(lo, hi int) {
	clear(w.need)
	last := len(w.need) - 1
	w.need[last] = span{lo, hi}
	for k := range w.keep {
		w.keep[k] = mostRows
	}
	for k := last; k >= 0; k-- {
		n, x := w.need[k], &w.segment.steps[k]
		if x.owned != nil && k < last {
			n = w.gaps(x, n, w.have[k], hi)
		}
		if !n.empty() {
			n.from = min(n.from, w.keep[k])
		}
		w.need[k] = n
		f := span{max(n.from, w.have[k]), n.to}
		w.fresh[k] = f
		if f.empty() {
			w.lags(x, w.have[k])
			continue
		}
		w.have[k] = f.to
		for i := range x.in {
			if o := &x.in[i]; o.step >= 0 {
				from, to := x.rowsOf(i, f)
				if at := &w.need[o.step]; at.empty() {
					*at = span{from, to}
				} else {
					at.from, at.to = min(at.from, from), max(at.to, to)
				}
			}
		}
	}
}

// lags notes what a step that makes nothing in a band will need for its next row.
func (w *walk) lags(x *step, next int) {
	if next == x.rows {
		return
	}
	for i := range x.in {
		if o := &x.in[i]; o.step >= 0 {
			from, _ := x.rowsOf(i, span{next, next + 1})
			w.keep[o.step] = min(w.keep[o.step], from)
		}
	}
}

// gaps returns which rows of a result are needed so that none is left out, if its steps need rows n.
func (w *walk) gaps(x *step, n span, have, hi int) span {
	if n.empty() {
		n = span{have, have}
	}
	n.from = min(n.from, have)
	if hi == w.segment.Sections[w.section+1] {
		n.to = max(n.to, x.owned[w.section+1])
	}
	return n
}

// rowsOf returns which rows of a stream rows of the step depend on.
func (x *step) rowsOf(input int, rows span) (from, to int) {
	if x.tiling.Rows == nil {
		return rows.from, rows.to
	}
	return x.tiling.Rows(input, rows.from, rows.to)
}

// follow calls f for every band of an image of a segment.
func (w *walk) follow(s *Segment, f func(w *walk)) {
	for i := range s.Sections[1:] {
		w.along(s, i, s.Sections[i+1], f)
	}
}

// glance calls f for the first bands of a section in the middle: what holds for these holds
// for others nearly. It returns how many of the section's rows they are.
func (w *walk) glance(s *Segment, f func(w *walk)) (rows int) {
	const some = 6
	i := (len(s.Sections) - 1) / 2
	end := min(s.Sections[i+1], s.Sections[i]+some*s.Height)
	w.along(s, i, end, f)
	return end - s.Sections[i]
}

func (w *walk) along(s *Segment, section, end int, f func(w *walk)) {
	w.begin(s, section)
	for lo := s.Sections[section]; lo < end; lo += s.Height {
		w.band(lo, min(lo+s.Height, end))
		f(w)
	}
}
