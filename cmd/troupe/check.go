package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

func checkCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Tell whether a graph will run, and what is missing",
		Long: `Check loads a graph, which checks every node against its operation's definition
and infers all shapes, and then tells of every node whether it can run: whether
a kernel takes its types and attributes. What is missing is listed by operation,
with the number of nodes, the first of their names, and the reason. Nothing is
run; placeholders are listed as what has to be fed.

A graph of which only some nodes are missing may still be of use: what a run's
fetches do not need is not asked for.

In bodies of functions, whose types depend on the call, a node counts as
missing if its operation has no kernel at all.

It exits with 0 if the graph will run, with 1 if something is missing, and with
2 if it cannot be loaded.

` + modelHelp,
		Example: `  troupe check model.pb
  troupe check model.pb --json | jq -r '.missing[].op'
  troupe check model.pb && troupe run model.pb --feed x=1 --fetch y`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadModel(args[0])
			if err != nil {
				return fmt.Errorf("%s cannot be loaded: %w", args[0], err)
			}
			v, err := checkGraph(m.graph)
			if err != nil {
				return fmt.Errorf("%s cannot be loaded: %w", args[0], err)
			}
			if err := v.write(cmd.OutOrStdout(), asJSON); err != nil {
				return err
			}
			if !v.Runs {
				return failure{}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object, with the names of all nodes")
	return cmd
}

// A verdict is what check finds.
type verdict struct {
	Runs      bool       `json:"runs"`
	Nodes     int        `json:"nodes"`
	Functions int        `json:"functions"`
	Feeds     []string   `json:"feeds"` // placeholders
	Frames    string     `json:"frames,omitempty"`
	Missing   []*missing `json:"missing"`
}

// A missing is nodes of one operation that cannot run for one reason.
type missing struct {
	Op     string   `json:"op"`
	Count  int      `json:"count"`
	Nodes  []string `json:"nodes"` // "function/node" for one in a function's body
	Reason string   `json:"reason"`
}

// checkGraph says of every node whether it can run.
func checkGraph(g *troupe.Graph) (*verdict, error) {
	v := &verdict{Nodes: g.NumNodes(), Feeds: []string{}, Missing: []*missing{}}
	found := map[[2]string]*missing{}
	add := func(op, name, reason string) {
		key := [2]string{op, reason}
		m := found[key]
		if m == nil {
			m = &missing{Op: op, Reason: reason}
			found[key] = m
			v.Missing = append(v.Missing, m)
		}
		m.Count++
		m.Nodes = append(m.Nodes, name)
	}
	for _, n := range g.Nodes() {
		if mustBeFed(n) {
			v.Feeds = append(v.Feeds, n.Name())
		} else if err := nodes.Check(n); err != nil {
			add(n.Type(), n.Name(), status.From(err).Message)
		}
	}
	for _, f := range g.Functions() {
		v.Functions++
		body := &wire.FunctionDef{}
		if err := proto.Unmarshal(f.Def, body); err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
		for _, n := range body.NodeDef {
			if g.Function(n.Op) == nil && !nodes.Plays(n.Op) && len(kernel.Registered(n.Op)) == 0 {
				add(n.Op, f.Name+"/"+n.Name, "in functions: the operation has no kernel yet")
			}
		}
	}
	slices.SortStableFunc(v.Missing, func(a, b *missing) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Op, b.Op))
	})
	if _, err := g.Frames(); err != nil {
		v.Frames = status.From(err).Message
	}
	v.Runs = len(v.Missing) == 0 && v.Frames == ""
	return v, nil
}

// mustBeFed says whether a node has no value of its own.
func mustBeFed(n *graph.Node) bool {
	return n.Class() == graph.ClassPlaceholder && n.NumInputs() == 0
}

func (v *verdict) write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	total := 0
	for _, m := range v.Missing {
		total += m.Count
	}
	fmt.Fprint(w, count(v.Nodes, "node"))
	if v.Functions > 0 {
		fmt.Fprint(w, ", ", count(v.Functions, "function"))
	}
	switch {
	case v.Runs:
		fmt.Fprintln(w, ": it will run")
	case total > 0:
		fmt.Fprintf(w, ": it will not run, %s of %s missing\n", count(total, "node"), count(v.ops(), "operation"))
	default:
		fmt.Fprintln(w, ": it will not run")
	}
	if v.Frames != "" {
		fmt.Fprintln(w, "frames cannot be told apart:", v.Frames)
	}
	if len(v.Feeds) > 0 {
		fmt.Fprintln(w, "to be fed:", strings.Join(v.Feeds, ", "))
	}
	if total == 0 {
		return nil
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "OPERATION\tCOUNT\tNODES\tREASON")
	for _, m := range v.Missing {
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", m.Op, m.Count, m.first(), m.Reason)
	}
	return tw.Flush()
}

// ops is the number of operations that are missing for some node.
func (v *verdict) ops() int {
	names := map[string]bool{}
	for _, m := range v.Missing {
		names[m.Op] = true
	}
	return len(names)
}

// first is the first few nodes.
func (m *missing) first() string {
	const most = 3
	if len(m.Nodes) <= most {
		return strings.Join(m.Nodes, ", ")
	}
	return strings.Join(m.Nodes[:most], ", ") + ", ..."
}
