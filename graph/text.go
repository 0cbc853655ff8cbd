package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/registry"
)

// TextOptions says how [Graph.Text] writes a graph.
type TextOptions struct {
	// Grouped puts nodes together by frame, then by scope, under headings, and
	// sorts them by name; otherwise they come by id.
	Grouped bool
	// Defaults also writes attributes that have their default value.
	Defaults bool
	// MaxElements is the number of elements beyond which a tensor is written
	// without them; 0 means that all are. Text that lacks some cannot be parsed.
	MaxElements int
	// Nodes restricts the text to these nodes; nil means all, and the functions.
	Nodes []*Node
}

// Text returns the graph in a form to be read, one node a line:
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
// control output is returned as "^name = node". [ParseText] is the inverse, but
// that documentation of functions is left out. A function whose names have
// characters that the form does not is only named in a comment.
func (g *Graph) Text(opts TextOptions) string {
	nodes := opts.Nodes
	if nodes == nil {
		nodes = g.Nodes()
	}
	p := printer{strip: !opts.Defaults, max: opts.MaxElements}
	if opts.Grouped {
		p.groups(nodes)
	} else {
		for _, n := range nodes {
			p.node(n)
		}
	}
	if opts.Nodes == nil {
		p.library(g.lib())
	}
	return string(p.b)
}

// maxLineElements is the largest tensor that [Node.String] shows.
const maxLineElements = 10

// appendNode adds a node as messages show it: one line, without its end.
func appendNode(b []byte, n *Node) []byte {
	p := printer{b: b, strip: true, max: maxLineElements}
	p.node(n)
	return p.b[:len(p.b)-1]
}

type printer struct {
	b     []byte
	strip bool
	max   int
}

func (p *printer) text(s ...string) {
	for _, s := range s {
		p.b = append(p.b, s...)
	}
}

// groups writes nodes by frame and scope.
func (p *printer) groups(nodes []*Node) {
	nodes = slices.Clone(nodes)
	frameOf := func(n *Node) int { return 0 }
	list := []Frame{{Parent: -1}}
	if len(nodes) > 0 {
		// A graph whose frames are not sound is shown without them.
		if f, err := nodes[0].graph.Frames(); err == nil {
			list = f.Frames
			frameOf = func(n *Node) int { return f.FrameOf[n.id] }
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
	scope := func(n *Node) string { return n.name[:strings.LastIndexByte(n.name, '/')+1] }
	slices.SortFunc(nodes, func(a, b *Node) int {
		if c := strings.Compare(path[frameOf(a)], path[frameOf(b)]); c != 0 {
			return c
		}
		if c := strings.Compare(scope(a), scope(b)); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
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

func (p *printer) node(n *Node) {
	p.text(n.name, " = ", n.sig.op.Name, "(")
	sep := ""
	for _, from := range n.self.inputs {
		p.text(sep, TensorID{from.Op.name, from.Index}.inputString())
		sep = ", "
	}
	for _, c := range n.controls {
		p.text(sep, "^", c.name)
		sep = ", "
	}
	p.text(")")
	p.rest(n.device, n.attrsToWrite(p.strip))
	p.text("\n")
}

// rest writes what follows the inputs of a node.
func (p *printer) rest(device string, attrs registry.Attrs) {
	if device != "" {
		p.text(" @", device)
	}
	p.attrs(attrs)
}

// attrs writes attributes in braces, if there are any.
func (p *printer) attrs(attrs registry.Attrs) {
	if len(attrs) == 0 {
		return
	}
	p.text(" {")
	for i := range attrs {
		if i > 0 {
			p.text(", ")
		}
		p.attr(attrs[i : i+1])
	}
	p.text("}")
}

// attr writes one attribute, a long tensor without its values.
func (p *printer) attr(a registry.Attrs) {
	if t := a[0].Value.Tensor; t != nil && p.max > 0 && t.NumElements() > p.max {
		p.text(a[0].Name, "=", fmt.Sprintf("Tensor<type: %v shape: %v ...>", t.DType(), registry.Shape{Dims: t.Dims()}))
		return
	}
	p.text(a.String())
}
