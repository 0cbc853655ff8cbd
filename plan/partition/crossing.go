package partition

import (
	"maps"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/tensor"
)

// A crossing is what a Send and a Recv stand for: an output, or a node as a whole, that
// is wanted on a device, in that memory.
type crossing struct {
	from graph.Output // of index Control: the node
	to   int
	host bool
}

// A group is a crossing and those who want it.
type group struct {
	crossing
	takers  []graph.Consumer
	fetches []int // positions of fetches
}

// findCrossings notes all edges between devices.
func (s *splitter) findCrossings() error {
	for _, n := range s.Nodes() {
		if err := s.watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		for k, from := range n.Inputs() {
			if s.device[from.Op] != s.device[n] {
				s.want(from, graph.Consumer{Op: n, Index: k})
			}
		}
		for _, c := range n.Controls() {
			if s.device[c] != s.device[n] {
				s.want(graph.Output{Op: c, Index: graph.Control}, graph.Consumer{Op: n, Index: graph.Control})
			}
		}
	}
	for i, f := range s.fetches {
		if s.device[f.Op] != s.Client {
			g := s.group(crossing{from: f, to: s.Client})
			g.fetches = append(g.fetches, i)
		}
	}
	return nil
}

// want notes an edge between devices.
func (s *splitter) want(from graph.Output, by graph.Consumer) {
	to := s.device[by.Op]
	g := s.group(crossing{from: from, to: to, host: by.Index >= 0 && s.takesFromHost(by)})
	g.takers = append(g.takers, by)
}

func (s *splitter) group(c crossing) *group {
	g := s.groups[c]
	if g == nil {
		g = &group{crossing: c}
		s.groups[c] = g
		s.order = append(s.order, g)
	}
	return g
}

// takesFromHost reports whether an input is wanted in the memory of the host.
func (s *splitter) takesFromHost(by graph.Consumer) bool {
	if by.Op.Class() == graph.ClassSwitch {
		return by.Index == 1 // the predicate
	}
	in, _ := s.memory(by.Op)
	return in[by.Index] == devices.HostMemory
}

// memory returns where the inputs and outputs of a node lie: found once, for a node may have
// thousands of them that cross.
func (s *splitter) memory(n *graph.Node) (inputs, outputs []devices.Memory) {
	m, ok := s.memories[n]
	if !ok {
		m.inputs, m.outputs = kernel.Memory(s.Devices[s.device[n]].Type, &kernel.Construction{
			Node: n.Name(), Op: n.Def(), Attrs: n.Attrs(), Inputs: n.InputTypes(), Outputs: n.OutputTypes(),
		})
		if s.memories == nil {
			s.memories = map[*graph.Node]memory{}
		}
		s.memories[n] = m
	}
	return m.inputs, m.outputs
}

// A memory is where the inputs and outputs of a node lie.
type memory struct{ inputs, outputs []devices.Memory }

// cut puts a Send and a Recv in place of every edge between devices.
func (s *splitter) cut() error {
	for _, g := range s.order {
		if err := s.cutGroup(g); err != nil {
			return err
		}
	}
	for _, n := range s.waiting { // each once, for one may wait for many
		controls := slices.Clone(n.Controls())
		if err := s.watch.Steps(1 + len(controls)); err != nil {
			return err
		}
		for i, c := range controls {
			if by := s.instead[n][c]; by != nil {
				controls[i] = by
			}
		}
		if err := s.SetControls(n, controls...); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) cutGroup(g *group) error {
	src, from := g.from.Op, s.device[g.from.Op]
	what, sent, sendHost := g.from.String(), g.from, false
	if g.from.Index == graph.Control {
		nothing, err := tensor.New(tensor.Float, 0)
		if err != nil {
			return err
		}
		c, err := s.add(from, src, graph.OpSpec{
			Type: "Const", Name: src.Name() + "/ctrl", Attrs: graph.Attrs{"value": nothing, "dtype": tensor.Float}, ControlDependencies: []*graph.Node{src},
		})
		if err != nil {
			return err
		}
		sent = c.Output(0)
	} else {
		_, out := s.memory(src)
		sendHost = out[g.from.Index] == devices.HostMemory
	}
	own := sent.DataType().Base()
	crosses := own
	if s.Cast != nil && g.from.Index != graph.Control {
		if t := s.Cast(g.from, from, g.to); t != tensor.Invalid && t != own {
			crosses = t
		}
	}
	var err error
	if crosses != own {
		if sent, err = s.cast(from, src, sent, own, crosses); err != nil {
			return err
		}
	}
	attrs := graph.Attrs{
		"tensor_name":             "edge_" + strconv.Itoa(s.transfer) + "_" + src.Name(),
		"send_device":             s.Devices[from].Name,
		"send_device_incarnation": int64(s.Devices[from].Incarnation),
		"recv_device":             s.Devices[g.to].Name,
		"client_terminated":       false,
	}
	s.transfer++
	with := func(name string, v tensor.DType) graph.Attrs {
		a := maps.Clone(attrs)
		a[name] = v
		return a
	}
	send, err := s.add(from, src, graph.OpSpec{Type: onHost("Send", sendHost), Input: []graph.Input{sent}, Attrs: with("T", crosses)})
	if err != nil {
		return err
	}
	after := []*graph.Node{send}
	if f := s.frameOf[src]; f != 0 {
		after = append(after, s.loops[place{f, g.to}].trigger(s.phases[src]))
	}
	recv, err := s.add(g.to, src, graph.OpSpec{Type: onHost("Recv", g.host), Attrs: with("tensor_type", crosses), ControlDependencies: after})
	if err != nil {
		return err
	}
	s.transfers = append(s.transfers, plan.Transfer{Send: send, Recv: recv, From: from, To: g.to, Tensor: what})
	got := recv.Output(0)
	if crosses != own {
		if got, err = s.cast(g.to, src, got, crosses, own); err != nil {
			return err
		}
	}
	if g.from.Index == graph.Control {
		i, err := s.add(g.to, src, graph.OpSpec{Type: "Identity", Input: []graph.Input{got}})
		if err != nil {
			return err
		}
		for _, t := range g.takers {
			if s.instead[t.Op] == nil {
				s.instead[t.Op] = map[*graph.Node]*graph.Node{}
				s.waiting = append(s.waiting, t.Op)
			}
			s.instead[t.Op][src] = i
		}
		return nil
	}
	if !g.host {
		s.received = append(s.received, receipt{g, recv})
	}
	for _, t := range g.takers {
		if err := s.SetInput(t.Op, t.Index, got); err != nil {
			return err
		}
	}
	for _, i := range g.fetches {
		s.fetches[i] = got
	}
	return nil
}

func (s *splitter) cast(device int, of *graph.Node, o graph.Output, from, to tensor.DType) (graph.Output, error) {
	n, err := s.add(device, of, graph.OpSpec{Type: "Cast", Input: []graph.Input{o}, Attrs: graph.Attrs{"SrcT": from, "DstT": to}})
	return n.Output(0), err
}

// onHost returns the operation that moves a tensor from, or into, the device's memory or
// the host's.
func onHost(op string, host bool) string {
	if host {
		return "_Host" + op
	}
	return "_" + op
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
