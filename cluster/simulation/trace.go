package simulation

import (
	"fmt"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// A Trace gets a line for each event; nil for none.
type Trace func(line string)

func (w *world) tracef(format string, args ...any) {
	if w.trace != nil {
		w.trace(fmt.Sprintf("%9.3f ", float64(w.now)/1000) + fmt.Sprintf(format, args...))
	}
}

// packetText prints a packet when a trace is kept.
type packetText struct {
	from protocol.Peer
	protocol.Sent
}

// String returns the packet in a line.
func (t packetText) String() string {
	p := t.Packet
	s := fmt.Sprintf("%d→%d %s %x.%d/%x.%d", t.from, t.To, p.Kind, uint64(p.Conn.Dialer)>>48, p.Conn.Dial, uint64(p.Conn.Acceptor)>>48, p.Conn.Accept)
	if p.Kind == protocol.Data || p.Kind == protocol.Beat {
		s += fmt.Sprintf(" ack %d", p.Ack)
	}
	if p.Kind == protocol.Data {
		m := p.Message
		s += fmt.Sprintf(" #%d %s step %d", p.Number, m.Verb, m.Step.Step)
		if m.Handle != 0 {
			s += fmt.Sprintf(" handle %d", m.Handle)
		}
		if m.Key != "" {
			s += " " + m.Key
		}
		if m.Size != 0 {
			s += fmt.Sprintf(" %d bytes", m.Size)
		}
		if m.Err != nil {
			s += fmt.Sprintf(" (%v)", m.Err)
		}
	}
	return s
}
