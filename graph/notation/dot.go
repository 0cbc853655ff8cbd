package notation

import (
	"fmt"
	"sort"
	"strings"

	"github.com/troupe-go/troupe/graph"
)

// DOT returns the graph for Graphviz: nodes as boxes, frames as nested clusters,
// control edges dashed, back edges without influence on the layout. A node is
// in the cluster of the frame it runs in. It fails if the frames are not sound;
// see [graph.FrameAnalysis.Run].
func DOT(g *graph.Graph) (string, error) {
	frames, err := g.Frames()
	if err != nil {
		return "", err
	}
	nodes := g.Nodes()
	members := make([][]*graph.Node, len(frames.Frames))
	for i, n := range nodes {
		members[frames.FrameOf[i]] = append(members[frames.FrameOf[i]], n)
	}
	children := make([][]int, len(frames.Frames))
	for i, f := range frames.Frames {
		if f.Parent >= 0 {
			children[f.Parent] = append(children[f.Parent], i)
		}
	}
	var b strings.Builder
	b.WriteString("digraph {\n  node [shape=box]\n")
	// Depth first with a stack: frames may be nested as deep as input says.
	type visit struct{ frame, depth, next int }
	stack := []visit{{}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		indent := strings.Repeat("  ", min(v.depth, 40)+1)
		if v.next == 0 {
			for _, n := range members[v.frame] {
				fmt.Fprintf(&b, "%sn%d [label=%s]\n", indent, n.ID(), dotLabel(n))
			}
		}
		if v.next < len(children[v.frame]) {
			child := children[v.frame][v.next]
			v.next++
			fmt.Fprintf(&b, "%ssubgraph cluster_%d {\n%s  label=%s\n", indent, child, indent, dotString(frames.Frames[child].Name))
			stack = append(stack, visit{frame: child, depth: v.depth + 1})
			continue
		}
		if v.depth > 0 {
			fmt.Fprintf(&b, "%s}\n", indent[2:])
		}
		stack = stack[:len(stack)-1]
	}
	for _, n := range nodes {
		for i, from := range n.Inputs() {
			var style []string
			if from.Index > 0 {
				style = append(style, fmt.Sprintf("taillabel=\"%d\"", from.Index))
			}
			if n.IsBackEdge(i) {
				style = append(style, "constraint=false")
			}
			dotEdge(&b, from.Op, n, style)
		}
		for _, c := range n.Controls() {
			dotEdge(&b, c, n, []string{"style=dashed"})
		}
	}
	b.WriteString("}\n")
	return b.String(), nil
}

func dotEdge(b *strings.Builder, from, to *graph.Node, style []string) {
	fmt.Fprintf(b, "  n%d -> n%d", from.ID(), to.ID())
	if len(style) > 0 {
		sort.Strings(style)
		fmt.Fprintf(b, " [%s]", strings.Join(style, ", "))
	}
	b.WriteString("\n")
}

// dotLabel returns the node's name and, where it differs, its operation.
func dotLabel(n *graph.Node) string {
	if n.Name() == n.Type() {
		return dotString(n.Name())
	}
	return dotString(n.Name() + "\n" + n.Type())
}

func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
