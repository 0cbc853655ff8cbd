package model

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// Repeatable reports whether the results of a signature depend on nothing but its inputs
// and on variables and tables that it only reads: a run leaves no trace, so that it may be
// repeated, or done for several callers at a time. It is false for a signature that draws
// random numbers, writes a variable, takes from a queue, or calls what may do such things.
func (m *SavedModel) Repeatable(ctx context.Context, signature string) bool {
	s, ok := m.Signatures[signature]
	if !ok {
		return false
	}
	c := &SignatureCall{key: signature, signature: s}
	feeds, err := m.find(c, "input", sorted.Keys(s.Inputs), s.Inputs)
	if err != nil {
		return false
	}
	var fetches []session.Output
	for name, info := range s.Outputs {
		if m.operation(info) != nil {
			return false
		}
		o, err := m.find(c, "output", []string{name}, map[string]TensorInfo{name: info})
		if err != nil {
			return false
		}
		fetches = append(fetches, o...)
	}
	nodes, err := m.Graph.Subgraph(feeds, fetches, nil)
	if err != nil {
		return false
	}
	w := effects{ctx: ctx, seen: map[*graph.Body]bool{}}
	return w.none(m.Graph, nodes)
}

// effects looks for operations with effects.
type effects struct {
	ctx  context.Context
	seen map[*graph.Body]bool
}

// none reports whether none of the nodes has an effect.
func (w *effects) none(g *graph.Graph, nodes []*graph.Node) bool {
	for _, n := range nodes {
		def := n.Def()
		if local(def.Name) {
			continue
		}
		objects := false
		for i := range def.Inputs {
			switch def.Inputs[i].Access {
			case registry.AccessUndeclared:
			case registry.AccessNone, registry.AccessRead:
				objects = true
			default:
				return false
			}
		}
		for _, t := range n.OutputTypes() {
			objects = objects || t == tensor.Resource || t.IsRef()
		}
		calls := n.Functions()
		if (def.Stateful || n.NumOutputs() == 0) && !objects && len(calls) == 0 {
			return false // it draws random numbers, or has effects outside
		}
		for _, f := range calls {
			body, err := g.InstantiateContext(w.ctx, f)
			if err != nil {
				return false
			}
			if w.seen[body] {
				continue
			}
			w.seen[body] = true
			need := append([]*graph.Node(nil), body.Results...)
			for _, c := range body.Controls {
				need = append(need, c.Op)
			}
			inside, err := body.Graph.Subgraph(nil, nil, need)
			if err != nil || !w.none(body.Graph, inside) {
				return false
			}
		}
	}
	return true
}

// local reports whether an operation has no effect that outlasts its step, although its
// definition says that it is stateful.
func local(op string) bool {
	switch op {
	case "_Arg", "_Retval", "Assert", "NoOp", "ControlTrigger":
		return true
	}
	return strings.HasPrefix(op, "TensorArray") || strings.HasPrefix(op, "Stack")
}
