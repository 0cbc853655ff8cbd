package rewrite

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// transposes moves transpositions of images behind what works on images of either layout, where
// they meet others that undo them. Networks that were made for channels first, and came from
// ONNX, transpose each image before a convolution and back behind it; what stands between two
// convolutions, as an activation, a Pad, a sum or a concatenation, can as well be computed
// with channels last, and there be fused into the convolution. Elements are only computed at
// other places, so bits do not change.
//
// Operations that are joined by edges move together, or stay: those that take in transpositions
// in one order, and of which others take out in the other, against transpositions that what
// enters or leaves otherwise would need, counted in elements.
func transposes(w *work) error {
	m := &movement{w: w, parent: map[*graph.Node]*graph.Node{}}
	nodes := w.Nodes()
	if !slices.ContainsFunc(nodes, func(n *graph.Node) bool { return imageOrder(n) != nil }) {
		return nil
	}
	var err error
	if m.open, err = w.unconditional(); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := w.Watch.Steps(4); err != nil {
			return err
		}
		if ok, err := m.moves(n); err != nil {
			return err
		} else if ok {
			m.parent[n] = n
		}
	}
	members, roots := map[*graph.Node][]*graph.Node{}, []*graph.Node(nil)
	for _, n := range nodes {
		if m.parent[n] == nil {
			continue
		}
		for _, from := range n.Inputs() {
			if m.parent[from.Op] != nil && w.together(n, from.Op) {
				m.parent[m.root(from.Op)] = m.root(n)
			}
		}
	}
	for _, n := range nodes {
		if m.parent[n] != nil {
			r := m.root(n)
			if members[r] == nil {
				roots = append(roots, r)
			}
			members[r] = append(members[r], n)
		}
	}
	moved := false
	for _, r := range roots {
		if err := w.Watch.Steps(8 * len(members[r])); err != nil {
			return err
		}
		g := &company{movement: m, nodes: members[r], root: r}
		if !g.choose() || !g.pays() {
			continue
		}
		if err := g.move(); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return w.apply(map[string]rule{"Transpose": transposed})
}

// imageRank is the rank of what is moved: images, one after another.
const imageRank = 4

// An order is a permutation of the dimensions of images.
type order [imageRank]int

// undoes reports whether transposing by o and then by p changes nothing.
func (o order) undoes(p order) bool {
	for i := range p {
		if o[p[i]] != i {
			return false
		}
	}
	return true
}

func (o order) inverse() (p order) {
	for i, at := range o {
		p[at] = i
	}
	return p
}

// imageOrder returns the order of a transposition of images by a constant; nil if n is none.
func imageOrder(n *graph.Node) *order {
	if n.Type() != "Transpose" || len(n.Controls()) > 0 || n.Inputs()[0].DataType().IsRef() || len(n.Inputs()[1].Op.Controls()) > 0 {
		return nil
	}
	perm := permutation(n)
	if len(perm) != imageRank {
		return nil
	}
	return (*order)(perm)
}

// A movement is what is found out about a program for all that moves.
type movement struct {
	w      *work
	open   map[*graph.Node]bool        // nodes that run in every step
	parent map[*graph.Node]*graph.Node // of nodes that may move: union-find
}

func (m *movement) root(n *graph.Node) *graph.Node {
	for m.parent[n] != n {
		m.parent[n] = m.parent[m.parent[n]]
		n = m.parent[n]
	}
	return n
}

// moves reports whether a node works on images in any order, if its constants are changed.
func (m *movement) moves(n *graph.Node) (bool, error) {
	if !m.open[n] || m.w.IsFed(n) || len(n.Controls()) > 0 || !pure(n) {
		return false, nil
	}
	images := 0 // inputs
	switch op := n.Type(); {
	case n.Def().Is(registry.Elementwise):
		for _, from := range n.Inputs() {
			switch ok, err := m.isImage(from); {
			case err != nil:
				return false, err
			case ok:
				images++
			case !m.isScalar(from) && oneLong(from) == nil:
				return false, nil
			}
		}
		if op == "Relu" && images > 0 {
			return m.inEights(n.Inputs()[0])
		}
		return images > 0, nil
	case op == "Pad" || op == "PadV2":
		_, ok := paddings(known(n.Inputs()[1]))
		if !ok || op == "PadV2" && !m.isScalar(n.Inputs()[2]) {
			return false, nil
		}
		return constant(n.Inputs()[0].Op) == nil, nil // of another rank it fails, as transpositions do
	case op == "ConcatV2":
		if _, ok := axisOf(n.Inputs()[n.NumInputs()-1]); !ok {
			return false, nil
		}
		for _, from := range n.Inputs()[:n.NumInputs()-1] {
			if ok, err := m.isImage(from); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	return false, nil
}

// isImage reports whether a value certainly has the rank of images.
func (m *movement) isImage(o graph.Output) (bool, error) {
	s, err := m.w.shape(o)
	return err == nil && s.Known() && s.Rank() == imageRank && constant(o.Op) == nil, err
}

// inEights reports whether a value certainly has a multiple of 8 elements. Of any other number
// Relu treats -0 among the last ones otherwise than in front, as TensorFlow does.
func (m *movement) inEights(o graph.Output) (bool, error) {
	s, err := m.w.shape(o)
	n := int64(1)
	for i := range s.Rank() {
		if d := s.Dim(i); d >= 0 {
			n = n * (d % 8) % 8
		}
	}
	return n == 0, err
}

// isScalar reports whether a value is a constant scalar, which fits images in any order.
func (m *movement) isScalar(o graph.Output) bool {
	t := known(o)
	return t != nil && len(t.Shape()) == 0
}

// known returns the value of a constant that is always alive.
func known(o graph.Output) *tensor.Tensor {
	if len(o.Op.Controls()) > 0 {
		return nil
	}
	return constant(o.Op)
}

// oneLong returns the shape, with the rank of images, of a constant of which at most one
// dimension is not 1, such as a bias for each channel; nil if it is none.
func oneLong(o graph.Output) []int64 {
	t := known(o)
	if t == nil || len(t.Shape()) > imageRank {
		return nil
	}
	dims := []int64{1, 1, 1, 1}
	long := 0
	for i, d := range t.Shape() {
		if dims[imageRank-len(t.Shape())+i] = d; d != 1 {
			long++
		}
	}
	if long > 1 {
		return nil
	}
	return dims
}

// axisOf returns the dimension of images that a constant names.
func axisOf(o graph.Output) (int, bool) {
	t := known(o)
	if t == nil || len(t.Shape()) != 0 || t.DType() != tensor.Int32 && t.DType() != tensor.Int64 {
		return 0, false
	}
	x, _ := numberOf(o.Op)
	at := int(x.value)
	if at < 0 {
		at += imageRank
	}
	return at, at >= 0 && at < imageRank
}

// A company is nodes that move together: what they put out is, in the graph, what they will
// put out transposed by the order.
type company struct {
	*movement
	nodes []*graph.Node
	root  *graph.Node
	order order
	by    map[graph.Output]graph.Output // what moved nodes take in place of what they took
	perms [2]graph.Output               // constants: order, and its inverse
}

func (g *company) has(n *graph.Node) bool { return g.parent[n] != nil && g.movement.root(n) == g.root }

// elements guesses how many elements a value has.
func (g *company) elements(o graph.Output) int {
	s, n := g.w.Claimed(o), 1
	if !s.Known() {
		return 1 << 20
	}
	for i := range s.Rank() {
		d := int(s.Dim(i))
		if d < 0 {
			d = 64
		}
		if d > 0 && n > math.MaxInt32/d {
			return math.MaxInt32
		}
		n *= d
	}
	return n
}

// choose finds the order in which most elements enter, or, if none do, that from which most leave;
// false if none do either.
func (g *company) choose() bool {
	sizes, most := map[order]int{}, 0
	for _, n := range g.nodes {
		for _, from := range n.Inputs() {
			if p := imageOrder(from.Op); p != nil && !goes(from.Op) {
				sizes[*p] += g.elements(from)
				if sizes[*p] > most {
					most, g.order = sizes[*p], *p
				}
			}
		}
	}
	if most > 0 {
		return true
	}
	for _, n := range g.nodes {
		for e := range n.Out() {
			if e.IsControl() {
				continue
			}
			if p := imageOrder(e.To.Op); p != nil {
				sizes[*p] += g.elements(n.Output(0))
				if sizes[*p] > most {
					most, g.order = sizes[*p], p.inverse()
				}
			}
		}
	}
	return most > 0
}

// pays reports whether fewer elements are transposed if the nodes move.
func (g *company) pays() bool {
	less, more := 0, 0
	entered := map[graph.Output]bool{}
	for _, n := range g.nodes {
		for _, from := range n.Inputs() {
			if g.has(from.Op) || constant(from.Op) != nil || entered[from] {
				continue
			}
			entered[from] = true
			switch p := imageOrder(from.Op); {
			case p == nil || *p != g.order:
				more += g.elements(from)
			case goes(from.Op):
				if before := from.Op.Inputs()[0].Op; !g.w.Keeps(before) && onlyTo(before, goes) {
					more += g.elements(from)
				}
			case g.onlyHere(from.Op):
				less += g.elements(from)
			}
		}
		stays := g.w.IsFetched(n.Output(0))
		for e := range n.Out() {
			if e.IsControl() || g.has(e.To.Op) {
				continue
			}
			switch p := imageOrder(e.To.Op); {
			case p == nil || !g.order.undoes(*p):
				stays = true
			case g.w.Keeps(e.To.Op) || !onlyTo(e.To.Op, nobody): // or nothing takes it any more
				less += g.elements(n.Output(0))
			}
		}
		if stays {
			more += g.elements(n.Output(0))
		}
	}
	return less > more
}

// onlyHere reports whether only the nodes that move take what another puts out.
func (g *company) onlyHere(n *graph.Node) bool { return !g.w.Keeps(n) && onlyTo(n, g.has) }

// onlyTo reports whether only such nodes take what n puts out.
func onlyTo(n *graph.Node, such func(*graph.Node) bool) bool {
	for e := range n.Out() {
		if e.IsControl() || !such(e.To.Op) {
			return false
		}
	}
	return true
}

func nobody(*graph.Node) bool { return false }

// goes reports whether a transposition undoes the one before it, as where nodes that have moved
// put out what it takes: neither will be computed.
func goes(n *graph.Node) bool {
	p := imageOrder(n)
	if p == nil {
		return false
	}
	before := imageOrder(n.Inputs()[0].Op)
	return before != nil && before.undoes(*p)
}

// move puts nodes that work in the other order in place of all.
func (g *company) move() error {
	g.by = map[graph.Output]graph.Output{}
	for i, p := range []order{g.order, g.order.inverse()} {
		perm := make([]int32, imageRank)
		for j, at := range p {
			perm[j] = int32(at)
		}
		t, err := tensor.FromSlice(perm, imageRank)
		if err != nil {
			return err
		}
		if g.perms[i], err = g.constant(g.nodes[0], "/order", t); err != nil {
			return err
		}
	}
	seen := map[*graph.Node]bool{}
	var stack []*graph.Node // operands first; not by calls, which could be as deep as the graph
	for _, n := range g.nodes {
		stack = append(stack, n)
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			if !seen[n] {
				seen[n] = true
				for _, from := range n.Inputs() {
					if g.has(from.Op) && !seen[from.Op] {
						stack = append(stack, from.Op)
					}
				}
				continue
			}
			stack = stack[:len(stack)-1]
			if _, done := g.by[n.Output(0)]; !done {
				if err := g.moveOne(n); err != nil {
					return err
				}
			}
		}
	}
	for _, n := range g.nodes { // while all are there, what is claimed of them is known
		if err := g.w.Watch.Step(); err != nil {
			return err
		}
		by := g.by[n.Output(0)]
		with := by
		if g.leaves(n) {
			var err error
			if with, err = g.transpose(n, by, g.perms[0]); err != nil {
				return err
			}
			g.w.Claim(with.Op, g.w.Claimed(n.Output(0)))
		}
		name := n.Name()
		if err := g.w.Replace(n, with); err != nil {
			return err
		}
		if err := g.w.Rename(by.Op, name); err != nil {
			return err
		}
	}
	return nil
}

// leaves reports whether others than the nodes that move take what n puts out.
func (g *company) leaves(n *graph.Node) bool {
	if g.w.IsFetched(n.Output(0)) {
		return true
	}
	for e := range n.Out() {
		if !e.IsControl() && !g.has(e.To.Op) {
			return true
		}
	}
	return false
}

// moveOne adds the node that is to take the place of n.
func (g *company) moveOne(n *graph.Node) error {
	spec := graph.CopySpec{Name: g.w.UniqueName(n.Name()), Device: n.Device(), Inputs: make([]graph.Output, n.NumInputs())}
	for i, from := range n.Inputs() {
		to, err := g.input(n, i, from)
		if err != nil {
			return err
		}
		spec.Inputs[i] = to
	}
	by, err := g.w.AddCopy(n, spec)
	if err != nil {
		return err
	}
	g.w.Claim(by, g.ordered(g.w.Claimed(n.Output(0))))
	g.by[n.Output(0)] = by.Output(0)
	return nil
}

// ordered returns the shape of an image before it is transposed.
func (g *company) ordered(s shape.Shape) shape.Shape {
	if !s.Known() || s.Rank() != imageRank {
		return s
	}
	dims := make([]int64, imageRank)
	for i, at := range g.order {
		dims[at] = s.Dim(i)
	}
	return shape.Of(dims...)
}

// input returns what a moved node takes in place of input i of n.
func (g *company) input(n *graph.Node, i int, from graph.Output) (graph.Output, error) {
	if t := known(from); t != nil {
		return g.setting(n, i, t)
	}
	if to, ok := g.by[from]; ok {
		return to, nil
	}
	to, err := graph.Output{}, error(nil)
	if p := imageOrder(from.Op); p != nil && *p == g.order {
		to = from.Op.Inputs()[0]
	} else if to, err = g.transpose(from.Op, from, g.perms[1]); err != nil {
		return to, err
	}
	g.by[from] = to
	return to, nil
}

// setting returns what takes the place of a constant input.
func (g *company) setting(n *graph.Node, i int, t *tensor.Tensor) (graph.Output, error) {
	from := n.Inputs()[i]
	switch op := n.Type(); {
	case op == "ConcatV2":
		at, _ := axisOf(from)
		v, err := tensor.NewTensor(int32(g.order[at]))
		if t.DType() == tensor.Int64 {
			v, err = tensor.NewTensor(int64(g.order[at]))
		}
		if err != nil {
			return from, err
		}
		return g.constant(n, "/axis", v)
	case len(t.Shape()) == 0:
		return from, nil
	case op == "Pad" || op == "PadV2":
		was, _ := paddings(t)
		is := make([]int64, len(was))
		for i, at := range g.order {
			copy(is[2*at:2*at+2], was[2*i:])
		}
		v, err := tensor.FromSlice(is, imageRank, 2)
		if t.DType() == tensor.Int32 {
			narrow := make([]int32, len(is))
			for i, x := range is {
				narrow[i] = int32(x)
			}
			v, err = tensor.FromSlice(narrow, imageRank, 2)
		}
		if err != nil {
			return from, err
		}
		return g.constant(n, "/paddings", v)
	}
	was := oneLong(from)
	is := make([]int64, imageRank)
	for i, at := range g.order {
		is[at] = was[i]
	}
	v := tensor.ValueOf(t).Share()
	return g.constant(n, "/operand", v.Reshaped(is).Compact().Tensor())
}

// constant adds a constant for n.
func (g *company) constant(n *graph.Node, suffix string, t *tensor.Tensor) (graph.Output, error) {
	spec := constantSpec(t, nil)
	spec.Name, spec.Device = g.w.UniqueName(n.Name()+suffix), n.Device()
	c, err := g.w.Add(spec)
	if err != nil {
		return graph.Output{}, err
	}
	return c.Output(0), nil
}

// transpose adds a transposition of a value of n, or of what takes its place.
func (g *company) transpose(n *graph.Node, o, perm graph.Output) (graph.Output, error) {
	t, err := g.w.Add(graph.OpSpec{Type: "Transpose", Name: g.w.UniqueName(n.Name() + "/transposed"), Device: n.Device(), Input: []graph.Input{o, perm}})
	if err != nil {
		return graph.Output{}, err
	}
	return t.Output(0), nil
}
