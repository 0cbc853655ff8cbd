package nodes

import (
	"github.com/troupe-go/troupe/status"
)

// What programs take is on the account of the session that compiles them. It is
// estimated, and charged as soon as it is known what a program consists of, before the
// larger part of it is made; a test of package session holds the estimate against the
// heap. It is given back when the program turns out to be of no use, or all of them
// are with their Functions.
const (
	nodeBytes  = 608 // of a node: its rows in the tables, its kernel, its part of a unit
	inputBytes = 64  // of an edge to it
	madeBytes  = 640 // of a node that the session's graph does not have: its name, and what passes give its kernel
	madeAttr   = 224 // of an attribute of that, where the program keeps its nodes
	madeInput  = 192 // of an edge to that, likewise
)

// charge charges the program, whose nodes are known, to the account of the functions
// that it is compiled with, if there is one. The nodes of the graph that has the
// functions are there whatever is compiled; others were made for the program, by
// lowering, a pass, an instance of a function or a partial run.
func (c *compiler) charge(spec Spec) error {
	if c.within == nil || c.within.Budget == nil {
		return nil
	}
	bytes := int64(0)
	for i := range c.p.nodes {
		bytes += nodeBytes
		if d := c.p.nodes[i].def; d != nil {
			inputs := int64(len(d.Inputs()) + len(d.Controls()))
			bytes += inputBytes * inputs
			if d.Graph() != c.within.library {
				bytes += madeBytes
				if spec.Again == nil {
					bytes += madeAttr*int64(len(d.Attrs())) + madeInput*inputs
				}
			}
		}
	}
	if err := c.within.Budget.Charge(bytes); err != nil {
		return status.Within(err, "a program of %d nodes", len(c.p.nodes))
	}
	c.within.charged.Add(bytes)
	c.p.bytes = bytes
	return nil
}

// Discard gives back what a program that was compiled with r, and is used no more, has
// been charged.
func (r *Functions) Discard(p *Program) {
	if r == nil || p == nil || p.bytes == 0 {
		return
	}
	r.Budget.Release(p.bytes)
	r.charged.Add(-p.bytes)
	p.bytes = 0
}

// Bytes returns what the programs that were compiled with r are charged.
func (r *Functions) Bytes() int64 { return r.charged.Load() }

// Close gives back what all programs that were compiled with r have been charged. None
// is used any more.
func (r *Functions) Close() {
	if r.Budget != nil {
		r.Budget.Release(r.charged.Swap(0))
	}
}
