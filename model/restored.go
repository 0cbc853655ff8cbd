package model

import (
	"os"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// checkVariables makes sure that loading has given a value to every variable that a
// signature needs, or, of a model without signatures, that the graph declares. A
// variable that the signature itself assigns need not have one.
func (m *loader) checkVariables(prefix string) error {
	const most = 10
	without, err := m.without()
	if err != nil || len(without) == 0 {
		return err
	}
	names, more := make([]string, len(without)), ""
	for i, n := range without {
		names[i] = n.Name()
	}
	if len(names) > most {
		names, more = names[:most], " and "+status.Count(len(without)-most, "other")
	}
	problem := "nothing in the checkpoint %s"
	if _, err := os.Stat(prefix + ".index"); err != nil {
		problem = "checkpoint %s.index does not exist"
	}
	return status.Errorf(status.NotFound, problem+" for '%s'%s, which the graph declares", prefix, strings.Join(names, "', '"), more)
}

// without returns those of variables that have no value.
func (m *loader) without() ([]*session.Operation, error) {
	here := m.Session.Resources().Assigned()
	without := slices.DeleteFunc(m.variables(), func(n *session.Operation) bool { return here[nameOf(n)] })
	if len(without) == 0 || m.options.Target == "" {
		return without, nil
	}
	there, err := m.assigned(without)
	return slices.DeleteFunc(without, func(n *session.Operation) bool { return there[n] }), err
}

// assigned returns those of variables that have a value, by a step: the resources of a session
// with a target are not in this process.
func (m *loader) assigned(variables []*session.Operation) (map[*session.Operation]bool, error) {
	if m.asks == nil {
		m.asks = map[*session.Operation]session.Output{}
		b := graph.NewBuilder(m.Graph).Scope("restored")
		for _, n := range variables {
			kind := "VarIsInitializedOp"
			if n.Type() != "VarHandleOp" {
				kind = "IsVariableInitialized"
			}
			m.asks[n] = b.Op(kind, nil, n.Output(0))
		}
		if err := b.Err(); err != nil {
			return nil, err
		}
	}
	asks := make([]session.Output, len(variables))
	for i, n := range variables {
		asks[i] = m.asks[n]
	}
	answers, err := m.Session.RunWithOptions(m.ctx, session.RunOptions{Once: true}, nil, asks, nil)
	if err != nil {
		return nil, err
	}
	all := map[*session.Operation]bool{}
	for i, n := range variables {
		all[n] = answers[i].Value() == true
	}
	return all, nil
}

// variables returns the variables that runs of the signatures read, or all.
func (m *SavedModel) variables() []*session.Operation {
	var found []*session.Operation
	needed := m.Graph.Nodes()
	if len(m.Signatures) > 0 {
		needed = m.needed()
	}
	within := map[*session.Operation]bool{}
	for _, n := range needed {
		within[n] = true
	}
	for _, n := range needed {
		switch n.Type() {
		case "VarHandleOp", "VariableV2", "Variable":
			if len(m.Signatures) == 0 || !slices.ContainsFunc(n.Output(0).Consumers(), func(c session.Consumer) bool {
				return within[c.Op] && strings.HasPrefix(c.Op.Type(), "Assign")
			}) {
				found = append(found, n)
			}
		}
	}
	return found
}

// needed returns the nodes that runs of the signatures need. What a signature names and the
// graph has not is told when it is prepared.
func (m *SavedModel) needed() []*session.Operation {
	seen := map[*session.Operation]bool{}
	var all []*session.Operation
	for _, key := range sorted.Keys(m.Signatures) {
		s := m.Signatures[key]
		feeds, fetches := m.outputs(s.Inputs), m.outputs(s.Outputs)
		nodes, err := m.Graph.Subgraph(feeds, fetches, nil)
		if err != nil {
			continue
		}
		for _, n := range nodes {
			if !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	return all
}

// outputs returns the tensors that a signature names and the graph has.
func (m *SavedModel) outputs(infos map[string]TensorInfo) []session.Output {
	var list []session.Output
	for _, name := range sorted.Keys(infos) {
		if o, err := m.Graph.Find(infos[name].Name); err == nil && o.Exists() {
			list = append(list, o)
		}
	}
	return list
}

// nameOf returns what the resource of a variable's node is known by.
func nameOf(n *graph.Node) resource.Name {
	name := resource.Name{Container: text(n, "container"), Name: text(n, "shared_name")}
	if name.Container == "" {
		name.Container = resource.DefaultContainer
	}
	if name.Name == "" && n.Type() != "VarHandleOp" {
		name.Name = n.Name()
	}
	return name
}

// text returns the value of a string attribute.
func text(n *graph.Node, attr string) string {
	v, _ := n.Attr(attr)
	s, _ := v.(string)
	return s
}
