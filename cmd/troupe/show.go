package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/graph"
)

func showCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show how a graph is built",
		Long: `Show lists the nodes of a graph: an operation with its inputs, the types and
shapes of its outputs, and small constants. Nodes are grouped by the frame in
which they run and by name scope; each frame, a loop as a rule, is a box inside
the frame it is entered from.

` + modelHelp,
		Example: `  troupe show model.pb
  troupe show conformance/testdata/control.zip/while_nested_two
  troupe show model.pb --format dot | dot -Tsvg > model.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write := writeText
			switch format {
			case "text":
			case "dot":
				write = writeDot
			default:
				return fmt.Errorf("--format %s: text and dot are known", format)
			}
			m, err := loadModel(args[0], cmd.InOrStdin())
			if err != nil {
				return failure{err}
			}
			o, err := newOutline(m.graph)
			if err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "troupe: frames cannot be told apart:", err)
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			write(w, o)
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "print `FORMAT`: text, or dot for Graphviz")
	return cmd
}

// writeText draws frames as boxes around indented lists.
func writeText(w io.Writer, o *outline) {
	fmt.Fprintf(w, "%s, %s: %s\n", count(len(o.nodes), "node"), count(len(o.frames)-1, "frame"), o.kinds())
	writeBox(w, o.frames[0], "")
}

// count is "1 node" or "2 nodes".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func writeBox(w io.Writer, b *box, margin string) {
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
	for _, in := range b.within {
		fmt.Fprintf(w, "%s┌─ %s\n", margin, in.title())
		writeBox(w, in, margin+"│ ")
		fmt.Fprintf(w, "%s└─\n", margin)
	}
}

// writeDot writes the graph in Graphviz's language: frames and scopes as
// clusters, control edges dashed, back edges of loops bold.
func writeDot(w io.Writer, o *outline) {
	fmt.Fprintf(w, "digraph {\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"]\n")
	clusters := 0
	writeCluster(w, o.frames[0], "\t", &clusters)
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
			writeEdge(w, in.Op, n, attrs)
		}
		for _, c := range n.Controls() {
			writeEdge(w, c, n, []string{"style=dashed"})
		}
	}
	fmt.Fprintln(w, "}")
}

func writeEdge(w io.Writer, from, to *graph.Node, attrs []string) {
	text := ""
	if len(attrs) > 0 {
		text = " [" + strings.Join(attrs, ", ") + "]"
	}
	fmt.Fprintf(w, "\t%q -> %q%s\n", from.Name(), to.Name(), text)
}

func writeCluster(w io.Writer, b *box, indent string, clusters *int) {
	for _, s := range b.scopes {
		in := indent
		if s.name != "" {
			*clusters++
			fmt.Fprintf(w, "%ssubgraph cluster_%d {\n%s\tlabel=%q; style=dotted\n", indent, *clusters, indent, s.name)
			in += "\t"
		}
		for _, n := range s.nodes {
			label := strings.TrimPrefix(n.Name(), s.name) + "\n" + n.Type()
			fmt.Fprintf(w, "%s%q [label=%q]\n", in, n.Name(), label)
		}
		if s.name != "" {
			fmt.Fprintf(w, "%s}\n", indent)
		}
	}
	for _, f := range b.within {
		*clusters++
		fmt.Fprintf(w, "%ssubgraph cluster_%d {\n%s\tlabel=%q; color=blue\n", indent, *clusters, indent, f.title())
		writeCluster(w, f, indent+"\t", clusters)
		fmt.Fprintf(w, "%s}\n", indent)
	}
}
