package profile

import (
	"sort"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/wire"
)

// AppendRunMetadata appends the message RunMetadata to b: StepStats with the events,
// and the cost model of the run. TensorFlow's tools read it.
func (s *Stats) AppendRunMetadata(b []byte) []byte {
	const stepStats, costGraph = 1, 2 // in RunMetadata
	var m Model
	m.Add(s)
	b = wire.AppendField(b, stepStats, s.stepStats())
	return wire.AppendField(b, costGraph, m.AppendCostGraph(nil))
}

// stepStats returns the message StepStats, one DeviceStepStats for each device. A node that has
// acted and was not timed, because it is an instruction of a unit, has an entry that takes
// no time.
func (s *Stats) stepStats() []byte {
	const (
		devStats             = 1 // in StepStats
		device, stats, names = 1, 2, 3
	)
	events := map[string][]byte{}
	threads := map[string]map[int]bool{}
	var order []string
	all := s.Events
	timed := make([]bool, len(s.Nodes))
	for _, e := range all {
		timed[e.Node] = true
	}
	for i := range s.Nodes {
		if s.Nodes[i].Count > 0 && !timed[i] {
			all = append(all[:len(all):len(all)], Event{Node: i})
		}
	}
	for i := range s.Nodes { // also where all that ran were constants
		if d := s.Nodes[i].Device; threads[d] == nil {
			threads[d] = map[int]bool{}
			order = append(order, d)
		}
	}
	free := spread(all)
	for i, e := range all {
		d := s.Nodes[e.Node].Device
		thread := e.Thread
		if thread == Elsewhere {
			thread = free[i]
		}
		threads[d][thread] = true
		events[d] = wire.AppendField(events[d], stats, s.nodeExecStats(e, thread))
	}
	var b []byte
	for _, d := range order {
		m := wire.AppendField(nil, device, d)
		m = append(m, events[d]...)
		for _, thread := range inOrder(threads[d]) {
			entry := wire.AppendNumber(nil, 1, uint64(thread))
			m = wire.AppendField(m, names, wire.AppendField(entry, 2, threadName(thread)))
		}
		b = wire.AppendField(b, devStats, m)
	}
	return b
}

func inOrder(set map[int]bool) []int {
	var list []int
	for k := range set {
		list = append(list, k)
	}
	sort.Ints(list)
	return list
}

// nodeExecStats returns the message NodeExecStats of an event.
func (s *Stats) nodeExecStats(e Event, thread int) []byte {
	const (
		name, allStart, opEnd, allEnd          = 1, 2, 4, 5 // microseconds
		output, label, scheduled, threadID     = 7, 8, 9, 10
		allStartNanos, opEndNanos, allEndNanos = 13, 15, 16
		scheduledNanos                         = 17
		slot, description, dtype, tensorShape  = 1, 3, 1, 2
	)
	n := &s.Nodes[e.Node]
	begin, took := s.Begin.UnixNano()+e.Begin, e.End-e.Begin
	b := wire.AppendField(nil, name, n.Name)
	b = wire.AppendNumber(b, allStart, uint64(begin/1000))
	b = wire.AppendNumber(b, opEnd, uint64((took+999)/1000))
	b = wire.AppendNumber(b, allEnd, uint64((took+999)/1000))
	for i, o := range n.Outputs {
		if o.Shape == nil {
			continue
		}
		d := wire.AppendNumber(nil, dtype, uint64(o.Type))
		d = wire.AppendField(d, tensorShape, shapeProto(o.Shape))
		out := wire.AppendNumber(nil, slot, uint64(i))
		b = wire.AppendField(b, output, wire.AppendField(out, description, d))
	}
	b = wire.AppendField(b, label, n.Name+" = "+n.Op)
	b = wire.AppendNumber(b, scheduled, uint64(begin/1000))
	b = wire.AppendNumber(b, threadID, uint64(thread))
	b = wire.AppendNumber(b, allStartNanos, uint64(begin))
	b = wire.AppendNumber(b, opEndNanos, uint64(took))
	b = wire.AppendNumber(b, allEndNanos, uint64(took))
	return wire.AppendNumber(b, scheduledNanos, uint64(begin))
}

// AppendCostGraph appends the message CostGraphDef to b: the nodes that have acted,
// with the means of what they took.
func (m *Model) AppendCostGraph(b []byte) []byte {
	const (
		node = 1 // in CostGraphDef

		name, device, id, inputInfo, outputInfo = 1, 2, 3, 4, 5
		controlInput, computeCost, computeTime  = 8, 9, 14

		precedingNode, precedingPort          = 1, 2 // in InputInfo
		size, aliasInputPort, shapeOf, typeOf = 1, 2, 3, 4
	)
	for i := range m.Nodes {
		n := &m.Nodes[i]
		x := wire.AppendField(nil, name, n.Name)
		x = wire.AppendField(x, device, n.Device)
		x = wire.AppendNumber(x, id, uint64(i))
		var controls []byte
		for _, in := range n.Inputs {
			if in.Port < 0 {
				controls = protowire.AppendVarint(controls, uint64(in.Node))
				continue
			}
			from := wire.AppendNumber(nil, precedingNode, uint64(in.Node))
			x = wire.AppendField(x, inputInfo, wire.AppendNumber(from, precedingPort, uint64(in.Port)))
		}
		for _, o := range n.Outputs {
			none := int64(-1)
			info := wire.AppendNumber(nil, size, uint64(o.Bytes))
			info = wire.AppendNumber(info, aliasInputPort, uint64(none))
			info = wire.AppendField(info, shapeOf, shapeProto(o.Shape))
			x = wire.AppendField(x, outputInfo, wire.AppendNumber(info, typeOf, uint64(o.Type)))
		}
		if len(controls) > 0 {
			x = wire.AppendField(x, controlInput, controls)
		}
		micros := uint64(0)
		if m.Runs > 0 {
			micros = uint64(n.Total.Microseconds() / m.Runs)
		}
		x = wire.AppendNumber(x, computeCost, micros)
		x = wire.AppendNumber(x, computeTime, micros)
		b = wire.AppendField(b, node, x)
	}
	return b
}

// shapeProto returns the message TensorShapeProto.
func shapeProto(dims []int64) []byte {
	const dim, size = 2, 1
	var b []byte
	for _, d := range dims {
		b = wire.AppendField(b, dim, wire.AppendNumber(nil, size, uint64(d)))
	}
	return b
}
