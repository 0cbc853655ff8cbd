package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// checkUnknown returns the verdict on a graph that was not imported since there are
// operations that nobody knows; nil for any other error. What nodes say of themselves is
// all that it goes by.
func checkUnknown(err error) *verdict {
	var u unimported
	if !errors.As(err, &u) || status.CodeOf(err) != status.NotFound {
		return nil
	}
	var def wire.GraphDef
	if proto.Unmarshal(u.def, &def) != nil {
		return nil
	}
	v := newVerdict()
	v.Unknown, v.Graphs = true, graphsOf(u.saved)
	v.Nodes, v.Functions = len(def.GetNode()), len(def.GetLibrary().GetFunction())
	functions := map[string]bool{}
	for _, f := range def.GetLibrary().GetFunction() {
		functions[f.GetSignature().GetName()] = true
	}
	for _, n := range def.GetNode() {
		if graph.ClassOf(n.GetOp()) == graph.ClassPlaceholder && len(n.GetInput()) == 0 {
			v.Feeds = append(v.Feeds, n.GetName())
		} else {
			v.addUnknown(n, n.GetName(), functions)
		}
	}
	for _, f := range def.GetLibrary().GetFunction() {
		for _, n := range f.GetNodeDef() {
			v.addUnknown(n, f.GetSignature().GetName()+"/"+n.GetName(), functions)
		}
	}
	if v.sort(); !slices.ContainsFunc(v.Missing, func(m *missing) bool { return m.Code == status.NotFound.String() }) {
		return nil // what was not found is something else
	}
	return v
}

// addUnknown adds a node whose operation is not known, or has no kernel whatever the
// types are.
func (v *verdict) addUnknown(n *wire.NodeDef, name string, functions map[string]bool) {
	op := n.GetOp()
	if functions[op] {
		return
	}
	if _, err := registry.Global.Lookup(op); err != nil {
		reason := "no operation of that name"
		if near := registry.Global.Nearest(op); len(near) > 0 {
			reason += fmt.Sprintf(" (did you mean %s?)", strings.Join(near, " or "))
		}
		v.add(op, name, status.NotFound, reason)
		return
	}
	if !compile.Plays(op) && len(kernel.Registered(op)) == 0 {
		v.add(op, name, status.Unimplemented, "operation "+op+" is known but has no kernel yet")
	}
}
