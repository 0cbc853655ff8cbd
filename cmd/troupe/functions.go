package main

import (
	"fmt"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// An instance is a function with the attributes that some node may call it with.
type instance struct {
	title string      // the function with its attributes: "f[T=DT_FLOAT]"
	body  *graph.Body // nil if there is an error
	err   error
	by    string // the first node that may call it, as "node" or "function/node"
	op    string // of that node
}

// maxInstances is how many instances are looked for: functions that call each
// other with ever other attributes have any number.
const maxInstances = 10_000

// instancesOf returns the functions that running a graph may call, in the order in
// which its nodes, and then those of the bodies, name them. What is never
// called is not among them.
func instancesOf(g *troupe.Graph) []instance { return instancesIn(g, g.Nodes()) }

// instancesIn is [instancesOf] for some of the graph's nodes.
func instancesIn(g *troupe.Graph, nodes []*graph.Node) []instance {
	var found []instance
	seen := map[string]bool{}
	look := func(function string, nodes []*graph.Node) {
		for _, n := range nodes {
			for _, f := range n.Functions() {
				if len(found) == maxInstances || seen[f.String()] {
					continue
				}
				seen[f.String()] = true
				in := instance{title: f.String(), by: function + n.Name(), op: n.Type()}
				if in.body, in.err = g.Instantiate(f); in.err == nil {
					in.title = (&registry.Func{Name: f.Name, Attrs: in.body.Attrs}).String()
					if seen[in.title] && in.title != f.String() {
						continue
					}
					seen[in.title] = true
				}
				found = append(found, in)
			}
		}
	}
	look("", nodes)
	for i := 0; i < len(found); i++ {
		if b := found[i].body; b != nil {
			look(b.Name+"/", b.Graph.Nodes())
		}
	}
	return found
}

// problem is why the function cannot be shown.
func (in *instance) problem() string { return status.From(in.err).Message }

// argumentOrResult reports whether a node only stands for what is passed to or
// returned from a body.
func argumentOrResult(n *graph.Node) bool {
	return n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval
}

// heading is "function f[T=DT_FLOAT]: 3 nodes".
func (in *instance) heading() string {
	return fmt.Sprintf("function %s: %s", plain.Line(in.title), count(in.body.Graph.NumNodes(), "node"))
}
