package partition

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// A copied is an output that is wanted in a memory other than its own.
type copied struct {
	from   graph.Output
	memory devices.Memory
}

// copy puts an _Upload or a _Download into every edge of an accelerator's between its
// memory and the host's, and a _Copy behind a Recv of what is in another accelerator's, one
// for all who want the copy. It comes after all else: by then an edge has both ends on one
// device. Sends and Recvs are of the host's memory but where an accelerator sends another
// what lies in its own.
func (s *splitter) copy() error {
	if !s.Copies {
		return nil
	}
	direct := map[*graph.Node]bool{} // Sends and Recvs of what stays where it is
	for _, t := range s.transfers {
		if s.Devices[t.From].Type == "CPU" || s.Devices[t.To].Type == "CPU" || t.Recv.Type() != "_Recv" {
			continue
		}
		from := t.Send.Inputs()[0]
		if _, lies := s.lies(from.Op); lies[from.Index] == devices.DeviceMemory {
			direct[t.Send], direct[t.Recv] = true, true
		}
	}
	made := map[copied]graph.Output{}
	for _, n := range s.Nodes() {
		if err := s.watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		at := s.device[n]
		if s.Devices[at].Type == "CPU" {
			continue
		}
		if direct[n] && n.Class() == graph.ClassSend {
			continue
		}
		want, _ := s.lies(n)
		for k, from := range n.Inputs() {
			if _, have := s.lies(from.Op); have[from.Index] == want[k] && !direct[from.Op] {
				continue
			}
			c := copied{from, want[k]}
			to, ok := made[c]
			if !ok {
				spec := graph.OpSpec{Type: "_Upload", Input: []graph.Input{from}}
				switch {
				case want[k] == devices.HostMemory: // of any accelerator's memory
					spec.Type = "_Download"
				case direct[from.Op]:
					spec.Type = "_Copy"
				case from.Op.Class() == graph.ClassConstant:
					spec.Attrs = graph.Attrs{"constant": true}
				}
				by, err := s.add(at, from.Op, spec)
				if err != nil {
					return err
				}
				to = by.Output(0)
				made[c] = to
			}
			if err := s.SetInput(n, k, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// lies returns where the inputs and outputs of a node on an accelerator are. What a step hands
// on itself is in the device's memory, but for what the step looks at, and for int32,
// which is shapes and counters as a rule; what it makes is the host's; and so is what can
// be nowhere else.
func (s *splitter) lies(n *graph.Node) (inputs, outputs []devices.Memory) {
	inputs, outputs = make([]devices.Memory, n.NumInputs()), make([]devices.Memory, n.NumOutputs())
	everywhere := func(list []devices.Memory) {
		for i := range list {
			list[i] = devices.HostMemory
		}
	}
	hands := false
	switch n.Class() {
	case graph.ClassSwitch:
		hands, inputs[1] = true, devices.HostMemory // the predicate
	case graph.ClassMerge:
		hands, outputs[1] = true, devices.HostMemory // which input it was
	case graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassIdentity:
		hands = true
	case graph.ClassSend, graph.ClassRecv, graph.ClassConstant, graph.ClassLoopCond, graph.ClassCall:
		everywhere(inputs)
		everywhere(outputs)
	default:
		inputs, outputs = s.memory(n)
	}
	for _, side := range []struct {
		memory []devices.Memory
		types  []tensor.DType
	}{{inputs, n.InputTypes()}, {outputs, n.OutputTypes()}} {
		for i, t := range side.types {
			if t.IsRef() || t.HasPointers() || hands && t == tensor.Int32 {
				side.memory[i] = devices.HostMemory
			}
		}
	}
	return inputs, outputs
}
