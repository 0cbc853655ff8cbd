package machine

import (
	"slices"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/tile"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// A tileState is what a machine knows of calls that may be computed in tiles.
type tileState struct {
	group    *tile.Group
	outside  []int32 // slots of what the group has from outside
	constant []bool
	plans    []*tilePlan // for shapes that were met last
	now      *tilePlan
	at       []*tileRun // by member: what is played from there on, now; nil: its call
}

// A tilePlan is what is played for inputs of certain shapes.
type tilePlan struct {
	shapes []tileShape
	met    int
	made   bool
	at     []*tileRun
}

type tileShape struct {
	dtype tensor.DType
	dims  []int64
}

// mostPlans is for how many sets of shapes there are plans at most: batches of a server come
// in many sizes. A plan is made when shapes are met again.
const mostPlans = 16

func (p *tilePlan) fits(m *Machine, outside []int32) bool {
	for i, slot := range outside {
		if v := &m.slab[slot]; v.DType() != p.shapes[i].dtype || !slices.Equal(v.Dims(), p.shapes[i].dims) {
			return false
		}
	}
	return true
}

// A tileRun plays a segment.
type tileRun struct {
	*tile.Runner
	slots []int32 // of the segment's inputs
	gives []int32 // slots that are given up
	read  func(i int) []float32
	made  []tensor.Value // its results, while it is played
	write func(i int) []float32
	homes []int32 // slots of the results
	end   int
	calls []int32

	tried int          // plays that were timed
	took  [2]int64     // the shortest of them, in nanoseconds, of tiles and of calls
	fewer *tile.Runner // tiles in fewer sections, while more are tried
	least int64        // the shortest play of these
	apart bool         // calls were faster
	plays int          // since then

	nodes  []int32 // of its calls, once a meter has asked
	outs   [][]tensor.Value
	untold int64 // plays that the meter does not know of
}

// tile plays calls from member on in tiles, if that is planned for what the inputs are.
// Otherwise nothing happens, and the call comes next.
func (m *Machine) tile(at int32, member uint8, pc int) int {
	if m.env.Run != nil && !m.env.Eager {
		return pc
	}
	s := &m.tiles[at]
	if member == 0 {
		m.plan(s, &m.code.Tiles[at])
	}
	if s.at == nil || s.at[member] == nil {
		return pc
	}
	r := s.at[member]
	if m.env.Eager {
		return m.playTile(r, pc)
	}
	if r.plays++; r.tried < trials && m.env.Clock != nil {
		return m.try(r, pc)
	}
	if r.plays > tryAgain {
		r.plays, r.tried = 0, 0
	}
	if r.apart {
		return pc
	}
	return m.playTile(r, pc)
}

const (
	// trials is how often a segment is played in tiles and by its calls, in turn, until it is
	// decided which it will be: what takes longer once may have been interrupted.
	trials = 8
	// tryAgain is how many plays later it is decided anew.
	tryAgain = 1 << 13
)

// try plays a segment in one of the two ways, and takes the time.
func (m *Machine) try(r *tileRun, pc int) int {
	how := r.tried % 2
	begin := m.env.Clock()
	next := pc
	if how == 0 {
		next = m.playTile(r, pc)
	} else {
		next = m.playCalls(pc, r.end)
	}
	took := m.env.Clock() - begin
	if next == pc || next == halt {
		return next
	}
	if r.tried < 2 || took < r.took[how] {
		r.took[how] = took
	}
	if r.tried++; r.tried == trials {
		r.decide(m.env.Ctx.Step.Pool.Workers())
	}
	return next
}

// decide chooses by what plays took. Tiles that took much longer than was planned, as where
// numbers underflow, are tried in more sections first.
func (r *tileRun) decide(workers int) {
	if r.fewer == nil {
		if s := r.Segment().Longer(time.Duration(r.took[0]), workers); s != nil {
			r.fewer, r.least, r.tried = r.Runner, r.took[0], 0
			r.Runner = tile.NewRunner(s)
			return
		}
	} else if r.least <= r.took[0] {
		r.Runner, r.took[0] = r.fewer, r.least
	}
	r.fewer = nil
	r.apart = r.took[1] <= r.took[0]
}

// playCalls plays calls, up to an instruction.
func (m *Machine) playCalls(pc, end int) int {
	first := m.code.First()
	for pc < end {
		in := code.At(first, pc)
		pc++
		if in.Op == code.OpCall {
			pc = m.call(&m.code.Calls[uint32(in.X)], pc)
		} else if in.Op == code.OpDrop {
			pc = m.drop(in.X, pc)
		}
		if pc < 0 {
			return halt
		}
	}
	return pc
}

func (m *Machine) playTile(r *tileRun, pc int) int {
	if !m.ask() {
		return halt
	}
	ctx := m.env.Ctx
	ctx.Slots = nil
	for i := range r.made {
		var err error
		if r.made[i], err = ctx.Alloc(tensor.Float, r.Dims(i)); err != nil { // that of the call which needs the memory
			r.reclaim(ctx, i)
			return pc
		}
	}
	last := &m.code.Calls[r.calls[len(r.calls)-1]]
	m.at, m.busy = last, false
	if failed, err := r.Run(ctx, r.read, r.write); err != nil {
		r.reclaim(ctx, len(r.made))
		if failed < 0 {
			return pc
		}
		m.at = &m.code.Calls[r.calls[failed-r.Segment().First]]
		return m.fail(m.at.Node, m.at.Loop, err)
	}
	for _, slot := range r.gives {
		m.free(slot)
	}
	for i, slot := range r.homes {
		r.made[i].Hold(1)
		m.slab[slot] = r.made[i]
	}
	clear(r.made)
	return r.end
}

// reclaim gives back the first n results.
func (r *tileRun) reclaim(ctx *kernel.Context, n int) {
	for i := range n {
		ctx.Arena.Reclaim(r.made[i])
	}
	clear(r.made)
}

// plan decides what is played in tiles, if it is not decided for these shapes.
func (m *Machine) plan(s *tileState, t *code.Tiles) {
	if s.group == nil {
		s.describe(t)
	}
	if s.now == nil || !s.now.fits(m, s.outside) {
		s.find(m)
	}
	p := s.now
	if !p.made {
		if p.met++; p.met > 1 || m.env.Eager {
			p.made = true
			m.makePlan(s, p, t)
		}
	}
	s.at = p.at
}

// find makes the plan for the shapes that there are the one that is played.
func (s *tileState) find(m *Machine) {
	for _, p := range s.plans {
		if p.fits(m, s.outside) {
			s.now = p
			return
		}
	}
	p := &tilePlan{shapes: make([]tileShape, len(s.outside))}
	for i, slot := range s.outside {
		v := &m.slab[slot]
		p.shapes[i] = tileShape{v.DType(), slices.Clone(v.Dims())}
	}
	if len(s.plans) == mostPlans {
		s.plans = append(s.plans[:0], s.plans[1:]...)
	}
	s.plans, s.now = append(s.plans, p), p
}

// makePlan decides what is played.
func (m *Machine) makePlan(s *tileState, p *tilePlan, t *code.Tiles) {
	outside := make([]kernel.TileInput, len(s.outside))
	for i, slot := range s.outside {
		v := &m.slab[slot]
		if v.IsZero() || v.IsRef() {
			return
		}
		outside[i] = kernel.TileInput{DType: v.DType(), Dims: v.Dims()}
		if s.constant[i] {
			outside[i].Constant = *v
		}
	}
	newPlan := tile.NewPlan
	if m.env.Eager {
		newPlan = tile.NewEagerPlan
	}
	plan := newPlan(s.group, outside, m.env.Ctx.Step.Pool.Workers())
	if plan == nil {
		return
	}
	p.at = make([]*tileRun, len(t.Members))
	for _, segment := range plan.Segments {
		p.at[segment.First] = m.tileRun(s, t, segment)
	}
}

// describe notes what is in a group.
func (s *tileState) describe(t *code.Tiles) {
	s.group = &tile.Group{}
	number := map[int32]int{}
	for i := range t.Members {
		x := tile.Member{Kernel: t.Members[i].Kernel, Needed: t.Members[i].Needed}
		for _, from := range t.Members[i].In {
			if from.Member >= 0 {
				x.In = append(x.In, from.Member)
				continue
			}
			n, ok := number[from.Slot]
			if !ok {
				n = len(s.outside)
				number[from.Slot] = n
				s.outside, s.constant = append(s.outside, from.Slot), append(s.constant, from.Constant)
			}
			x.In = append(x.In, ^n)
		}
		s.group.Members = append(s.group.Members, x)
	}
}

func (m *Machine) tileRun(s *tileState, t *code.Tiles, segment *tile.Segment) *tileRun {
	r := &tileRun{Runner: tile.NewRunner(segment), end: int(t.Members[segment.Last].End)}
	slots := map[int]int32{} // of what members make
	for i := range t.Members {
		for _, from := range t.Members[i].In {
			if from.Member >= 0 {
				slots[from.Member] = from.Slot
			}
		}
	}
	for _, from := range segment.Inputs {
		if from < 0 {
			r.slots = append(r.slots, s.outside[^from])
		} else {
			r.slots = append(r.slots, slots[from])
		}
	}
	for i := segment.First; i <= segment.Last; i++ {
		x := &t.Members[i]
		r.calls = append(r.calls, x.Call)
		for _, g := range x.Gives {
			if g.Member < segment.First {
				r.gives = append(r.gives, g.Slot)
			}
		}
	}
	for _, i := range segment.Results {
		r.homes = append(r.homes, m.code.Calls[t.Members[i].Call].Out)
	}
	r.made = make([]tensor.Value, len(r.homes))
	r.write = func(i int) []float32 { return tensor.Of[float32](&r.made[i]) }
	r.read = func(i int) []float32 {
		v := &m.slab[r.slots[i]]
		if v.DType() != tensor.Float {
			return nil
		}
		return tensor.Of[float32](v)
	}
	return r
}

// together plays calls together, if that pays.
func (m *Machine) together(kind, member uint8, at int32, pc int) int {
	if kind == code.TogetherTiles {
		return m.tile(at, member, pc)
	}
	return m.band(at, pc)
}

// togetherMetered is together, where runs are metered.
func (m *Machine) togetherMetered(kind, member uint8, at int32, pc int) int {
	if kind == code.TogetherTiles {
		return m.tileMetered(at, member, pc)
	}
	return m.band(at, pc)
}

// tileMetered is tile. What is played together is timed together, some of the times, and shared
// out as the calls took by themselves, which are played first.
func (m *Machine) tileMetered(at int32, member uint8, pc int) int {
	s, meter := &m.tiles[at], m.env.Meter
	if member == 0 {
		m.plan(s, &m.code.Tiles[at])
	}
	if s.at == nil || s.at[member] == nil {
		return pc
	}
	r := s.at[member]
	if r.nodes == nil {
		for _, c := range r.calls {
			r.nodes = append(r.nodes, m.code.Calls[c].Node)
		}
		r.outs = make([][]tensor.Value, len(r.calls))
	}
	for _, node := range r.nodes {
		if meter.Mean(node) == 0 {
			return pc
		}
	}
	wanted, begin := meter.Wants(r.nodes[0], r.untold), int64(0)
	if wanted {
		begin = meter.Clock()
	}
	next := m.playTile(r, pc)
	if next == pc || next == halt {
		return next
	}
	if r.untold++; wanted {
		end := meter.Clock()
		r.untold--
		r.tell(meter)
		first := r.Segment().First
		for k, i := range r.Segment().Results {
			r.outs[i-first] = m.slab[r.homes[k] : r.homes[k]+1]
		}
		meter.Share(r.nodes, begin, end, m.Iteration(), r.outs)
		clear(r.outs)
	}
	return next
}

// tell tells a meter of plays that it does not know of.
func (r *tileRun) tell(meter *profile.Meter) {
	for _, node := range r.nodes {
		meter.Count(node, r.untold)
	}
	r.untold = 0
}
