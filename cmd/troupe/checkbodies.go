package main

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// checkBodies looks into the bodies of functions.
func (v *verdict) checkBodies(g *troupe.Graph) error {
	for _, f := range g.Functions() {
		v.Functions++
		body := &wire.FunctionDef{}
		if err := proto.Unmarshal(f.Def, body); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
		for _, n := range body.NodeDef {
			if g.Function(n.Op) == nil && !nodes.Plays(n.Op) && len(kernel.Registered(n.Op)) == 0 {
				v.add(n.Op, f.Name+"/"+n.Name, status.Unimplemented, "in functions: the operation has no kernel yet")
			}
		}
	}
	return nil
}
