package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

func checkCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Report whether a model will run, and what is missing",
		Long: `Check loads a graph, checks every node against the definition of its operation, infers
all shapes, and reports whether every node has a kernel for its types and attributes.
Nothing runs. What is missing is listed by operation: the number of nodes, the first of
their names, the reason, and the kernels that exist. Placeholders are listed as inputs
to feed. A graph with missing operations may still be useful, since a run needs kernels
only for the nodes that its fetches depend on.

Function bodies are checked for the types with which they are called; their nodes are
named "function/node". Of a SavedModel the signatures are listed first, and the files
of its checkpoint must exist.

If an operation is unknown the graph cannot be loaded: all unknown operations and all
without a kernel are listed, and types and shapes are not checked.

--json prints one object. The "code" of an entry of "missing" is NOT_FOUND for an
unknown operation, UNIMPLEMENTED for one that Troupe lacks, and INVALID_ARGUMENT for a
node that TensorFlow refuses too.

It exits with 0 if the graph will run, with 1 if something is missing or there is
nothing to run, and with 2 if MODEL cannot be read.

` + modelHelp,
		Example: `  troupe check model.pb
  troupe check model.pb --json | jq -r '.missing[].op'
  troupe check model.pb && troupe run model.pb --feed x=1 --fetch y
  troupe check my_model/ --json | jq '.graphs[0].signatures | keys'`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadModel(cmd, args[0])
			v := (*verdict)(nil)
			if err == nil {
				v = checkGraph(m.graph)
				v.Graphs = graphsOf(m.saved)
				v.checkCheckpoint(m)
				v.conclude()
			} else if v = checkUnknown(err); v == nil {
				return unreadable{fmt.Errorf("%s cannot be loaded: %w", args[0], err)}
			}
			if err := v.write(cmd.OutOrStdout(), asJSON); err != nil {
				return failure{err}
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
	Graphs    []graphOf  `json:"graphs,omitempty"` // of a SavedModel
	Nodes     int        `json:"nodes"`
	Functions int        `json:"functions"`
	Feeds     []string   `json:"feeds"` // placeholders
	Frames    string     `json:"frames,omitempty"`
	Missing   []*missing `json:"missing"`

	Unknown bool `json:"unknown_operations,omitempty"` // the graph could not be loaded

	found map[missingKey]*missing
}

// A missing is nodes of one operation that cannot run for one reason.
type missing struct {
	Op      string        `json:"op"`
	Code    string        `json:"code"`
	Count   int           `json:"count"`
	Nodes   []string      `json:"nodes"` // "function/node" for one in a function's body
	Reason  string        `json:"reason"`
	Kernels []kernelGroup `json:"kernels,omitempty"` // those there are, if none of them fits
}

type missingKey struct{ op, reason string }

// checkGraph says of every node whether it can run.
func checkGraph(g *troupe.Graph) *verdict {
	v := newVerdict()
	v.Nodes = g.NumNodes()
	for _, n := range g.Nodes() {
		if mustBeFed(n) {
			v.Feeds = append(v.Feeds, n.Name())
		} else if err := compile.Check(n); err != nil {
			v.addNode(g, n, n.Name(), status.From(err))
		}
	}
	v.checkBodies(g)
	if _, err := g.Frames(); err != nil {
		v.Frames = status.From(err).Message
	}
	v.conclude()
	return v
}

// conclude says, of all that was found, whether the graph will run.
func (v *verdict) conclude() {
	v.sort()
	v.Runs = v.Nodes > 0 && len(v.Missing) == 0 && v.Frames == ""
}

func newVerdict() *verdict {
	return &verdict{Feeds: []string{}, Missing: []*missing{}, found: map[missingKey]*missing{}}
}

// sort puts what most nodes miss first.
func (v *verdict) sort() {
	sorted.Stably(v.Missing, func(a, b *missing) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Op, b.Op))
	})
}

// mustBeFed reports whether a node has no value of its own.
func mustBeFed(n *graph.Node) bool {
	return n.Class() == graph.ClassPlaceholder && n.NumInputs() == 0
}

// addNode adds a node, under that name, that fails with err. If that error lists
// kernels, so does the entry, in fewer lines.
func (v *verdict) addNode(g *troupe.Graph, n *graph.Node, name string, err *status.Error) {
	if g.Function(n.Type()) != nil {
		v.add(n.Type(), name, status.Unimplemented, "it calls a function, which is not implemented yet")
		return
	}
	reason, _, lists := strings.Cut(err.Message, "\nRegistered devices")
	reason = strings.Replace(reason, " used by {{node "+n.Name()+"}}", "", 1)
	m := v.add(n.Type(), name, err.Code, reason)
	if lists && m.Kernels == nil {
		m.Kernels = kernelsOf(n.Def())
	}
}

// add adds a node to the entry of its operation and reason.
func (v *verdict) add(op, name string, code status.Code, reason string) *missing {
	key := missingKey{op, reason}
	m := v.found[key]
	if m == nil {
		m = &missing{Op: op, Code: code.String(), Reason: reason}
		v.found[key] = m
		v.Missing = append(v.Missing, m)
	}
	m.Count++
	m.Nodes = append(m.Nodes, name)
	return m
}
