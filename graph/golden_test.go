package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/graph/prototext"
	"github.com/troupe-go/troupe/status"
)

// TestGolden runs the commands in testdata; -rewrite writes the answers again.
//
//	graph                   an empty graph, to which the input is added as text
//	add                     adds the input as text
//	import [prefix=p] [uniquify-names] [uniquify-prefix] [infer] [keep-shapes] [device=d]
//	                        imports the input, a GraphDef in protocol buffer text
//	text [grouped] [defaults] [max=n]
//	export [strip-defaults] the graph as imported from what it exports
//	shapes                  what is known of every output
//	frames                  frames and the nodes in them
//	while-loops             the frames that are while loops
//	order                   reverse post-order of all nodes
//	time-order at=(x:3,…)   the order by the times at which nodes start, else 0
//	edges of=x              edges that lead to x and away from it
//	ends                    sources and sinks
//	subgraph [feeds=(x:0,…)] [fetches=(…)] [targets=(…)]
//	consumers of=x:0
//	back-edge merge=m input=1 from=n
//	dot
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		g := New()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "graph" {
				g = New()
			}
			out, err := command(t, g, d)
			if err != nil {
				return wrap(err.Error())
			}
			return out
		})
	})
}

func command(t *testing.T, g *Graph, d *datadriven.TestData) (string, error) {
	switch d.Cmd {
	case "graph", "add":
		if err := addText(g, d.Input); err != nil {
			return "", err
		}
		text := textOf(g, textOptions{})
		checkRoundTrip(t, g)
		return text, nil
	case "import":
		def, err := prototext.Parse([]byte(d.Input))
		if err != nil {
			return "", err
		}
		var o ImportOptions
		d.MaybeScanArgs(t, "prefix", &o.Prefix)
		d.MaybeScanArgs(t, "device", &o.DefaultDevice)
		o.UniquifyNames, o.UniquifyPrefix = d.HasArg("uniquify-names"), d.HasArg("uniquify-prefix")
		o.InferAttrs, o.KeepShapes = d.HasArg("infer"), d.HasArg("keep-shapes")
		if _, err := g.ImportGraphDef(def, o); err != nil {
			return "", err
		}
		return textOf(g, textOptions{}), nil
	case "text":
		o := textOptions{Grouped: d.HasArg("grouped"), Defaults: d.HasArg("defaults")}
		d.MaybeScanArgs(t, "max", &o.MaxElements)
		return textOf(g, o), nil
	case "export":
		def, err := g.GraphDef(ExportOptions{StripDefaults: d.HasArg("strip-defaults")})
		if err != nil {
			return "", err
		}
		s, err := outline.ReadGraphDef(def)
		if err != nil {
			return "", err
		}
		h := New()
		if err := h.Import(def, ""); err != nil {
			return "", err
		}
		var b strings.Builder
		for _, n := range s.Nodes {
			fmt.Fprintf(&b, "%s: %d bytes of attributes\n", s.Text(n.Name), n.Attrs.Hi-n.Attrs.Lo)
		}
		return b.String() + textOf(h, textOptions{}), nil
	case "shapes":
		var b strings.Builder
		for _, n := range g.Nodes() {
			for i := range n.NumOutputs() {
				fmt.Fprintf(&b, "%v %v %v\n", n.Output(i), n.Output(i).DataType(), n.Output(i).Shape())
			}
		}
		return b.String(), nil
	case "frames":
		f, err := g.Frames()
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for i, fr := range f.Frames {
			fmt.Fprintf(&b, "frame %d %q parent %d:", i, fr.Name, fr.Parent)
			for k, n := range g.Nodes() {
				if f.FrameOf[k] == i {
					fmt.Fprintf(&b, " %s", n.Name())
				}
			}
			b.WriteString("\n")
		}
		return b.String(), nil
	case "order":
		return names(ReversePostOrder(g.Nodes())), nil
	case "while-loops":
		loops, err := g.WhileLoops()
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for _, l := range loops {
			fmt.Fprintf(&b, "loop %q", l.Frame)
			if l.Parent != nil {
				fmt.Fprintf(&b, " in %q", l.Parent.Frame)
			}
			fmt.Fprintf(&b, " while %v\n", l.Condition())
			for _, v := range l.Vars {
				fmt.Fprintf(&b, "  %v: from %v, body %v -> %v, exits [%s]\n", v.Value(), v.Init(), v.BodyInput(), v.BodyOutput(), names(v.Exits))
			}
			fmt.Fprintf(&b, "  invariants [%s]\n  nodes [%s]\n", names(l.Invariants), names(l.Nodes))
		}
		return b.String(), nil
	case "time-order":
		at := map[string]int64{}
		for _, arg := range list(t, d, "at") {
			id := ParseTensorID(arg)
			at[id.Node] = int64(id.Index)
		}
		order, times := OrderByTime(g.Nodes(), func(n *Node) int64 { return at[n.Name()] })
		var b strings.Builder
		for i, n := range order {
			fmt.Fprintf(&b, "%s at %d\n", n.Name(), times[i])
		}
		return b.String(), nil
	case "edges":
		var of string
		d.ScanArgs(t, "of", &of)
		var b strings.Builder
		for e := range g.Operation(of).In() {
			fmt.Fprintln(&b, e)
		}
		for e := range g.Operation(of).Out() {
			fmt.Fprintln(&b, e)
		}
		return b.String(), nil
	case "ends":
		return "sources: " + names(slices.Collect(g.Sources())) + "\nsinks: " + names(slices.Collect(g.Sinks())) + "\n", nil
	case "subgraph":
		feeds, err := outputs(t, g, d, "feeds")
		if err != nil {
			return "", err
		}
		fetches, err := outputs(t, g, d, "fetches")
		if err != nil {
			return "", err
		}
		var targets []*Node
		for _, name := range list(t, d, "targets") {
			targets = append(targets, g.Operation(name))
		}
		nodes, err := g.Subgraph(feeds, fetches, targets)
		return names(nodes), err
	case "consumers":
		of, err := outputs(t, g, d, "of")
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for _, c := range of[0].Consumers() {
			fmt.Fprintf(&b, "%s input %d: %v from %v\n", c.Op.Name(), c.Index, c.DataType(), c.Producer())
		}
		return b.String(), nil
	case "back-edge":
		var merge, from string
		var input int
		d.ScanArgs(t, "merge", &merge)
		d.ScanArgs(t, "input", &input)
		d.ScanArgs(t, "from", &from)
		id := ParseTensorID(from)
		if err := g.SetBackEdge(g.Operation(merge), input, Output{g.Operation(id.Node), id.Index}); err != nil {
			return "", err
		}
		checkRoundTrip(t, g)
		return textOf(g, textOptions{}), nil
	case "dot":
		return dotOf(g)
	}
	return "", status.Invalid("no command %s", d.Cmd)
}

// checkRoundTrip prints, parses and prints, and exports and imports.
func checkRoundTrip(t *testing.T, g *Graph) {
	t.Helper()
	text := textOf(g, textOptions{})
	again := New()
	if err := addText(again, text); err != nil {
		t.Errorf("printed text does not parse: %v\n%s", err, text)
	} else if got := textOf(again, textOptions{}); got != text {
		t.Errorf("printed, parsed and printed again:\n%s\ninstead of\n%s", got, text)
	}
	grouped := textOf(g, textOptions{Grouped: true})
	again = New()
	if err := addText(again, grouped); err != nil {
		t.Errorf("printed text does not parse: %v\n%s", err, grouped)
	} else if got := textOf(again, textOptions{Grouped: true}); got != grouped {
		t.Errorf("printed, parsed and printed again:\n%s\ninstead of\n%s", got, grouped)
	}
	def, err := g.GraphDef(ExportOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	again = New()
	if err := again.Import(def, ""); err != nil {
		t.Errorf("exported graph does not import: %v", err)
	} else if got := textOf(again, textOptions{}); got != text {
		t.Errorf("exported and imported:\n%s\ninstead of\n%s", got, text)
	}
}

func list(t *testing.T, d *datadriven.TestData, key string) []string {
	for _, arg := range d.CmdArgs {
		if arg.Key == key {
			return arg.Vals
		}
	}
	return nil
}

func outputs(t *testing.T, g *Graph, d *datadriven.TestData, key string) ([]Output, error) {
	var outs []Output
	for _, id := range list(t, d, key) {
		p, err := g.Find(id)
		if err != nil {
			return nil, err
		}
		outs = append(outs, p)
	}
	return outs, nil
}

func names(nodes []*Node) string {
	var list []string
	for _, n := range nodes {
		list = append(list, n.Name())
	}
	return strings.Join(list, " ")
}

// wrap breaks a long message into lines.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		if i > 0 && width+len(word) > 90 {
			b.WriteString("\n")
			width = 0
		} else if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(word)
		width += len(word) + 1
	}
	return b.String() + "\n"
}
