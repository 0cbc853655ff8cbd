package cellular

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// mostRows bounds the calls of one batch.
	mostRows = 256
	// mostDeep is how many calls may be within one another; a caller that goes deeper runs alone,
	// to fail as it does alone.
	mostDeep = 4096
	// mostLive bounds the calls of one caller that are under way; one that has more runs alone.
	mostLive = 1 << 16
)

// An agenda is what the members of a lane of calls do: of all calls that are under way, those that
// stand before the same stage run as one batch (Neubig and others, On-the-fly Operation Batching in
// Dynamic Computation Graphs, NIPS 2017).
type agenda struct {
	*lane
	form       *callForm
	invariants []tensor.Value
	ready      []int         // of each group, how many calls of all members stand before it
	skipped    []int         // of each group with products, how many batches it has waited for
	free       [][]*instance // of each function, such as can be used again
}

func newAgenda(l *lane, f *callForm, invariants []tensor.Value) *agenda {
	n := len(f.groups)
	return &agenda{lane: l, form: f, invariants: invariants, ready: make([]int, n), skipped: make([]int, n), free: make([][]*instance, len(f.batch.Functions))}
}

func (a *agenda) fits(m *member) bool {
	for k, i := range a.form.batch.Invariants {
		if !same(&a.invariants[k], &m.begun[i]) {
			return false
		}
	}
	return true
}

// A tree is the calls of one member.
type tree struct {
	ready   [][]*instance // of each group, the deepest last
	live    *instance     // all that are under way
	count   int
	results []tensor.Value // of the first call, once it has returned
	over    outcome        // what has become of it
}

// An instance is a call that is under way.
type instance struct {
	of             *member
	function       int
	stage          int
	depth          int // of calls around it
	waiting        int // calls that it waits for
	parent         *instance
	into           []int // slots of the parent, for the results
	rows           []row // by slot
	previous, next *instance
}

// A row is one row of what a batch has returned, or of a table, or a whole argument.
type row struct {
	of *block
	at int
}

// A block is a value with the rows of several calls.
type block struct {
	value tensor.Value
	of    *results // nil: it is an argument
}

// results are what a batch has returned, on the account while there are rows of it.
type results struct {
	kernel.Results
	rows int
}

func (r row) hold() row {
	if r.of.of != nil {
		r.of.of.rows++
	}
	return r
}

func (r row) release() {
	if r.of != nil && r.of.of != nil {
		if r.of.of.rows--; r.of.of.rows == 0 {
			r.of.of.Release()
		}
	}
}

func (a *agenda) forget(m *member) { a.end(m, outcome{failed, nil}) }

func (a *agenda) keep(stay []source, _ func(*member, outcome)) {
	list := make([]*member, len(stay))
	for i, s := range stay {
		list[i] = s.of
	}
	a.members = append(a.members[:0], list...)
}

func (a *agenda) drop() { a.members = nil }

// end ends a member's calls.
func (a *agenda) end(m *member, o outcome) {
	t := &m.tree
	if t.over.what != nothing {
		return
	}
	t.over = o
	for g, list := range t.ready {
		a.ready[g] -= len(list)
	}
	for i := t.live; i != nil; i = i.next {
		for _, r := range i.rows {
			r.release()
		}
	}
	t.ready, t.live, t.count = nil, nil, 0
}

// iterate lets callers in and runs one batch.
func (a *agenda) iterate(step *kernel.Step, joining []*member, tell func(*member, outcome)) {
	for _, m := range joining {
		a.members = append(a.members, m)
		m.tree.ready = make([][]*instance, len(a.form.groups))
		a.begin(m)
	}
	if g := a.choose(); g >= 0 {
		batch := a.take(g)
		batches.Add(1)
		rows.Add(int64(len(batch)))
		a.form.ran.Add(1)
		a.play(step, g, batch)
	}
	a.members = slices.DeleteFunc(a.members, func(m *member) bool {
		over := m.tree.over
		if over.what != nothing {
			tell(m, over)
		}
		return over.what != nothing
	})
}

// begin makes a member's first call.
func (a *agenda) begin(m *member) {
	i := a.instance(m, 0)
	for k, at := range a.form.batch.Functions[0].Args {
		i.rows[k] = row{of: &block{value: m.begun[at]}}
	}
	a.advance(i)
}

// instance returns a new call of a member.
func (a *agenda) instance(m *member, function int) *instance {
	var i *instance
	if free := a.free[function]; len(free) > 0 {
		i, a.free[function] = free[len(free)-1], free[:len(free)-1]
	} else {
		i = &instance{function: function, rows: make([]row, len(a.form.batch.Functions[function].Slots))}
	}
	t := &m.tree
	i.of, i.next = m, t.live
	if t.live != nil {
		t.live.previous = i
	}
	t.live = i
	t.count++
	return i
}

// returned ends a call.
func (a *agenda) returned(i *instance) {
	t := &i.of.tree
	if i.next != nil {
		i.next.previous = i.previous
	}
	if i.previous != nil {
		i.previous.next = i.next
	} else {
		t.live = i.next
	}
	t.count--
	for _, r := range i.rows {
		r.release()
	}
	clear(i.rows)
	*i = instance{function: i.function, rows: i.rows}
	a.free[i.function] = append(a.free[i.function], i)
}

// choose returns the group that runs next; -1 if there is none. Stages without products come first,
// as they lead to further calls; then the one with most calls, where those that wait count more
// with each batch.
func (a *agenda) choose() int {
	best, most := -1, 0
	for g := range a.form.groups {
		if a.ready[g] == 0 {
			continue
		}
		if a.form.groups[g].of.Products == 0 {
			return g
		}
		if n := a.ready[g] + a.skipped[g]; n > most {
			best, most = g, n
		}
	}
	for g, n := range a.ready {
		if a.skipped[g]++; n == 0 || g == best {
			a.skipped[g] = 0
		}
	}
	return best
}

// take returns calls that stand before a group: of the members that came first, the deepest.
func (a *agenda) take(g int) []*instance {
	batch := make([]*instance, 0, min(a.ready[g], mostRows))
	for _, m := range a.members {
		list := m.tree.ready
		if list == nil {
			continue
		}
		n := min(len(list[g]), mostRows-len(batch))
		rest := len(list[g]) - n
		batch = append(batch, list[g][rest:]...)
		clear(list[g][rest:])
		list[g] = list[g][:rest]
	}
	a.ready[g] -= len(batch)
	return batch
}

// play runs a batch. Where it fails for several members, each has its own.
func (a *agenda) play(step *kernel.Step, g int, batch []*instance) {
	of := a.form.groups[g].of
	r, blocks, err := a.call(step, g, batch)
	if err != nil {
		for lo := 0; lo < len(batch); {
			m, hi := batch[lo].of, lo+1
			for hi < len(batch) && batch[hi].of == m {
				hi++
			}
			if hi-lo == len(batch) {
				a.end(m, outcome{solo, nil})
				return
			}
			a.play(step, g, batch[lo:hi])
			lo = hi
		}
		return
	}
	r.rows++ // until all have theirs
	for k, i := range batch {
		for j, at := range of.Gives {
			i.rows[at] = row{blocks[j], k}.hold()
		}
	}
	for _, i := range batch {
		if i.of.tree.over.what == nothing {
			a.leads(i)
		}
	}
	if r.rows--; r.rows == 0 {
		r.Release()
	}
}

// call runs a stage on the rows of calls.
func (a *agenda) call(step *kernel.Step, g int, batch []*instance) (*results, []*block, error) {
	of := a.form.groups[g].of
	slots := a.form.batch.Functions[a.form.groups[g].function].Slots
	args := make([]tensor.Value, len(of.Takes), len(of.Takes)+len(a.invariants))
	bytes := int64(0)
	defer func() { a.budget.Release(bytes) }()
	for k, at := range of.Takes {
		v, n, err := a.rowsOf(slots[at], at, batch)
		if err != nil {
			return nil, nil, err
		}
		args[k] = v
		bytes += n
	}
	r, err := a.form.groups[g].run.Call(step, append(args, a.invariants...))
	if err != nil {
		return nil, nil, err
	}
	blocks := make([]*block, len(of.Gives))
	all := &results{Results: r}
	for k, at := range of.Gives {
		v := r.Values[k]
		if v.Rank() == 0 || v.Dims()[0] != int64(len(batch)) || !slices.Equal(v.Dims()[1:], slots[at].Shape) {
			all.Release()
			return nil, nil, status.Errorf(status.Internal, "result %d of a stage has shape %s for %d calls", k, tensor.FormatDims(v.Dims()), len(batch))
		}
		blocks[k] = &block{v, all}
	}
	return all, blocks, nil
}

// rowsOf returns a slot of all calls as one value, and what of it is charged: nothing, where they are
// the rows of one block.
func (a *agenda) rowsOf(s batching.Slot, at int, batch []*instance) (tensor.Value, int64, error) {
	first := batch[0].rows[at]
	whole := first.of.of != nil && first.at == 0 && first.of.value.Dims()[0] == int64(len(batch))
	for k := 1; whole && k < len(batch); k++ {
		whole = batch[k].rows[at] == row{first.of, k}
	}
	if whole {
		return first.of.value, 0, nil
	}
	t, err := tensor.New(s.Type, append([]int64{int64(len(batch))}, s.Shape...)...)
	if err != nil {
		return tensor.Value{}, 0, err
	}
	v := tensor.ValueOf(t)
	bytes := v.TotalBytes()
	if err := a.budget.Charge(bytes); err != nil {
		return tensor.Value{}, 0, err
	}
	to := tensor.Bytes(&v)
	size := len(to) / len(batch)
	for k, i := range batch {
		r := i.rows[at]
		copy(to[k*size:(k+1)*size], tensor.Bytes(&r.of.value)[r.at*size:])
	}
	return v, bytes, nil
}

// advance brings a call to its present stage.
func (a *agenda) advance(i *instance) {
	f := &a.form.batch.Functions[i.function]
	if i.stage == len(f.Stages) {
		a.finish(i, f)
		return
	}
	g := a.form.first[i.function] + i.stage
	if a.form.groups[g].run == nil {
		a.leads(i)
		return
	}
	i.of.tree.ready[g] = append(i.of.tree.ready[g], i)
	a.ready[g]++
}

// leads makes the calls that a stage leads to, after it has run.
func (a *agenda) leads(i *instance) {
	m, stage := i.of, &a.form.batch.Functions[i.function].Stages[i.stage]
	i.waiting = 1
	for s := range stage.Sites {
		if site := &stage.Sites[s]; len(site.Callees) == 0 {
			if !a.read(i, site) {
				a.end(m, outcome{solo, nil})
			}
		} else {
			a.calls(i, site)
		}
		if m.tree.over.what != nothing {
			return
		}
	}
	a.less(i)
}

// less counts a call that i waits for, and has returned.
func (a *agenda) less(i *instance) {
	if i.waiting--; i.waiting == 0 {
		i.stage++
		a.advance(i)
	}
}

// number returns a scalar row.
func (r row) number() int64 {
	v := &r.of.value
	switch v.DType() {
	case tensor.Bool:
		if tensor.Of[bool](v)[r.at] {
			return 1
		}
		return 0
	case tensor.Int32:
		return int64(tensor.Of[int32](v)[r.at])
	}
	return tensor.Of[int64](v)[r.at]
}

// read reads a row of a table. It reports false if there is none.
func (a *agenda) read(i *instance, s *batching.Site) bool {
	table := i.of.begun[s.Table]
	at, n := i.rows[s.Index].number(), table.Dims()[0]
	if s.FromEnd && at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return false
	}
	i.rows[s.Results[0]] = row{&block{value: table}, int(at)}
	return true
}

// calls makes the call of a site.
func (a *agenda) calls(i *instance, s *batching.Site) {
	which := 0
	if s.Pred >= 0 {
		n, last := i.rows[s.Pred].number(), int64(len(s.Callees)-1)
		if n < 0 || n > last { // the last branch of a Case, and what is true of an If
			n = last
		}
		which = int(n)
	}
	depth := i.depth
	if s.Called {
		depth++
	}
	if depth > mostDeep || i.of.tree.count >= mostLive {
		a.end(i.of, outcome{solo, nil})
		return
	}
	c := a.instance(i.of, s.Callees[which])
	c.parent, c.into, c.depth = i, s.Results, depth
	for k, at := range s.Args[which] {
		c.rows[k] = i.rows[at].hold()
	}
	i.waiting++
	a.advance(c)
}

// finish returns a call's results to where it was called.
func (a *agenda) finish(i *instance, f *batching.Function) {
	p, m := i.parent, i.of
	if p == nil {
		for _, at := range f.Results {
			v := i.rows[at].of.value
			if v.Rank() > len(f.Slots[at].Shape) { // it is not an argument as it is
				v = v.OwnRow(i.rows[at].at)
			}
			m.tree.results = append(m.tree.results, v)
		}
		a.end(m, outcome{done, nil})
		return
	}
	for k, at := range f.Results {
		p.rows[i.into[k]] = i.rows[at].hold()
	}
	a.returned(i)
	a.less(p)
}
