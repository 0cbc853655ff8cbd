package batching

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// Calls is the programs of a recursion for arguments of given shapes.
type Calls struct {
	// Roles are those of the arguments of the first call: Invariant, Row, Table, or Kept for what
	// nothing uses.
	Roles []Role
	// Invariants are the arguments that each program takes behind its rows; those with a Value are
	// constants.
	Invariants []int
	Functions  []Function // the one that is called first
	Products   int        // of rows and invariants, in all stages
	Weights    int64      // bytes of these invariants
}

// mostCached is the size of weights that stay in a core's second cache.
const mostCached = 256 << 10

// Worthwhile reports whether the calls are worth batching: there is nothing to gain by reading weights
// once for several calls that stay in the cache between them.
func (c *Calls) Worthwhile() bool { return c.Weights > mostCached }

// A Function is one that is called, as stages, which are divided by the calls in it.
type Function struct {
	Name string
	// Args are the arguments of the function that are rows: they are the first Slots.
	Args []int
	// Slots are the values of a call that outlive a stage: its arguments, and what stages and
	// calls in it return.
	Slots  []Slot
	Stages []Stage
	// Results are where the function's results are after the last stage.
	Results []int
}

// A Slot is a row of a call.
type Slot struct {
	Type  tensor.DType
	Shape []int64
}

// A Stage is a straight program, and the calls that it leads to.
type Stage struct {
	// Program takes rows, then Invariants; without a Graph there is nothing to compute.
	Program
	Takes, Gives []int // slots
	Products     int
	Sites        []Site
}

// A Site calls a function, or one of several, or reads a row of a table.
type Site struct {
	// Callees are the functions to choose from, by the number, or the truth, in slot Pred, which
	// is -1 if there is no choice. Of each, Args are the slots of its own Args.
	Pred    int
	Callees []int
	Called  bool // it is a call in the graph, not a branch: calls that are too deep fail
	Args    [][]int
	Results []int // slots

	// A read has no Callees.
	Table   int // the argument of the first call
	Index   int // a slot
	FromEnd bool
}

// Build makes the programs for arguments of these shapes. A dimension that is not known counts as
// 1. It fails with UNIMPLEMENTED and the reason where it cannot.
func (r *Recursion) Build(args []Arg) (*Calls, error) {
	b := &calls{Recursion: r, args: args, roles: make([]Role, len(args))}
	tables := make([]bool, len(args))
	for i := range args {
		tables[i] = !args[i].Invariant && args[i].Shape.Known() && args[i].Shape.Rank() > 0
	}
	for {
		if err := b.assign(tables); err != nil {
			return nil, err
		}
		c, err := b.build()
		if i := b.noTable; i >= 0 {
			tables[i] = false
			continue
		}
		return c, err
	}
}

// calls is the work of Build.
type calls struct {
	*Recursion
	args    []Arg
	roles   []Role
	shapes  [][][]int64 // of each function's arguments that are rows; nil: not known yet
	results [][][]int64 // of each function's results; nil: not known yet
	noTable int         // an argument that is no table after all; -1: none
}

// role returns that of an argument of a function.
func (b *calls) role(c *callee, i int) Role {
	if from := c.origin[i]; from >= 0 {
		return b.roles[from]
	}
	return Row
}

// assign gives each argument of the first call its role. One that may be a table is one if it is
// only read.
func (b *calls) assign(tables []bool) error {
	used := make([]bool, len(b.args))
	for _, c := range b.functions {
		for i, from := range c.origin {
			if from < 0 {
				continue
			}
			arg := func(o graph.Output) bool { return through(o) == c.args[i] }
			for _, n := range c.nodes {
				if n.Class() == graph.ClassIdentity {
					continue
				}
				callees := c.sites[n]
				if chooses(n) && arg(n.Inputs()[0]) {
					used[from], tables[from] = true, false
				}
				for k, o := range passed(n) {
					if !arg(o) {
						continue
					}
					if callees == nil {
						used[from] = true
						r, ok := c.reads[n]
						tables[from] = tables[from] && k == 0 && ok && r.arg == i
					}
					for _, at := range callees {
						tables[from] = tables[from] && b.functions[at].origin[k] == from
						used[from] = used[from] || b.functions[at].origin[k] != from
					}
				}
			}
			for _, o := range c.results {
				if arg(o) {
					used[from], tables[from] = true, false
				}
			}
		}
	}
	for i := range b.args {
		a := &b.args[i]
		switch {
		case a.Invariant && b.functions[0].origin[i] == i:
			b.roles[i] = Invariant
		case !used[i] && b.functions[0].origin[i] == i:
			b.roles[i] = Kept
		case tables[i] && b.functions[0].origin[i] == i:
			b.roles[i] = Table
		default:
			b.roles[i] = Row
			switch t := b.Types[i]; {
			case t.HasPointers():
				return reject("argument %d is a %v that may differ between callers", i, t)
			case !a.Shape.Known():
				return reject("the rank of argument %d is not known", i)
			case empty(a.Shape):
				return reject("argument %d has no elements", i)
			}
		}
	}
	return nil
}

// build makes the programs of all functions again and again, until the shapes of what they take
// and return do not change.
func (b *calls) build() (*Calls, error) {
	b.noTable = -1
	b.shapes, b.results = make([][][]int64, len(b.functions)), make([][][]int64, len(b.functions))
	for i, c := range b.functions {
		b.shapes[i], b.results[i] = make([][]int64, len(c.args)), make([][]int64, len(c.results))
	}
	for i := range b.args {
		if b.roles[i] == Row {
			b.shapes[0][i] = known(b.args[i].Shape)
		}
	}
	for {
		before := b.known()
		c := &Calls{Roles: slices.Clone(b.roles)}
		for i := range b.args {
			if b.roles[i] == Invariant && b.args[i].Value == nil {
				c.Invariants = append(c.Invariants, i)
			}
		}
		missing := ""
		for i := range b.functions {
			w := &stages{b: b, c: b.functions[i], at: i, to: c}
			f, err := w.function()
			if err != nil || b.noTable >= 0 {
				return nil, err
			}
			if w.missing != "" && missing == "" {
				missing = w.missing
			}
			c.Functions = append(c.Functions, f)
		}
		if b.known() > before {
			continue
		}
		if missing != "" {
			return nil, reject("%s", missing)
		}
		for _, f := range c.Functions {
			for _, s := range f.Stages {
				c.Products += s.Products
			}
		}
		if c.Products == 0 {
			return nil, reject("no product of a row and an invariant")
		}
		return c, nil
	}
}

// known counts the shapes that are known.
func (b *calls) known() (n int) {
	for _, lists := range [][][][]int64{b.shapes, b.results} {
		for _, list := range lists {
			for _, s := range list {
				if s != nil {
					n++
				}
			}
		}
	}
	return n
}

// learn notes a shape, and reports whether it is the one that is known.
func learn(to *[]int64, s []int64) bool {
	if *to == nil {
		*to = append([]int64{}, s...)
	}
	return equal(*to, s)
}

// stages makes the stages of one function.
type stages struct {
	b       *calls
	c       *callee
	at      int
	to      *Calls
	f       Function
	slots   map[graph.Output]int
	level   map[*graph.Node]int // the stage that computes a node, or leads to a call
	wanted  map[*graph.Node]bool
	fixed   map[*graph.Node]bool
	missing string // what is not known yet

	// Of the stage that is being made.
	stage   *Stage
	s       *stacker
	values  map[graph.Output]value
	invFeed map[int]graph.Output
	takes   []graph.Output
	spreads map[graph.Output]int
}

// function returns the function, as far as shapes are known.
func (w *stages) function() (Function, error) {
	w.f.Name = w.c.name
	w.slots, w.level = map[graph.Output]int{}, map[*graph.Node]int{}
	w.wanted, w.fixed = map[*graph.Node]bool{}, map[*graph.Node]bool{}
	for i, a := range w.c.args {
		if w.b.role(w.c, i) != Row {
			continue
		}
		if w.b.shapes[w.at][i] == nil {
			w.missing = fmt.Sprintf("the shape of argument %d of function '%s' is not known", i, w.c.name)
			return w.f, nil
		}
		w.f.Args = append(w.f.Args, i)
		w.slot(a, w.b.shapes[w.at][i])
	}
	last := w.levels()
	needed := w.needed()
	for k := 0; k <= last && w.missing == ""; k++ {
		if err := w.one(k, k == last, needed); err != nil {
			return w.f, err
		}
	}
	return w.f, nil
}

// slot gives a value a slot.
func (w *stages) slot(o graph.Output, dims []int64) int {
	i := w.temporary(o, dims)
	w.slots[o] = i
	return i
}

func (w *stages) temporary(o graph.Output, dims []int64) int {
	w.f.Slots = append(w.f.Slots, Slot{o.DataType(), dims})
	return len(w.f.Slots) - 1
}

// site reports whether a node divides stages.
func (w *stages) site(n *graph.Node) bool {
	_, called := w.c.sites[n]
	return called || w.reading(n)
}

func (w *stages) reading(n *graph.Node) bool {
	r, ok := w.c.reads[n]
	return ok && w.b.role(w.c, r.arg) == Table
}

// levels finds the stage of each node that the results need, and returns the last.
func (w *stages) levels() (last int) {
	for _, r := range w.c.results {
		w.wanted[r.Op] = true
	}
	for _, n := range slices.Backward(w.c.nodes) {
		if w.wanted[n] {
			for _, in := range w.inputs(n) {
				w.wanted[in.Op] = true
			}
		}
	}
	of := func(o graph.Output) int {
		n := o.Op
		if w.site(n) {
			return w.level[n] + 1
		}
		return w.level[n]
	}
	for _, n := range w.c.nodes {
		if !w.wanted[n] {
			continue
		}
		l := 0
		for _, in := range w.inputs(n) {
			l = max(l, of(in))
		}
		w.level[n] = l
	}
	for _, r := range w.c.results {
		last = max(last, of(r))
	}
	return last
}

// inputs returns what a node takes: of a read its index, and of a site what are rows.
func (w *stages) inputs(n *graph.Node) (list []graph.Output) {
	if w.reading(n) {
		return []graph.Output{w.c.reads[n].index}
	}
	callees, ok := w.c.sites[n]
	if !ok {
		return n.Inputs()
	}
	if chooses(n) {
		list = append(list, n.Inputs()[0])
	}
	for i, o := range passed(n) {
		for _, at := range callees {
			if w.b.role(w.b.functions[at], i) == Row {
				list = append(list, o)
				break
			}
		}
	}
	return list
}

// needed returns the values that a stage computes for later ones, for calls, or as results.
func (w *stages) needed() map[graph.Output]bool {
	needed := map[graph.Output]bool{}
	for _, n := range w.c.nodes {
		if !w.wanted[n] {
			continue
		}
		for _, in := range w.inputs(n) {
			if w.site(n) || w.level[in.Op] < w.level[n] {
				needed[in] = true
			}
		}
	}
	for _, r := range w.c.results {
		needed[r] = true
	}
	return needed
}

// one makes stage k.
func (w *stages) one(k int, last bool, needed map[graph.Output]bool) error {
	w.f.Stages = append(w.f.Stages, Stage{})
	w.stage = &w.f.Stages[k]
	w.s, w.values, w.invFeed, w.takes, w.spreads = newStacker(), map[graph.Output]value{}, map[int]graph.Output{}, nil, map[graph.Output]int{}
	var given []graph.Output // in the batch
	give := func(o graph.Output, v value) {
		w.stage.Gives = append(w.stage.Gives, w.slot(o, v.shape))
		given = append(given, v.out)
	}
	for _, n := range w.c.nodes {
		if !w.wanted[n] || w.site(n) || w.level[n] != k && !w.fixed[n] {
			continue
		}
		outs, err := w.node(n)
		if err != nil {
			return err
		}
		if w.missing != "" {
			return nil
		}
		fixed := true
		for i, v := range outs {
			o := n.Output(i)
			fixed = fixed && v.role == Invariant
			if needed[o] && v.role == Row {
				give(o, v)
			}
		}
		w.fixed[n] = fixed
	}
	// spread gives a value that is the same for all rows a slot, if it has none.
	spread := func(o graph.Output) (int, error) {
		v, err := w.value(o)
		if err != nil || w.missing != "" {
			return 0, err
		}
		if v.role == Row {
			return w.slots[o], nil
		}
		if at, ok := w.spreads[o]; ok {
			return at, nil
		}
		if err := w.row(); err != nil {
			return 0, err
		}
		if !shapeOf(v.ref).Full() {
			return 0, reject("the shape of %s is not known, of function '%s'", o.Op.Name(), w.c.name)
		}
		v, reason := w.s.spread(v, shapeOf(v.ref).Dims())
		if reason != "" {
			return 0, reject("%s", reason)
		}
		at := w.temporary(o, v.shape)
		w.spreads[o] = at
		w.stage.Gives, given = append(w.stage.Gives, at), append(given, v.out)
		return at, nil
	}
	for _, n := range w.c.nodes {
		if !w.wanted[n] || !w.site(n) || w.level[n] != k {
			continue
		}
		site, err := w.siteOf(n, spread)
		if err != nil || w.b.noTable >= 0 {
			return err
		}
		if w.missing != "" {
			return nil
		}
		w.stage.Sites = append(w.stage.Sites, site)
	}
	if last {
		for i, o := range w.c.results {
			at, err := spread(o)
			if err != nil || w.missing != "" {
				return err
			}
			w.f.Results = append(w.f.Results, at)
			if !learn(&w.b.results[w.at][i], w.f.Slots[at].Shape) {
				return reject("result %d of function '%s' has the shapes %s and %s", i, w.c.name,
					tensor.FormatDims(w.b.results[w.at][i]), tensor.FormatDims(w.f.Slots[at].Shape))
			}
		}
	}
	if w.missing != "" {
		return nil
	}
	return w.finish(given)
}

// finish makes the stage's program.
func (w *stages) finish(given []graph.Output) error {
	if len(given) == 0 && len(w.s.checks) == 0 {
		return w.s.err()
	}
	if err := w.row(); err != nil { // for the number of rows
		return err
	}
	p := &w.stage.Program
	p.Graph = w.s.stacked.Graph()
	for _, o := range w.takes {
		w.stage.Takes = append(w.stage.Takes, w.slots[o])
		p.Feeds = append(p.Feeds, w.values[o].out)
	}
	for _, i := range w.to.Invariants {
		p.Feeds = append(p.Feeds, w.invariant(i).out)
	}
	for _, o := range given {
		p.Fetches = append(p.Fetches, w.s.own(o))
	}
	w.s.unread(p)
	w.stage.Products = w.s.products
	w.to.Weights += w.s.weights
	return w.s.err()
}

// row makes sure that the stage takes a row.
func (w *stages) row() error {
	if w.s.rows.Op != nil {
		return nil
	}
	for i, a := range w.c.args {
		if w.b.role(w.c, i) == Row {
			_, err := w.value(a)
			return err
		}
	}
	return reject("function '%s' takes no rows", w.c.name)
}

// node adds a node of the function to the stage.
func (w *stages) node(n *graph.Node) ([]value, error) {
	in, refs := make([]value, n.NumInputs()), make([]graph.Output, n.NumInputs())
	for i, from := range n.Inputs() {
		v, err := w.value(from)
		if err != nil || w.missing != "" {
			return nil, err
		}
		in[i], refs[i] = v, v.ref
	}
	if err := w.s.err(); err != nil {
		return nil, err
	}
	ref, err := w.s.copy(w.s.single, n, refs)
	if err != nil {
		return nil, reject("%v", err)
	}
	outs := w.s.node(ref, in, false)
	for i, v := range outs {
		if v.role == Kept {
			return nil, reject("in function '%s': %s", w.c.name, v.reason)
		}
		v.ref = ref.Output(i)
		outs[i] = v
		w.values[n.Output(i)] = v
	}
	return outs, w.s.err()
}

// value returns a value of the function in the stage.
func (w *stages) value(o graph.Output) (value, error) {
	if v, ok := w.values[o]; ok {
		return v, nil
	}
	if at, ok := w.slots[o]; ok {
		s := w.f.Slots[at]
		v := value{role: Row, shape: s.Shape}
		v.ref = w.s.placeholder(w.s.single, s.Type, shape.Of(s.Shape...))
		v.out = w.s.placeholder(w.s.stacked, s.Type, shape.Of(append([]int64{-1}, s.Shape...)...))
		if w.s.rows.Op == nil {
			w.s.rows = v.out
		}
		w.takes = append(w.takes, o)
		w.values[o] = v
		return v, w.s.err()
	}
	for i, a := range w.c.args {
		if a == o && w.b.role(w.c, i) == Invariant {
			v := w.invariant(w.c.origin[i])
			w.values[o] = v
			return v, w.s.err()
		}
	}
	if w.missing == "" {
		w.missing = fmt.Sprintf("what %s (%s) of function '%s' returns does not follow from its arguments", o.Op.Name(), o.Op.Type(), w.c.name)
	}
	return value{}, nil
}

// invariant returns an argument of the first call, which is the same for all rows.
func (w *stages) invariant(i int) value {
	arg := &w.b.args[i]
	if arg.Value != nil {
		return value{ref: w.s.single.Const(arg.Value), out: w.s.stacked.Const(arg.Value)}
	}
	if o, ok := w.invFeed[i]; ok {
		return value{ref: o, out: w.values[o].out}
	}
	var v value
	if t := w.b.Types[i]; t == tensor.Resource {
		if arg.Handle.Type == tensor.Invalid {
			w.s.fail("what the resource of argument %d holds is not known", i)
			arg.Handle.Type = tensor.Float
		}
		attrs := graph.Attrs{"dtype": arg.Handle.Type, "shape": registry.ShapeAttr(arg.Handle.Shape.Attr()), "shared_name": fmt.Sprint("argument ", i)}
		v = value{ref: w.s.single.Op("VarHandleOp", attrs), out: w.s.stacked.Op("VarHandleOp", attrs)}
	} else {
		v = value{ref: w.s.placeholder(w.s.single, t, arg.Shape), out: w.s.placeholder(w.s.stacked, t, arg.Shape)}
	}
	w.invFeed[i], w.values[v.ref] = v.ref, v
	return v
}

// siteOf returns a site of the stage. spread returns the slot of a value.
func (w *stages) siteOf(n *graph.Node, spread func(graph.Output) (int, error)) (Site, error) {
	s := Site{Pred: -1, Called: n.Callee() != nil}
	if w.reading(n) {
		r := w.c.reads[n]
		at, err := spread(r.index)
		if err != nil || w.missing != "" {
			return s, err
		}
		s.Table, s.Index, s.FromEnd = w.c.origin[r.arg], at, r.fromEnd
		dims := known(w.b.args[s.Table].Shape)
		if len(w.f.Slots[at].Shape) != 0 || slices.Contains(dims[1:], 0) {
			w.b.noTable = s.Table
			return s, nil
		}
		s.Results = []int{w.slot(n.Output(0), dims[1:])}
		return s, nil
	}
	s.Callees = w.c.sites[n]
	if chooses(n) {
		at, err := spread(n.Inputs()[0])
		if err != nil || w.missing != "" {
			return s, err
		}
		if p := w.f.Slots[at]; len(p.Shape) != 0 || p.Type != tensor.Bool && p.Type != tensor.Int32 {
			return s, reject("the condition of %s (%s) is a %v of shape %s", n.Name(), n.Type(), p.Type, tensor.FormatDims(p.Shape))
		}
		s.Pred = at
	}
	in := passed(n)
	for _, at := range s.Callees {
		to := w.b.functions[at]
		var list []int
		for i, o := range in {
			if w.b.role(to, i) != Row {
				continue
			}
			at1, err := spread(o)
			if err != nil || w.missing != "" {
				return s, err
			}
			if list = append(list, at1); !learn(&w.b.shapes[at][i], w.f.Slots[at1].Shape) {
				return s, reject("argument %d of function '%s' has the shapes %s and %s", i, to.name,
					tensor.FormatDims(w.b.shapes[at][i]), tensor.FormatDims(w.f.Slots[at1].Shape))
			}
		}
		s.Args = append(s.Args, list)
	}
	for i := range n.NumOutputs() {
		var dims []int64
		for _, at := range s.Callees {
			r := w.b.results[at][i]
			if r == nil {
				continue
			}
			if !learn(&dims, r) {
				return s, reject("result %d of %s (%s) has the shapes %s and %s", i, n.Name(), n.Type(), tensor.FormatDims(dims), tensor.FormatDims(r))
			}
		}
		if dims == nil {
			continue // which later nodes find missing
		}
		s.Results = append(s.Results, w.slot(n.Output(i), dims))
	}
	if len(s.Results) < n.NumOutputs() {
		w.missing = fmt.Sprintf("the shape of what %s (%s) returns does not follow from its arguments", n.Name(), n.Type())
		// Other functions may be built with what is known.
	}
	return s, nil
}
