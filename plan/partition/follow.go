package partition

import (
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// follow moves nodes of control flow to their neighbours. What a NextIteration brings
// comes in every iteration but the first, what an Enter that is not constant brings in
// the first alone: a Recv behind one would wait for ever in the others. A Switch and an
// Exit say when something lives, which is best known where it is made.
func (s *splitter) follow() error {
	nodes := s.Nodes()
	for _, n := range slices.Backward(nodes) { // those that it leads to have been moved
		if err := s.watch.Step(); err != nil {
			return err
		}
		switch n.Class() {
		case graph.ClassEnter, graph.ClassNextIteration:
			if n.InputTypes()[0].IsRef() {
				continue
			}
			if to := taker(n); to != nil {
				s.device[n] = s.device[to]
			}
		}
	}
	for _, n := range nodes {
		if err := s.watch.Step(); err != nil {
			return err
		}
		switch n.Class() {
		case graph.ClassSwitch, graph.ClassExit:
			s.device[n] = s.device[n.Inputs()[0].Op]
		}
	}
	for _, n := range nodes {
		if err := s.accompany(n); err != nil {
			return err
		}
	}
	return nil
}

// accompany repeats an Enter or a NextIteration on every device where a Merge takes it:
// a Merge must know which of its inputs come in which iterations.
func (s *splitter) accompany(n *graph.Node) error {
	if c := n.Class(); c != graph.ClassEnter && c != graph.ClassNextIteration || n.InputTypes()[0].IsRef() {
		return nil
	}
	by := map[int][]graph.Consumer{}
	for e := range n.Out() {
		if d := s.device[e.To.Op]; !e.IsControl() && e.To.Op.Class() == graph.ClassMerge && d != s.device[n] {
			by[d] = append(by[d], e.To)
		}
	}
	for _, device := range sortedKeys(by) {
		c, err := s.AddCopy(n, graph.CopySpec{Name: s.replica(n), Inputs: slices.Clone(n.Inputs()), Controls: slices.Clone(n.Controls())})
		if err != nil {
			return err
		}
		s.device[c] = device
		for _, to := range by[device] {
			if err := s.SetInput(to.Op, to.Index, c.Output(0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// taker is who takes what a node puts out: a Merge if there is one.
func taker(n *graph.Node) (found *graph.Node) {
	for e := range n.Out() {
		if e.IsControl() {
			continue
		}
		if e.To.Op.Class() == graph.ClassMerge {
			return e.To.Op
		}
		if found == nil {
			found = e.To.Op
		}
	}
	return found
}

// mostRepeated is how many elements a constant may have to be repeated on several
// devices.
const mostRepeated = 16

// repeatConstants puts small constants that are read on several devices on each of
// them, and any on each accelerator that reads it, where one copy serves all steps.
func (s *splitter) repeatConstants() error {
	for _, n := range s.Nodes() {
		if err := s.watch.Step(); err != nil {
			return err
		}
		if n.Class() != graph.ClassConstant || n.Type() != "Const" || s.kept[n] {
			continue
		}
		by, awaited := s.readers(n)
		all := isSmall(n) && len(by) > 1 && !awaited
		for _, device := range sortedKeys(by) {
			if !all && (device == s.device[n] || !s.Copies || s.Devices[device].Type == "CPU") {
				continue
			}
			c, err := s.AddCopy(n, graph.CopySpec{Name: s.replica(n), Controls: slices.Clone(n.Controls())})
			if err != nil {
				return err
			}
			s.device[c] = device
			for _, to := range by[device] {
				if err := s.SetInput(to.Op, to.Index, c.Output(0)); err != nil {
					return err
				}
			}
			if device == s.Client {
				s.refetch(n.Output(0), c.Output(0))
			}
			delete(by, device)
		}
		if len(by) == 0 && !awaited {
			if err := s.Remove(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// refetch fetches to in place of from.
func (s *splitter) refetch(from, to graph.Output) {
	for i, f := range s.fetches {
		if f == from {
			s.fetches[i] = to
		}
	}
}

// readers are the inputs that take what a constant puts out, by device, and whether
// somebody waits for it, too. That it is fetched is one more reader on the client.
func (s *splitter) readers(n *graph.Node) (by map[int][]graph.Consumer, awaited bool) {
	by = map[int][]graph.Consumer{}
	for e := range n.Out() {
		if e.IsControl() {
			awaited = true
			continue
		}
		d := s.device[e.To.Op]
		by[d] = append(by[d], e.To)
	}
	if slices.Contains(s.fetches, n.Output(0)) && by[s.Client] == nil {
		by[s.Client] = []graph.Consumer{}
	}
	return by, awaited
}

func isSmall(n *graph.Node) bool {
	v := n.Attrs().Find("value")
	return v != nil && v.Tensor != nil && v.Tensor.NumElements() <= mostRepeated
}

// readReferences lets references be read where the variable is: an edge from one to a
// value that is wanted elsewhere becomes one from an Identity, which reads when all
// else that its reader waits for has come, as the reader would have.
func (s *splitter) readReferences() error {
	for _, n := range s.Nodes() {
		if err := s.watch.Step(); err != nil {
			return err
		}
		for k, from := range n.Inputs() {
			if !from.DataType().IsRef() || s.device[from.Op] == s.device[n] {
				continue
			}
			if n.InputTypes()[k].IsRef() {
				return status.Invalid("node '%s' on %s takes a reference to a variable, '%v', which is on %s", n.Name(), s.Devices[s.device[n]].Name, from, s.Devices[s.device[from.Op]].Name)
			}
			var after []*graph.Node
			if n.Class() != graph.ClassMerge {
				after = s.besides(n, k)
			}
			read, err := s.add(s.device[from.Op], from.Op, graph.OpSpec{
				Type: "Identity", Input: []graph.Input{from}, Attrs: graph.Attrs{"T": from.DataType().Base()}, ControlDependencies: after,
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

// replica returns a name for another copy of a node.
func (s *splitter) replica(n *graph.Node) string {
	s.number++
	return s.UniqueName(n.Name() + "/replicate/_" + strconv.Itoa(s.number-1))
}
