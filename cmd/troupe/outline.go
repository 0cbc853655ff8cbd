package main

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
)

// An outline is a graph's nodes by frame, and within a frame by scope.
type outline struct {
	name   string // what nodes are known under in a drawing; "" for the graph itself
	title  string // of a function's body
	nodes  []*graph.Node
	frames []*box // the root first, parents before children
}

// A box is one frame: the nodes that run in it, with the Enters that lead into
// it, and the frames within.
type box struct {
	name     string
	parallel int64 // parallel_iterations; 0 for the root
	scopes   []scope
	within   []*box
}

// A scope is the nodes of a frame whose names begin alike, up to the last slash.
type scope struct {
	name  string // with the slash; "" for nodes without
	nodes []*graph.Node
}

// newOutline groups the nodes of a graph. With an error the frames could not
// be told apart and everything is in the root.
func newOutline(g *troupe.Graph) (*outline, error) {
	o := &outline{nodes: g.Nodes(), frames: []*box{{}}}
	frames, err := g.Frames()
	if err != nil {
		frames = nil
	} else {
		for i, f := range frames.Frames[1:] {
			b := &box{name: f.Name}
			o.frames = append(o.frames, b)
			parent := o.frames[f.Parent]
			parent.within = append(parent.within, o.frames[i+1])
		}
	}
	members := make([]map[string][]*graph.Node, len(o.frames))
	for i := range members {
		members[i] = map[string][]*graph.Node{}
	}
	for i, n := range o.nodes {
		at := 0
		if frames != nil {
			at = frames.FrameOf[i]
			if in := frames.Entered[i]; in >= 0 {
				at = in
				if v := n.Attrs().Find("parallel_iterations"); v != nil {
					o.frames[in].parallel = v.I
				}
			}
		}
		name := n.Name()[:strings.LastIndexByte(n.Name(), '/')+1]
		members[at][name] = append(members[at][name], n)
	}
	for i, b := range o.frames {
		for _, name := range sorted.Keys(members[i]) {
			b.scopes = append(b.scopes, scope{name, members[i][name]})
		}
	}
	return o, err
}

// title names a frame.
func (b *box) title() string {
	return fmt.Sprintf("frame %s, %s in parallel", b.name, count(int(b.parallel), "iteration"))
}

// describe returns a node in a line: "add = AddV2(x, y:1, ^init) int32 [2, ?]".
func describe(n *graph.Node, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = %s(", name, n.Type())
	sep := ""
	for _, in := range n.Inputs() {
		b.WriteString(sep + shortInput(in))
		sep = ", "
	}
	for _, c := range n.Controls() {
		b.WriteString(sep + "^" + c.Name())
		sep = ", "
	}
	b.WriteByte(')')
	if v := constantText(n); v != "" {
		b.WriteString(" " + v)
	}
	for i := range n.NumOutputs() {
		if i > 0 {
			b.WriteByte(',')
		}
		out := n.Output(i)
		fmt.Fprintf(&b, " %v%s", n.OutputTypes()[i], shapeSuffix(out.Shape()))
	}
	if n.Device() != "" {
		b.WriteString(" @ " + n.Device())
	}
	return b.String()
}

// shortInput is "x" for output 0 of x, else "x:1".
func shortInput(o graph.Output) string {
	if o.Index == 0 {
		return o.Op.Name()
	}
	return o.String()
}

// constantText returns the value of a small constant.
func constantText(n *graph.Node) string {
	const most = 40
	if n.Type() != "Const" {
		return ""
	}
	v := n.Attrs().Find("value")
	if v == nil || v.Tensor == nil || v.Tensor.NumElements() > 8 {
		return ""
	}
	text := strings.Join(strings.Fields(v.Tensor.String()), " ")
	if len(text) > most || v.Tensor.NumElements() == 0 {
		return ""
	}
	return text
}

// shapeSuffix is " [2, ?]", nothing for a scalar.
func shapeSuffix(s graph.Shape) string {
	if s.NumDimensions() == 0 {
		return ""
	}
	return " " + s.String()
}

// kinds counts operations, the most frequent first.
func (o *outline) kinds() string {
	count := map[string]int{}
	for _, n := range o.nodes {
		count[n.Type()]++
	}
	names := sorted.Keys(count)
	sorted.Stably(names, func(a, b string) int { return count[b] - count[a] })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", count[name], name)
	}
	return strings.Join(names, ", ")
}
