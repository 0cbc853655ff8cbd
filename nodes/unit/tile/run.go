package tile

import (
	"sync"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A Runner plays a segment again and again, once at a time.
type Runner struct {
	segment *Segment
	step    kernel.Step
	in      [][]float32
	out     [][]float32 // by result
	share   func(lo, hi int)

	memory kernel.SharedScratch[float32] // of workers
	mu     sync.Mutex
	idle   []*worker
	failed int // the step that did
	err    error
}

// NewRunner makes what plays a segment.
func NewRunner(s *Segment) *Runner {
	r := &Runner{segment: s, in: make([][]float32, len(s.Inputs)), out: make([][]float32, len(s.Results))}
	r.share = r.sections
	return r
}

// Dims returns the shape of a result.
func (r *Runner) Dims(result int) []int64 {
	return r.segment.steps[r.segment.Results[result]-r.segment.First].tiling.Dims
}

// Segment returns what it plays.
func (r *Runner) Segment() *Segment { return r.segment }

// Run sets the elements of the segment's results, which out returns, from those of its
// inputs, which in returns. It fails with the error of a member, of which it returns the
// number, or with that of the memory it needs, -1.
func (r *Runner) Run(ctx *kernel.Context, in, out func(i int) []float32) (member int, err error) {
	s := r.segment
	n := s.Images * (len(s.Sections) - 1)
	workers := min(n, ctx.Step.Pool.Workers())
	if s.Memory > 0 {
		if err := r.memory.Open(ctx, tensor.Float, workers, s.Memory); err != nil {
			return -1, err
		}
		defer r.memory.Free(ctx)
	}
	r.step = *ctx.Step
	r.step.Pool = alone{}
	for i := range r.in {
		r.in[i] = in(i)
	}
	for i := range r.out {
		r.out[i] = out(i)
	}
	r.err = nil
	defer r.end()
	if n > 1 {
		ctx.Step.Pool.Expect(s.Work)
	}
	ctx.Step.Pool.Parallel(n, 1, r.share) // which asks whether the step has ended, band by band
	if r.err == nil {
		r.err = ctx.Err()
	}
	return r.failed, r.err
}

func (r *Runner) end() {
	clear(r.in)
	clear(r.out)
	r.step = kernel.Step{}
}

// sections computes sections lo to hi of all images.
func (r *Runner) sections(lo, hi int) {
	w := r.take()
	defer r.giveBack(w)
	each := len(r.segment.Sections) - 1
	for i := lo; i < hi; i++ {
		if at, err := w.section(i/each, i%each); err != nil {
			r.mu.Lock()
			if r.err == nil {
				r.failed, r.err = r.segment.First+at, err
			}
			r.mu.Unlock()
			return
		}
	}
}

func (r *Runner) take() (w *worker) {
	r.mu.Lock()
	if n := len(r.idle); n > 0 {
		w, r.idle = r.idle[n-1], r.idle[:n-1]
	} else {
		w = newWorker(r)
	}
	r.mu.Unlock()
	if r.segment.Memory > 0 {
		w.memory = r.memory.Take()
	}
	w.ctx.Step = &r.step
	return w
}

func (r *Runner) giveBack(w *worker) {
	if r.segment.Memory > 0 {
		r.memory.GiveBack(w.memory)
	}
	w.memory, w.ctx.Step = nil, nil
	clear(w.args[:cap(w.args)])
	r.mu.Lock()
	r.idle = append(r.idle, w)
	r.mu.Unlock()
}

// A worker computes a section at a time.
type worker struct {
	run    *Runner
	ctx    kernel.Context
	tiles  []kernel.Tile
	walk   walk
	first  []int // by step: the row that its buffer begins with
	args   [][]float32
	memory []float32
}

func newWorker(r *Runner) *worker {
	w := &worker{run: r, first: make([]int, len(r.segment.steps))}
	for i := range r.segment.steps {
		w.tiles = append(w.tiles, r.segment.steps[i].tiling.New())
	}
	return w
}

// section computes a section of an image; of an error it returns the step as well.
func (w *worker) section(image, section int) (at int, err error) {
	s := w.run.segment
	w.walk.begin(s, section)
	clear(w.first)
	lo, hi := s.Sections[section], s.Sections[section+1]
	for ; lo < hi; lo += s.Height {
		if err := w.ctx.Err(); err != nil {
			return 0, err
		}
		w.walk.band(lo, min(lo+s.Height, hi))
		for k := range s.steps {
			if f := w.walk.fresh[k]; !f.empty() {
				if err := w.rows(k, image, f); err != nil {
					return k, err
				}
			}
		}
	}
	return 0, nil
}

// rows computes rows of a step.
func (w *worker) rows(k, image int, f span) error {
	s := w.run.segment
	x := &s.steps[k]
	w.args = w.args[:0]
	for i := range x.in {
		switch o := &x.in[i]; {
		case o.step >= 0:
			from, to := x.rowsOf(i, f)
			p := &s.steps[o.step]
			w.args = append(w.args, w.memory[p.at+(from-w.first[o.step])*p.width:][:(to-from)*p.width])
		case o.stream:
			from, to := x.rowsOf(i, f)
			w.args = append(w.args, w.run.in[o.input][(image*o.rows+from)*o.width:][:(to-from)*o.width])
		default:
			w.args = append(w.args, w.run.in[o.input])
		}
	}
	var out, result []float32
	if x.result >= 0 {
		result = w.run.out[x.result]
	}
	if x.tiling.Scattered != [2]int{} {
		out = result
	} else if x.capacity == 0 {
		out = result[(image*x.rows+f.from)*x.width:][:(f.to-f.from)*x.width]
	} else {
		w.makeRoom(k, f)
		out = w.memory[x.at+(f.from-w.first[k])*x.width:][:(f.to-f.from)*x.width]
	}
	if err := w.tiles[k](&w.ctx, image, f.from, f.to, w.args, out); err != nil {
		return err
	}
	if own := x.ownedOf(w.walk.section, f); x.capacity > 0 && !own.empty() {
		copy(result[(image*x.rows+own.from)*x.width:], out[(own.from-f.from)*x.width:][:(own.to-own.from)*x.width])
	}
	return nil
}

// ownedOf returns which of these rows a section writes to the step's result.
func (x *step) ownedOf(section int, rows span) span {
	if x.owned == nil {
		return span{}
	}
	return span{max(rows.from, x.owned[section]), min(rows.to, x.owned[section+1])}
}

// makeRoom readies the buffer of a step for rows that are to be made, and keeps those before
// them that are needed.
func (w *worker) makeRoom(k int, f span) {
	before := w.first[k]
	if from, kept := w.room(k, f); kept > 0 {
		x := &w.run.segment.steps[k]
		buffer := w.memory[x.at:][:x.capacity*x.width]
		copy(buffer, buffer[(from-before)*x.width:][:kept*x.width])
	}
}

// room decides which row the buffer of a step begins with, and how many that are in it, from
// a row on, are moved to its beginning.
func (w *worker) room(k int, f span) (from, kept int) {
	from = w.walk.need[k].from
	switch {
	case from >= f.from: // none are needed again
		w.first[k] = f.from
	case f.to-w.first[k] > w.run.segment.steps[k].capacity:
		w.first[k] = from
		return from, f.from - from
	}
	return from, 0
}

// alone is the pool of one worker.
type alone struct{}

func (alone) Parallel(n, grain int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += max(grain, 1) {
		f(lo, min(lo+max(grain, 1), n))
	}
}
func (alone) Workers() int         { return 1 }
func (alone) Expect(time.Duration) {}
