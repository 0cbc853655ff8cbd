package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
)

// Options says how [Format] writes a graph.
type Options struct {
	// Grouped puts nodes together by frame, then by scope, under headings, and
	// sorts them by name; otherwise they come by id.
	Grouped bool
	// Defaults also writes attributes that have their default value.
	Defaults bool
	// MaxElements is the number of elements beyond which a tensor is written
	// without them; 0 means that all are. Text that lacks some cannot be parsed.
	MaxElements int
	// Nodes restricts the text to these nodes; nil means all, and the functions.
	Nodes []*graph.Node
}

// Format returns the graph in a form to be read, one node a line:
//
//	x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,?]}
//	c = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2] values: 1 2.5>}
//	y = AddV2(x, c, ^init) @/device:CPU:0 {T=DT_FLOAT}
//	s = Switch(y, p) {T=DT_FLOAT}
//	i = Identity(s:1) {T=DT_FLOAT}
//
// Attributes are written as [registry.Attrs.String] writes them, and '#' begins
// a comment. Functions follow, in which inputs are in the form that functions
// have, and $T stands for the function's attribute T:
//
//	func Twice[T: {float, int32}](x: T) -> (y: T) {
//	  two = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
//	  scale = Cast(two:output:0) {DstT=$T, SrcT=DT_INT32}
//	  y = Mul(x, scale:y:0) {T=$T}
//	  return y = y:z:0
//	}
//	gradient Twice = TwiceGrad
//
// A function that has effects is a "stateful func"; braces after an argument
// and after the results are attributes of the argument and of the function; a
// control output is returned as "^name = node". [Parse] is the inverse, but
// that documentation of functions is left out. A function whose names have
// characters that the form does not is only named in a comment.
func Format(g *graph.Graph, opts Options) string {
	nodes := opts.Nodes
	if nodes == nil {
		nodes = g.Nodes()
	}
	p := printer{format: graph.LineFormat{Defaults: opts.Defaults, MaxElements: opts.MaxElements}}
	if opts.Grouped {
		p.groups(nodes)
	} else {
		for _, n := range nodes {
			p.node(n)
		}
	}
	if opts.Nodes == nil {
		p.library(g)
	}
	return string(p.b)
}

type printer struct {
	b      []byte
	format graph.LineFormat
}

func (p *printer) text(s ...string) {
	for _, s := range s {
		p.b = append(p.b, s...)
	}
}

// groups writes nodes by frame and scope.
func (p *printer) groups(nodes []*graph.Node) {
	nodes = slices.Clone(nodes)
	frameOf := func(n *graph.Node) int { return 0 }
	list := []graph.Frame{{Parent: -1}}
	if len(nodes) > 0 {
		// A graph whose frames are not sound is shown without them.
		if f, err := nodes[0].Graph().Frames(); err == nil {
			list = f.Frames
			frameOf = func(n *graph.Node) int { return f.FrameOf[n.ID()] }
		}
	}
	// Frames by their names from the outermost on, which unlike their numbers
	// do not depend on the order of nodes.
	path := make([]string, len(list))
	for i, f := range list {
		if f.Parent >= 0 {
			path[i] = path[f.Parent] + "/" + strconv.Quote(f.Name)
		}
	}
	scope := func(n *graph.Node) string { return n.Name()[:strings.LastIndexByte(n.Name(), '/')+1] }
	sorted.By(nodes, func(a, b *graph.Node) int {
		if c := strings.Compare(path[frameOf(a)], path[frameOf(b)]); c != 0 {
			return c
		}
		if c := strings.Compare(scope(a), scope(b)); c != 0 {
			return c
		}
		return strings.Compare(a.Name(), b.Name())
	})
	for i, n := range nodes {
		if i == 0 || path[frameOf(n)] != path[frameOf(nodes[i-1])] || scope(n) != scope(nodes[i-1]) {
			if i > 0 {
				p.text("\n")
			}
			if frame := path[frameOf(n)]; frame != "" || scope(n) != "" {
				p.text("#")
				if frame != "" {
					p.text(" frame ", frame[1:])
				}
				if scope(n) != "" {
					p.text(" scope ", scope(n))
				}
				p.text("\n")
			}
		}
		p.node(n)
	}
}

func (p *printer) node(n *graph.Node) {
	p.b = append(p.format.AppendNode(p.b, n), '\n')
}

func (p *printer) attrs(attrs registry.Attrs) { p.b = p.format.AppendAttrs(p.b, attrs) }
