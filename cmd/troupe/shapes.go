package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
)

func shapesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "shapes MODEL [NODE]...",
		Short: "Show the shapes that a graph's tensors will have",
		Long: `Shapes prints what is known of a graph before it runs: a line for each node, or
each NODE that is named, with the types and shapes of its outputs. [2,?] is a
matrix of two rows, [] a scalar, and ? a tensor whose rank depends on what is
fed. Where an output is a handle, of a variable or a list say, braces tell what
is behind it: "resource [] {float [2,3]}".

A graph whose shapes contradict one another is refused with the node that does
not fit. Bodies of functions are not shown.

` + modelHelp,
		Example: `  troupe shapes model.pb
  troupe shapes model.pb logits loss
  troupe shapes model.pb | grep '?'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadModel(args[0], cmd.InOrStdin())
			if err != nil {
				return failure{err}
			}
			shown, err := pick(m.graph, args[1:])
			if err != nil {
				return failure{err}
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			for _, n := range shown {
				fmt.Fprintln(w, shapesLine(n))
			}
			return w.Flush()
		},
	}
}

// pick finds nodes by name; without names it is all nodes.
func pick(g *troupe.Graph, names []string) ([]*graph.Node, error) {
	if len(names) == 0 {
		return g.Nodes(), nil
	}
	var found []*graph.Node
	for _, name := range names {
		n, err := findOperation(g, name)
		if err != nil {
			return nil, err
		}
		found = append(found, n)
	}
	return found, nil
}

// shapesLine is "y (AddV2): float [2,?]".
func shapesLine(n *graph.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): ", n.Name(), n.Type())
	shapes, handles := n.OutputShapes(), n.OutputHandles()
	if len(shapes) == 0 {
		b.WriteString("no outputs")
	}
	for i, s := range shapes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%v %v", n.OutputTypes()[i], s)
		if i >= len(handles) || len(handles[i]) == 0 {
			continue
		}
		for k, h := range handles[i] {
			sep := ", "
			if k == 0 {
				sep = " {"
			}
			fmt.Fprintf(&b, "%s%v %v", sep, h.Type, h.Shape)
		}
		b.WriteByte('}')
	}
	return b.String()
}
