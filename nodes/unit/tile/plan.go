package tile

import (
	"fmt"
	"slices"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A Group is kernels in an order in which each can follow those before it. Each but the
// last makes something for a later one.
type Group struct{ Members []Member }

// A Member is a kernel, and what it takes: the result of a member, or, as ^i, input i
// from outside.
type Member struct {
	Kernel kernel.Tiler
	In     []int
	Needed bool // outside of the group, as is what the last one makes
}

// A Plan is how a group is computed for inputs of certain shapes.
type Plan struct {
	Segments []*Segment
}

// A Segment is members that are computed together, from member First to member Last.
type Segment struct {
	First, Last int
	Images      int
	Height      int           // rows of the last result that are made at a time
	Sections    []int         // of an image: where they begin, and where the last one ends
	Results     []int         // the members of which there are results as a whole, the last one at the end
	Inputs      []int         // what it takes from outside of it: members before it, or, as ^i, inputs from outside
	Memory      int           // elements of its buffers
	Work        time.Duration // of one core, about
	steps       []step
}

// String says how a segment is computed: "8 rows of 112 at a time, in 4 sections, buffers of
// 280 kB".
func (s *Segment) String() string {
	rows := s.steps[len(s.steps)-1].rows
	text := fmt.Sprintf("%d rows of %d at a time, in %d sections", s.Height, rows, len(s.Sections)-1)
	if s.Images > 1 {
		text += fmt.Sprintf(" of each of %d images", s.Images)
	}
	text += fmt.Sprintf(", buffers of %d kB", (4*s.Memory+500)/1000)
	if n := len(s.Results); n > 1 {
		text += fmt.Sprintf(", %d results", n)
	}
	return text
}

// A step is a member of a segment.
type step struct {
	tiling      kernel.Tiling
	in          []source
	rows, width int
	capacity    int // rows that its buffer holds; 0: it is the last one, which has none
	at          int // of the buffer, among those of the segment
	result      int // which of the segment's results it makes; -1: none
	// owned is, where there is a result, which of its rows a section writes: from owned[i] to
	// owned[i+1]. It makes all of these, and at the end perhaps some of the next one's.
	owned []int
}

// A source is where a step takes an input from.
type source struct {
	step   int  // that makes it; -1: it comes from outside
	input  int  // then: which of Inputs
	stream bool // row by row
	rows   int  // of an image
	width  int
}

// longest is how many members a segment has at most.
const longest = 16

// mostRows is how many rows an image has at most whose rows are followed one by one for a plan.
const mostRows = 1 << 13

// bufferElements is how many elements the buffers of a segment have at most: with weights
// and a part of what comes from outside they fit into the second cache of a core.
const bufferElements = 80 << 10

// widest is how many times that much they may be where a band is a single row: the rows of wide
// images have no smaller bands, and would go to memory instead.
const widest = 2

// eagerElements is the same for eager plans: some rows of small images.
const eagerElements = 1 << 12

// NewPlan divides a group for inputs of these shapes among that many workers; nil if no two of its members
// are better computed together.
func NewPlan(g *Group, outside []kernel.TileInput, workers int) *Plan {
	p := planner{group: g, outside: owned(outside), workers: workers, budget: bufferElements}
	if !p.look() {
		return nil
	}
	return p.divide()
}

// Dims returns the shapes of what the members make of such inputs; nil if one would fail.
func Dims(g *Group, outside []kernel.TileInput) [][]int64 {
	p := planner{group: g, outside: owned(outside)}
	if !p.look() {
		return nil
	}
	return p.dims
}

// NewEagerPlan is [NewPlan] whether or not it pays, with bands that are low, for tests.
func NewEagerPlan(g *Group, outside []kernel.TileInput, workers int) *Plan {
	p := planner{group: g, outside: owned(outside), workers: workers, budget: eagerElements, eager: true}
	if !p.look() {
		return nil
	}
	return p.divide()
}

// owned returns inputs with shapes that stay as they are: those of a tensor change when it is
// used again, and a plan may have them for its own.
func owned(outside []kernel.TileInput) []kernel.TileInput {
	outside = slices.Clone(outside)
	for i := range outside {
		outside[i].Dims = slices.Clone(outside[i].Dims)
	}
	return outside
}

type planner struct {
	group   *Group
	outside []kernel.TileInput
	workers int
	eager   bool               // it need not pay
	budget  int                // elements of buffers
	dims    [][]int64          // by member
	tilings [2][]kernel.Tiling // by the dimensions of a row, less one, and member
	next    []int              // by member: the first that uses what it makes
	last    []int              // the last one; behind all of them, if that is needed outside
	walk    walk               // through drafts
	draft   *Segment           // the one that segment makes next, with the memory of one that was not chosen
}

// look asks the kernels; false if one would fail.
func (p *planner) look() bool {
	n := len(p.group.Members)
	p.dims, p.next, p.last = make([][]int64, n), make([]int, n), make([]int, n)
	for k := range p.tilings {
		p.tilings[k] = make([]kernel.Tiling, n)
	}
	for i := range p.group.Members {
		m := &p.group.Members[i]
		in := make([]kernel.TileInput, len(m.In))
		for k, from := range m.In {
			if from < 0 {
				in[k] = p.outside[^from]
			} else {
				in[k] = kernel.TileInput{DType: tensor.Float, Dims: p.dims[from]}
				if p.last[from] = i; p.next[from] == 0 {
					p.next[from] = i
				}
			}
		}
		for k := range p.tilings {
			t := m.Kernel.Tile(in, k+1)
			if t.Dims == nil {
				return false
			}
			p.dims[i], p.tilings[k][i] = t.Dims, t
		}
		if n, err := tensor.NumElements(tensor.Float, p.dims[i]); err != nil || n == 0 {
			return false
		}
	}
	for i := range p.group.Members {
		if p.group.Members[i].Needed || i == n-1 {
			p.last[i] = n
		}
	}
	return true
}

// divide finds the division that saves most.
func (p *planner) divide() *Plan {
	n := len(p.group.Members)
	best, from := make([]float64, n+1), make([]*Segment, n+1)
	for end := 1; end <= n; end++ {
		best[end] = best[end-1]
		for first := end - 2; first >= max(0, end-longest); first-- {
			if !p.closed(first, end-1) {
				continue
			}
			for k := range p.tilings {
				s := p.segment(first, end-1, k)
				if s == nil {
					continue
				}
				if gain := best[first] + p.gain(s); gain > best[end] {
					best[end], from[end], p.draft = gain, s, from[end]
				}
			}
		}
	}
	plan := &Plan{}
	for end := n; end > 0; {
		if s := from[end]; s != nil {
			p.balance(s)
			s.settle()
			plan.Segments = append([]*Segment{s}, plan.Segments...)
			end = s.First
		} else {
			end--
		}
	}
	if len(plan.Segments) == 0 {
		return nil
	}
	return plan
}

// closed reports whether each of members first to last makes something for a later one of these,
// but for the last.
func (p *planner) closed(first, last int) bool {
	for i := first; i < last; i++ {
		if p.next[i] == 0 || p.next[i] > last {
			return false
		}
	}
	return true
}

// segment returns members first to last as a segment with rows of inner+1 dimensions; nil
// if they cannot be one. It is the planner's draft: who keeps it gives the planner another.
func (p *planner) segment(first, last, inner int) *Segment {
	if p.draft == nil {
		p.draft = &Segment{}
	}
	s := p.draft
	*s = Segment{First: first, Last: last, Sections: s.Sections[:0], Results: s.Results[:0], Inputs: s.Inputs[:0], steps: s.steps[:0]}
	for i := first; i <= last; i++ {
		t := &p.tilings[inner][i]
		if t.New == nil {
			return nil
		}
		images, rows, width, ok := kernel.RowsOf(t.Dims, inner+1)
		if t.Scattered != [2]int{} {
			images, rows, width, ok = t.Scattered[0], t.Scattered[1], 0, i == last
		}
		if !ok || rows > mostRows || i > first && images != s.Images {
			return nil
		}
		s.Images = images
		x := step{tiling: *t, in: s.nextIn(), rows: rows, width: width, result: -1}
		if p.last[i] > last {
			x.result = len(s.Results)
			s.Results = append(s.Results, i)
		}
		for k, from := range p.group.Members[i].In {
			o := source{step: -1, stream: t.Streams>>k&1 != 0}
			if from >= first {
				if !o.stream {
					return nil
				}
				o.step, o.rows, o.width = from-first, s.steps[from-first].rows, s.steps[from-first].width
			} else {
				o.input = s.inputOf(from)
				if o.stream {
					dims := p.dimsOf(from)
					n, rows, width, ok := kernel.RowsOf(dims, inner+1)
					if !ok || n != images {
						return nil
					}
					o.rows, o.width = rows, width
				}
			}
			x.in = append(x.in, o)
		}
		s.steps = append(s.steps, x)
	}
	return p.fit(s)
}

// nextIn returns the memory that the next step's sources had in an earlier draft.
func (s *Segment) nextIn() []source {
	n := len(s.steps)
	if n == cap(s.steps) {
		return nil
	}
	return s.steps[:n+1][n].in[:0]
}

func (p *planner) dimsOf(from int) []int64 {
	if from < 0 {
		return p.outside[^from].Dims
	}
	return p.dims[from]
}

// inputOf returns the number of an input.
func (s *Segment) inputOf(from int) int {
	for i, x := range s.Inputs {
		if x == from {
			return i
		}
	}
	s.Inputs = append(s.Inputs, from)
	return len(s.Inputs) - 1
}

// fit divides the rows of a segment among workers and into bands, for which there are buffers;
// nil if those of single rows are too large.
func (p *planner) fit(s *Segment) *Segment {
	rows := s.steps[len(s.steps)-1].rows
	work := 0.0
	for i := range s.steps {
		work += float64(s.Images*s.steps[i].rows) * float64(s.steps[i].tiling.Work) * perWork
	}
	s.Work = time.Duration(work)
	parts := parts(work, p.workers)
	if p.eager {
		parts = 2*p.workers + 1
	}
	if !p.cut(s, min(rows, (parts+s.Images-1)/s.Images)) {
		return nil
	}
	return s
}

// parts returns among how many sections work, in nanoseconds of one core, is shared out.
func parts(work float64, workers int) int { return max(1, min(2*workers, int(work/perSection))) }

// balance cuts a segment into twice as many sections if that is worth the rows that more of them
// compute, and the weights that are read for more bands: a worker whose core is slower, as on a
// machine that others use, then keeps the others waiting for less.
func (p *planner) balance(s *Segment) {
	rows, sections := s.steps[len(s.steps)-1].rows, len(s.Sections)-1
	if p.eager || p.workers == 1 || s.Images*sections < 2*p.workers || 2*sections > rows || s.Work < time.Duration(4*p.workers*perSection) {
		return
	}
	few := p.gain(s) - p.uneven(s)
	if !p.cut(s, 2*sections) || p.gain(s)-p.uneven(s) < few {
		p.cut(s, sections)
	}
}

// cut divides the rows into sections, and chooses the height of bands for these; false if the
// buffers of single rows are too large.
func (p *planner) cut(s *Segment, sections int) bool {
	rows := s.steps[len(s.steps)-1].rows
	s.Sections = s.Sections[:0]
	for k := range s.steps {
		s.steps[k].owned = nil
	}
	for i := range sections + 1 {
		s.Sections = append(s.Sections, i*rows/sections)
	}
	s.own(&p.walk)
	tallest, height := (rows-1)/sections+1, 0
	for at := 1; height < tallest; at *= 2 {
		elements := s.buffers(min(at, tallest), p.walk.glance)
		if elements > p.budget && (at > 1 || elements > widest*p.budget) {
			break
		}
		height = min(at, tallest)
	}
	s.Height = height
	return height > 0
}

// own shares out the rows of results among the sections: each has those of which its own rows of
// the last result need the first, up to those of the next one.
func (s *Segment) own(w *walk) {
	n, last := len(s.Sections)-1, len(s.steps)-1
	owned := make([][]int, len(s.steps))
	for k := range s.steps {
		if s.steps[k].result >= 0 {
			owned[k] = make([]int, n+1)
			owned[k][n] = s.steps[k].rows
		}
	}
	for i := 1; i < n; i++ {
		w.begin(s, i)
		w.band(s.Sections[i], s.Sections[i]+1)
		for k := range owned {
			if owned[k] != nil {
				owned[k][i] = w.need[k].from
			}
		}
	}
	for k := range owned[:last] {
		s.steps[k].owned = owned[k]
	}
	s.steps[last].owned = s.Sections
}

// settle lays out the buffers, now that a segment is chosen, and keeps no more memory than it needs.
func (s *Segment) settle() {
	s.steps = slices.Clone(s.steps)
	s.Memory = s.buffers(s.Height, func(s *Segment, f func(w *walk)) int {
		new(walk).follow(s, f)
		return 0
	})
}

// buffers sets the capacities that bands of such a height take where look looks, and returns
// how many elements they are.
func (s *Segment) buffers(height int, look func(*Segment, func(w *walk)) int) (elements int) {
	for i := range s.steps {
		s.steps[i].capacity = 0
	}
	s.Height = height
	look(s, func(w *walk) {
		for k := range s.steps[:len(s.steps)-1] {
			x := &s.steps[k]
			need := w.need[k].to - w.need[k].from
			if w.fresh[k].from > w.need[k].from { // some are kept: fewer copies with more room
				need += w.fresh[k].to - w.fresh[k].from
			}
			x.capacity = max(x.capacity, min(need, x.rows))
		}
	})
	for i := range s.steps {
		x := &s.steps[i]
		x.at = elements
		elements += (x.capacity*x.width + 15) &^ 15
	}
	return elements
}
