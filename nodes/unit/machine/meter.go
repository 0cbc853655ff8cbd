package machine

import (
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/tensor"
)

// What a unit takes is recorded by a meter: kernels are given to Env.Run, which
// times them; the instructions of a metered run are counted as they are played, and
// what they stand for is found at its end.

// counted returns where the plays of instructions are counted.
func (m *Machine) counted() []int64 {
	if m.played == nil {
		m.played = make([]int64, len(m.code.Instrs))
	}
	return m.played
}

// Report gives the meter what was counted since it was asked last: nodes that are
// played without a kernel, and how often the test of each loop was asked.
func (m *Machine) Report() {
	if m.played == nil {
		return
	}
	u, meter := m.code, m.env.Meter
	for i, n := range m.played {
		if n == 0 {
			continue
		}
		m.played[i] = 0
		if node := u.Nodes[i]; node >= 0 {
			meter.Count(node, n)
		}
		loop := int32(-1)
		switch in := &u.Instrs[i]; {
		case in.Op == code.OpChain:
			for _, node := range m.chainNodes(in.X) {
				meter.Count(node, n-m.chains[in.X].told)
			}
			m.chains[in.X].told, m.chains[in.X].plays = 0, 0
		case in.Op == code.OpTogether && in.D == code.TogetherTiles:
			if s := &m.tiles[in.X]; s.at != nil && s.at[in.A] != nil {
				s.at[in.A].tell(meter)
			}
		case in.Op == code.OpLoop:
			loop = in.X
		case in.Op == code.OpLatch:
			loop = u.Latches[in.X].Loop
		case in.Op.Latches():
			loop = int32(in.D)
		}
		if loop >= 0 {
			meter.Count(u.Loops[loop].Node, n)
		}
	}
}

// Frame returns the program's frame that the machine plays; 0 is all of it.
func (m *Machine) Frame() int32 { return m.code.Frame }

// Iteration returns the number of the iteration that node At is in, of its innermost loop.
func (m *Machine) Iteration() int64 {
	if m.at == nil || m.at.Loop < 0 {
		return 0
	}
	return m.count[m.at.Loop]
}

// chainMetered is chain. Steps that were prepared are timed together, some of the times.
func (m *Machine) chainMetered(at int32, pc int) int {
	s, meter, nodes := &m.chains[at], m.env.Meter, m.chainNodes(at)
	run, begin, untold := m.env.Run, int64(0), s.plays-s.told
	wanted := meter.Wants(nodes[0], untold)
	if wanted {
		begin = meter.Clock()
	}
	m.env.Run = nil // which would have its calls played one by one
	next := m.chain(at, pc)
	m.env.Run = run
	s.plays++
	switch {
	case next == pc || next == halt:
		s.told++ // its calls tell of themselves, or the run has ended
	case wanted:
		end := meter.Clock()
		for _, node := range nodes {
			meter.Count(node, untold)
		}
		s.told = s.plays
		meter.Share(nodes, begin, end, m.Iteration(), m.chainOuts(at))
	}
	return next
}

// chainNodes returns the nodes of a chain.
func (m *Machine) chainNodes(at int32) []int32 {
	s := &m.chains[at]
	if s.nodes == nil {
		for _, c := range m.code.Chains[at].Calls {
			s.nodes = append(s.nodes, m.code.Calls[c].Node)
		}
	}
	return s.nodes
}

// chainOuts returns what the calls of a chain have put out that was just played; of those
// that have nothing to do, nothing.
func (m *Machine) chainOuts(at int32) [][]tensor.Value {
	s := &m.chains[at]
	s.outs = append(s.outs[:0], make([][]tensor.Value, len(m.code.Chains[at].Calls))...)
	k := 0
	for i, c := range m.code.Chains[at].Calls {
		if k < len(s.steps) && s.steps[k].call == &m.code.Calls[c] {
			s.outs[i] = s.steps[k].out
			k++
		}
	}
	return s.outs
}

// noteBand records the calls of a band that other goroutines have played.
func (m *Machine) noteBand(b *code.Band, s *bandState) {
	meter := m.env.Meter
	ahead := meter.Clock() - m.env.Clock()
	for i, at := range b.Calls {
		x := &s.members[i]
		meter.Record(m.code.Calls[at].Node, x.begin+ahead, x.end+ahead, m.Iteration(), -1, x.out)
	}
}
