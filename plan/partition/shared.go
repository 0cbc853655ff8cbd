package partition

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/sharing"
)

// readShared lets what a reference variable shares (package sharing) be read late, where it
// goes to an accelerator, which is given a copy: by a Snapshot for each reader, which takes
// the value when all else that its reader waits for has come, as the reader would have.
// Placement has left what hands such values on with the variable.
func (s *splitter) readShared() error {
	if !s.Copies {
		return nil
	}
	nodes := s.Nodes()
	size := 0
	for _, n := range nodes {
		size = max(size, n.ID()+1)
	}
	fed := map[graph.Output]bool{}
	for _, f := range s.Feeds {
		fed[f] = true
	}
	shared := sharing.Of(nodes, size, func(o graph.Output) bool { return fed[o] })
	shared.Find(s.fetches)
	if shared == nil {
		return nil
	}
	for _, n := range nodes {
		if err := s.watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		if s.Devices[s.device[n]].Type == "CPU" || n.Class() == graph.ClassMerge {
			continue
		}
		for k, from := range n.Inputs() {
			if !shared.Carries(from.Op) || !shared.Could(from) || s.device[from.Op] == s.device[n] {
				continue
			}
			read, err := s.add(s.device[from.Op], from.Op, graph.OpSpec{
				Type: "Snapshot", Input: []graph.Input{from}, ControlDependencies: s.besides(n, k),
			})
			if err != nil {
				return err
			}
			if err := s.SetInput(n, k, read.Output(0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// besides returns all that a node waits for but what comes to input k.
func (s *splitter) besides(n *graph.Node, k int) (after []*graph.Node) {
	from := n.Inputs()[k].Op
	for i, other := range n.Inputs() {
		if i != k && other.Op != from {
			after = append(after, other.Op)
		}
	}
	return append(after, n.Controls()...)
}
