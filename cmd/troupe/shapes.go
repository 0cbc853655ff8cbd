package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func shapesCommand() *cobra.Command {
	signature := ""
	cmd := &cobra.Command{
		Use:   "shapes MODEL [NODE]...",
		Short: "Print the inferred types and shapes of a graph",
		Long: `Shapes prints the types and shapes that are known before the graph runs, for all nodes
or for the NODEs given. [2,?] is a matrix of two rows, [] a scalar, ? a tensor of
unknown rank. Braces after a handle, of a variable or a list for example, hold what it
refers to: "resource [] {float [2,3]}".

A graph with contradictory shapes is refused, with the node at fault.

Unless NODEs are given, the bodies of functions follow, with what is known for every
call. With --signature the nodes are those that the signature runs, and the functions
those that it calls.

` + modelHelp,
		Example: `  troupe shapes model.pb
  troupe shapes model.pb logits loss
  troupe shapes my_model --signature serving_default
  troupe shapes model.pb | grep '?'`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadModel(cmd, args[0])
			if err != nil {
				return failure{err}
			}
			if signature != "" && len(args) > 1 {
				return fmt.Errorf("--signature %s and NODEs exclude each other", signature)
			}
			shown, err := pick(m.graph, args[1:])
			if signature != "" {
				shown, err = m.ofSignature(signature)
			}
			if err != nil {
				return failure{err}
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			for _, n := range shown {
				fmt.Fprintln(w, shapesLine(n, n.OutputShapes(), n.OutputHandles()))
			}
			if len(args) == 1 {
				for _, in := range instancesIn(m.graph, shown) {
					writeBodyShapes(w, &in)
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&signature, "signature", "", "print the nodes that the signature `KEY` of a SavedModel runs")
	completeSignatures(cmd)
	return cmd
}

// ofSignature returns the nodes that a signature runs.
func (m *model) ofSignature(key string) ([]*graph.Node, error) {
	for _, g := range m.saved {
		if !slices.Equal(g.Tags, m.tags) {
			continue
		}
		sig, _, err := signatureOfKey(&troupe.SavedModel{Signatures: g.Signatures}, key)
		if err != nil {
			return nil, err
		}
		spec, err := endsOf(m.graph, sig)
		if err != nil {
			return nil, err
		}
		return m.graph.Subgraph(spec.Feeds, spec.Fetches, spec.Targets)
	}
	return nil, fmt.Errorf("--signature %s needs a SavedModel", key)
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

// writeBodyShapes writes a function's body under a heading.
func writeBodyShapes(w io.Writer, in *instance) {
	if in.err != nil {
		fmt.Fprintf(w, "\nfunction %s: %s\n", plain.Line(in.title), in.problem())
		return
	}
	fmt.Fprintf(w, "\n%s\n", in.heading())
	known, err := in.body.Infer(nil)
	if err != nil {
		fmt.Fprintf(w, "  no call can succeed: %s\n", status.From(err).Message)
	}
	for _, n := range in.body.Graph.Nodes() {
		shapes, handles := n.OutputShapes(), n.OutputHandles()
		if err == nil {
			shapes, handles = known.Shapes(n), known.Handles(n)
		}
		fmt.Fprintf(w, "  %s\n", shapesLine(n, shapes, handles))
	}
}

// shapesLine is "y (AddV2): float [2,?]".
func shapesLine(n *graph.Node, shapes []shape.Shape, handles [][]shape.HandleData) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): ", n.Name(), n.Type())
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
