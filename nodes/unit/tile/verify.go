package tile

import (
	"fmt"
	"slices"
)

// Verify goes through what a [Runner] does with the plan, with the rows that there are in place of
// elements: every row that a step reads was made before in the same section, and is still in its
// buffer; every row of every result is written once, and there is a result of all that is needed outside; buffers are not written beyond their ends and do not
// overlap; each input is one that a step takes. It shares nothing with what plans but [Tiling.Rows], of which it checks that rows that
// come later begin no earlier.
func (p *Plan) Verify(g *Group) error {
	next := 0
	for _, s := range p.Segments {
		if s.First < next || s.Last <= s.First || s.Last >= len(g.Members) {
			return fmt.Errorf("members %d to %d after member %d of %d", s.First, s.Last, next-1, len(g.Members))
		}
		next = s.Last + 1
		if err := s.verifyResults(g); err != nil {
			return fmt.Errorf("members %d to %d: %w", s.First, s.Last, err)
		}
		if err := s.verifyInputs(); err != nil {
			return fmt.Errorf("members %d to %d: %w", s.First, s.Last, err)
		}
		if err := s.verify(); err != nil {
			return fmt.Errorf("members %d to %d: %w", s.First, s.Last, err)
		}
	}
	return nil
}

// verifyResults looks that each step makes a result if others than those of the segment
// use it, and has its own place among the results.
func (s *Segment) verifyResults(g *Group) error {
	needed := make([]bool, len(g.Members))
	needed[s.Last] = true
	for i := range g.Members {
		needed[i] = needed[i] || g.Members[i].Needed
		for _, from := range g.Members[i].In {
			if from >= 0 && i > s.Last {
				needed[from] = true
			}
		}
	}
	next := 0
	for k := range s.steps {
		switch x := &s.steps[k]; {
		case !needed[s.First+k] && x.result < 0:
		case !needed[s.First+k] || x.result != next || next == len(s.Results) || s.Results[next] != s.First+k:
			return fmt.Errorf("step %d makes result %d of %v", k, x.result, s.Results)
		default:
			next++
		}
	}
	if next != len(s.Results) {
		return fmt.Errorf("%d results of %v", next, s.Results)
	}
	return nil
}

// verifyInputs looks that each input is one that a step takes.
func (s *Segment) verifyInputs() error {
	taken := make([]bool, len(s.Inputs))
	for k := range s.steps {
		for _, o := range s.steps[k].in {
			if o.step < 0 {
				taken[o.input] = true
			}
		}
	}
	if at := slices.Index(taken, false); at >= 0 {
		return fmt.Errorf("no step takes input %d", s.Inputs[at])
	}
	return nil
}

func (s *Segment) verify() error {
	last := len(s.steps) - 1
	at := 0
	for k := range s.steps {
		x := &s.steps[k]
		if x.at < at || x.at+x.capacity*x.width > s.Memory || (x.capacity == 0) != (k == last) {
			return fmt.Errorf("the buffer of step %d, %d rows of %d at %d, of %d elements", k, x.capacity, x.width, x.at, s.Memory)
		}
		at = x.at + x.capacity*x.width
	}
	rows := s.steps[last].rows
	written := make([][]bool, len(s.steps)) // by step and row of a result
	for k := range s.steps {
		if s.steps[k].result >= 0 {
			written[k] = make([]bool, s.steps[k].rows)
		}
	}
	for i := range s.Sections[1:] {
		lo, hi := s.Sections[i], s.Sections[i+1]
		if i == 0 && lo != 0 || lo >= hi || hi > rows {
			return fmt.Errorf("section %d is rows %d to %d of %d", i, lo, hi, rows)
		}
		if err := s.verifySection(i, written); err != nil {
			return fmt.Errorf("rows %d to %d: %w", lo, hi, err)
		}
	}
	for k := range written {
		for r, done := range written[k] {
			if !done {
				return fmt.Errorf("row %d of the result of step %d is not written", r, k)
			}
		}
	}
	return nil
}

// verifySection follows a worker, whose buffers hold the numbers of rows.
func (s *Segment) verifySection(section int, written [][]bool) error {
	lo, hi := s.Sections[section], s.Sections[section+1]
	w := worker{run: &Runner{segment: s}, first: make([]int, len(s.steps))}
	buffers := make([][]int, len(s.steps)) // by step and place: the row
	for k := range s.steps {
		buffers[k] = make([]int, s.steps[k].capacity)
		for i := range buffers[k] {
			buffers[k][i] = -1
		}
	}
	w.walk.begin(s, section)
	before, ended := make([]int, 0, 64), make([]int, len(s.steps))
	for ; lo < hi; lo += s.Height {
		w.walk.band(lo, min(lo+s.Height, hi))
		for k := range s.steps {
			f := w.walk.fresh[k]
			if f.empty() {
				continue
			}
			x := &s.steps[k]
			if f.from < ended[k] || f.to > x.rows {
				return fmt.Errorf("step %d makes rows %d to %d of %d, and has made those to %d", k, f.from, f.to, x.rows, ended[k])
			}
			ended[k] = f.to
			for i := range x.in {
				o := &x.in[i]
				if !o.stream {
					continue
				}
				from, to := x.rowsOf(i, f)
				if from < 0 || to > o.rows || from >= to {
					return fmt.Errorf("step %d reads rows %d to %d of %d", k, from, to, o.rows)
				}
				if o.step < 0 {
					continue
				}
				if o.step >= k {
					return fmt.Errorf("step %d reads what step %d makes", k, o.step)
				}
				for r := from; r < to; r++ {
					place := r - w.first[o.step]
					if place < 0 || place >= len(buffers[o.step]) || buffers[o.step][place] != r {
						return fmt.Errorf("step %d reads row %d of step %d, which is not there", k, r, o.step)
					}
				}
			}
			if x.result >= 0 {
				own := x.ownedOf(section, f)
				for r := own.from; r < own.to; r++ {
					if written[k][r] {
						return fmt.Errorf("row %d of the result of step %d is written twice", r, k)
					}
					written[k][r] = true
				}
				if k == len(s.steps)-1 && own != f {
					return fmt.Errorf("the last step makes rows %d to %d and writes %d to %d", f.from, f.to, own.from, own.to)
				}
			}
			if x.capacity == 0 {
				continue
			}
			moved := w.first[k]
			from, kept := w.room(k, f)
			before = append(before[:0], buffers[k]...)
			for i := range kept {
				if from-moved+i >= len(before) {
					return fmt.Errorf("step %d keeps what is not there", k)
				}
				buffers[k][i] = before[from-moved+i]
			}
			for r := f.from; r < f.to; r++ {
				place := r - w.first[k]
				if place < 0 || place >= len(buffers[k]) {
					return fmt.Errorf("step %d makes row %d beyond its buffer of %d rows", k, r, x.capacity)
				}
				buffers[k][place] = r
			}
		}
	}
	return nil
}
