package main

import (
	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/status"
)

// checkBodies looks into the bodies of the functions that the graph may call,
// for each of the attributes it may call them with.
func (v *verdict) checkBodies(g *troupe.Graph) {
	v.Functions = len(g.Functions())
	for _, in := range instancesOf(g) {
		if in.err != nil {
			err := status.From(in.err)
			v.add(in.op, in.by, err.Code, err.Message)
			continue
		}
		for _, n := range in.body.Graph.Nodes() {
			if argumentOrResult(n) {
				continue
			}
			if err := compile.Check(n); err != nil {
				v.addNode(g, n, in.body.Name+"/"+n.Name(), status.From(err))
			}
		}
	}
}
