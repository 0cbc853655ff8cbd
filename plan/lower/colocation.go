package lower

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
)

// Nodes of a body name those that they share a device with: "loc:@node" in the
// attribute "_class". Copies of the body are groups of their own, so each copy names
// a node of the same copy.
const (
	colocationAttr = "_class"
	colocationName = "loc:@"
)

// A colocation renames the groups of one copy of a body. By the name of a node of
// the body it has the first copied node that is the node or names it, which names
// the group from then on: the node itself may come later, or not at all.
type colocation map[string]string

// rename returns the attributes of the copy of n, which gets that name; nil if they
// are those of n.
func (c *colocation) rename(n *graph.Node, name string) registry.Attrs {
	own := n.Attrs().Find(colocationAttr)
	if own == nil && len(*c) == 0 {
		return nil
	}
	if *c == nil {
		*c = colocation{}
	}
	var list []registry.AttrValue
	if own != nil {
		for _, e := range own.List {
			if member, ok := strings.CutPrefix(e.S, colocationName); ok {
				e.S = colocationName + c.leader(member, name)
			}
			list = append(list, e)
		}
	}
	if leader := registry.StringAttr(colocationName + c.leader(n.Name(), name)); leader.S != colocationName+name &&
		!slices.ContainsFunc(list, func(e registry.AttrValue) bool { return e.S == leader.S }) {
		list = append(list, leader)
	}
	if list == nil {
		return nil
	}
	return n.Attrs().With(colocationAttr, registry.ListAttr(registry.KindString, list...))
}

// leader returns the name of the group of a node of the body, which is the copy's
// if the group has none yet.
func (c *colocation) leader(member, copied string) string {
	if leader, ok := (*c)[member]; ok {
		return leader
	}
	(*c)[member] = copied
	return copied
}
