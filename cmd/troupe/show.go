package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plain"
)

func showCommand() *cobra.Command {
	format, units, rewritten, picture, nodes, after := "text", false, false, false, false, 0
	var f plannedFlags
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show how a graph is built",
		Long: `Show describes a SavedModel: its signatures with their inputs and outputs, and of one,
serving_default unless --signature names another, the layers that it runs, with the
number of operations and parameters of each. A layer is the operations whose names have
a scope in common. --nodes lists all nodes instead.

Of a GraphDef it lists the nodes: an operation with its inputs, the types and
shapes of its outputs, and small constants. Nodes are grouped by the frame in
which they run and by name scope; each frame, a loop as a rule, is a box inside
the frame it is entered from. The bodies of functions that the graph may call
follow in the same way.

With --units it shows instead how the engine "actors" plays a run: which loops
are units, played without moving tokens, with the form they have then; and of the
others why they are none. With --rewritten it shows the graph of a run as the passes
of --rewrite leave it, functions in the place of what calls them, and what each pass
saved. What is fed, fetched and run is told by flags, as for run (the VALUE of a feed
may be left out); a recorded case has its own steps, a SavedModel its signatures.

With --devices it shows on which device each node of a run is placed, and which edges
lead from one device to another; together with --rewritten it shows the run as it is
split, with the nodes that send and receive.

Of a checkpoint (its .index, the prefix of its files, or a folder that holds it) the
tensors are listed.

With --picture a run is drawn, of a case its first step and of a SavedModel a signature,
as it is when half of it is over, or when exactly --after N nodes have acted: how often
each has, what acts now, which tokens wait. Numbers that are not fed are made up. As with
--format dot, Graphviz makes a picture of what is printed.

` + modelHelp,
		Example: `  troupe show my_model
  troupe show my_model --format dot | dot -Tsvg > layers.svg
  troupe show model.pb
  troupe show conformance/testdata/control.zip/while_nested_two
  troupe show model.pb --format dot | dot -Tsvg > model.svg
  troupe show loop.pb --units --feed n --fetch while/Exit
  troupe show conformance/testdata/control.zip/while_nested_two --units
  troupe show model.pb --rewritten --feed x --fetch y
  troupe show model.pb --devices 2 --feed x --fetch y
  troupe show loop.pb --picture --feed n=10 --fetch while/Exit | dot -Tsvg > run.svg`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if picture {
				return f.picture(cmd, args[0], after)
			}
			if after != 0 {
				return fmt.Errorf("--after goes with --picture")
			}
			if units || rewritten || f.places.given() {
				switch {
				case rewritten:
					f.form = writeRewritten
				case units:
					f.form = writePlan
				default:
					f.form = writeDevices
				}
				return f.show(cmd, args[0])
			}
			if f.named() || f.rewrite != "" {
				return fmt.Errorf("--feed, --fetch, --target and --rewrite go with --units, --rewritten, --devices and --picture")
			}
			write := writeText
			switch format {
			case "text":
			case "dot":
				write = writeDot
			default:
				return fmt.Errorf("--format %s: text and dot are known", format)
			}
			if prefix, ok := checkpointAt(args[0]); ok {
				if err := writeCheckpoint(cmd.OutOrStdout(), prefix); err != nil {
					return failure{err}
				}
				return nil
			}
			m, err := loadModel(cmd, args[0])
			if err != nil {
				return failure{err}
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			if f.signature != "" && (m.folder == "" || nodes) {
				return fmt.Errorf("--signature %s goes with a SavedModel, and not with --nodes", f.signature)
			}
			if format == "text" {
				writeSignatures(w, m.saved)
			}
			if m.folder != "" && !nodes {
				if written, err := m.writeLayers(cmd, w, f.signature, format); written || err != nil {
					return errors.Join(err, w.Flush())
				}
			}
			o, err := newOutline(m.graph)
			if err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "troupe: frames cannot be told apart:", err)
			}
			var bodies []*outline
			for _, in := range instancesOf(m.graph) {
				if in.err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "troupe: function %s cannot be shown: %s\n", in.title, in.problem())
					continue
				}
				body, _ := newOutline(in.body.Graph) // whose frames have been checked
				body.name, body.title = in.title+"/", "function "+in.title
				bodies = append(bodies, body)
			}
			write(w, o, bodies)
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "print `FORMAT`: text, or dot for Graphviz")
	cmd.Flags().BoolVar(&nodes, "nodes", false, "of a SavedModel, list or draw all nodes instead of layers")
	cmd.Flags().BoolVar(&units, "units", false, "show how a run is played: which loops are units, and why others are none")
	cmd.Flags().BoolVar(&rewritten, "rewritten", false, "show the graph of a run as it is rewritten, and what each pass saved")
	cmd.Flags().BoolVar(&picture, "picture", false, "draw a run, for Graphviz: how often each node has acted, what acts now, which tokens wait")
	cmd.Flags().IntVar(&after, "after", 0, "with --picture: draw the run when exactly `N` nodes have acted, 0 for half of the run")
	f.add(cmd)
	return cmd
}

// writeLayers writes what a signature of a SavedModel runs, by layers, and how much there
// is besides; nothing if no signature computes.
func (m *model) writeLayers(cmd *cobra.Command, w io.Writer, key, format string) (written bool, err error) {
	l, err := m.layersOf(cmd.Context(), key)
	switch {
	case err != nil && (key != "" || format != "text"):
		return false, failure{err}
	case err != nil: // an operation without a kernel, say: the rest is still known
		fmt.Fprintln(cmd.ErrOrStderr(), "troupe:", err)
	case l == nil:
		return false, nil
	case format == "dot":
		l.writeDot(w)
		return true, nil
	default:
		if err := l.write(w); err != nil {
			return false, failure{err}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s and %s in all; --nodes lists them\n", count(m.graph.NumNodes(), "node"), count(len(instancesOf(m.graph)), "function"))
	return true, nil
}

// writeText draws frames as boxes around indented lists, and bodies of functions
// under a heading.
func writeText(w io.Writer, o *outline, bodies []*outline) {
	fmt.Fprintf(w, "%s, %s: %s\n", count(len(o.nodes), "node"), count(len(o.frames)-1, "frame"), o.kinds())
	writeBox(w, o.frames[0], "")
	for _, b := range bodies {
		fmt.Fprintf(w, "\n%s: %s, %s\n", plain.Line(b.title), count(len(b.nodes), "node"), count(len(b.frames)-1, "frame"))
		writeBox(w, b.frames[0], "  ")
	}
}

// count is "1 node" or "2 nodes".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// maxMargin is how deep within one another frames are drawn further in: a graph may
// have any number.
const maxMargin = 32

// walk visits a box and those within it: enter before them and leave after. depth
// is how many boxes it is in.
func (b *box) walk(enter, leave func(b *box, depth int)) {
	type visit struct {
		b    *box
		next int // of those within
	}
	open := []visit{{b: b}}
	enter(b, 0)
	for len(open) > 0 {
		v := &open[len(open)-1]
		if v.next == len(v.b.within) {
			leave(v.b, len(open)-1)
			open = open[:len(open)-1]
			continue
		}
		in := v.b.within[v.next]
		v.next++
		enter(in, len(open))
		open = append(open, visit{b: in})
	}
}

// writeBox draws a box, of which the outermost has no border.
func writeBox(w io.Writer, b *box, margin string) {
	at := func(depth int) string { return margin + strings.Repeat("│ ", min(depth, maxMargin)) }
	b.walk(func(b *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(w, "%s┌─ %s\n", at(depth-1), b.title())
		}
		writeScopes(w, b, at(depth))
	}, func(_ *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(w, "%s└─\n", at(depth-1))
		}
	})
}

// writeScopes lists the nodes of a frame.
func writeScopes(w io.Writer, b *box, margin string) {
	for _, s := range b.scopes {
		indent := margin
		if s.name != "" {
			fmt.Fprintf(w, "%s%s\n", margin, s.name)
			indent += "  "
		}
		for _, n := range s.nodes {
			fmt.Fprintf(w, "%s%s\n", indent, describe(n, strings.TrimPrefix(n.Name(), s.name)))
		}
	}
}

// writeDot writes the graph in Graphviz's language: frames, scopes and bodies of
// functions as clusters, control edges dashed, back edges of loops bold.
func writeDot(w io.Writer, o *outline, bodies []*outline) {
	d := dotWriter{w: w}
	fmt.Fprintf(w, "digraph {\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"]\n")
	d.outline(o, "\t")
	for _, b := range bodies {
		d.begin("\t", b.title, "color=gray")
		d.outline(b, "\t\t")
		fmt.Fprintln(w, "\t}")
	}
	fmt.Fprintln(w, "}")
}

type dotWriter struct {
	w        io.Writer
	prefix   string // of nodes, which are named by graph and name
	clusters int
}

// outline writes the nodes of an outline, and the edges between them.
func (d *dotWriter) outline(o *outline, indent string) {
	d.prefix = o.name
	d.cluster(o.frames[0], indent)
	for _, n := range o.nodes {
		for i, in := range n.Inputs() {
			var attrs []string
			if in.Index > 0 {
				attrs = append(attrs, fmt.Sprintf("taillabel=%q", fmt.Sprint(in.Index)))
			}
			if len(n.Inputs()) > 1 {
				attrs = append(attrs, fmt.Sprintf("headlabel=%q", fmt.Sprint(i)))
			}
			if in.Op.Class() == graph.ClassNextIteration {
				attrs = append(attrs, "style=bold", "constraint=false")
			}
			d.edge(in.Op, n, indent, attrs)
		}
		for _, c := range n.Controls() {
			d.edge(c, n, indent, []string{"style=dashed"})
		}
	}
}

func (d *dotWriter) edge(from, to *graph.Node, indent string, attrs []string) {
	text := ""
	if len(attrs) > 0 {
		text = " [" + strings.Join(attrs, ", ") + "]"
	}
	fmt.Fprintf(d.w, "%s%q -> %q%s\n", indent, d.prefix+from.Name(), d.prefix+to.Name(), text)
}

// begin begins a cluster.
func (d *dotWriter) begin(indent, label, style string) {
	d.clusters++
	fmt.Fprintf(d.w, "%ssubgraph cluster_%d {\n%s\tlabel=%q; %s\n", indent, d.clusters, indent, label, style)
}

// cluster writes a frame and those within it.
func (d *dotWriter) cluster(b *box, indent string) {
	at := func(depth int) string { return indent + strings.Repeat("\t", min(depth, maxMargin)) }
	b.walk(func(b *box, depth int) {
		if depth > 0 {
			d.begin(at(depth-1), b.title(), "color=blue")
		}
		d.scopes(b, at(depth))
	}, func(_ *box, depth int) {
		if depth > 0 {
			fmt.Fprintf(d.w, "%s}\n", at(depth-1))
		}
	})
}

func (d *dotWriter) scopes(b *box, indent string) {
	for _, s := range b.scopes {
		in := indent
		if s.name != "" {
			d.begin(indent, s.name, "style=dotted")
			in += "\t"
		}
		for _, n := range s.nodes {
			label := strings.TrimPrefix(n.Name(), s.name) + "\n" + n.Type()
			fmt.Fprintf(d.w, "%s%q [label=%q]\n", in, d.prefix+n.Name(), label)
		}
		if s.name != "" {
			fmt.Fprintf(d.w, "%s}\n", indent)
		}
	}
}
