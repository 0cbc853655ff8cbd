package cluster

import (
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// version begins every packet; processes of other versions do not understand each other.
const version = 6

// appendPacket encodes a packet for a process. Its value, if it has one, is a *parcel or, of
// what was taken from another process and is passed on, nothing.
func (s *shell) appendPacket(to protocol.Peer, p *protocol.Packet) []byte {
	e := encoder{make([]byte, 0, 256)}
	e.byte(version)
	e.byte(byte(p.Kind))
	for _, v := range []uint64{uint64(p.Conn.Dialer), uint64(p.Conn.Acceptor)} {
		e.fixed(v)
	}
	for _, v := range []uint64{p.Conn.Dial, p.Conn.Accept, p.Number, p.Ack} {
		e.uint(v)
	}
	if p.Kind != protocol.Data {
		return e.b
	}
	m := &p.Message
	e.byte(byte(m.Verb))
	e.fixed(uint64(m.Step.Master))
	for _, v := range []uint64{m.Step.Number, m.Step.Step, m.Handle, m.Floor} {
		e.uint(v)
	}
	e.int(m.Size)
	e.string(m.Key)
	e.uint(uint64(len(m.Peers)))
	for _, peer := range m.Peers {
		e.string(s.address(peer))
	}
	appendError(&e, m.Err)
	parcel, _ := m.Value.(*parcel)
	s.appendParcel(&e, to, parcel)
	return e.b
}

// packet decodes a packet, which may hold anything. Its peers are returned as addresses.
func (s *shell) packet(from string, b []byte) (p protocol.Packet, peers []string, err error) {
	d := decoder{b: b}
	if v := d.byte(); v != version && d.err == nil {
		return p, nil, status.Errorf(status.FailedPrecondition, "%s speaks version %d of the protocol, this process version %d", from, v, version)
	}
	p.Kind = protocol.PacketKind(d.byte())
	if p.Kind < protocol.Hello || p.Kind > protocol.Echo {
		d.fail()
		return p, nil, d.err
	}
	p.Conn.Dialer, p.Conn.Acceptor = protocol.Incarnation(d.fixed()), protocol.Incarnation(d.fixed())
	p.Conn.Dial, p.Conn.Accept, p.Number, p.Ack = d.uint(), d.uint(), d.uint(), d.uint()
	if p.Kind != protocol.Data || d.err != nil {
		return p, nil, d.err
	}
	m := &p.Message
	m.Verb = protocol.Verb(d.byte())
	m.Step.Master = protocol.Incarnation(d.fixed())
	m.Step.Number, m.Step.Step, m.Handle, m.Floor = d.uint(), d.uint(), d.uint(), d.uint()
	m.Size = d.int()
	m.Key = d.string()
	if m.Size < 0 {
		d.fail()
	}
	peers = d.strings()
	m.Err = readError(&d)
	if a := readArrival(&d, from); a != nil {
		m.Value = a
	}
	return p, peers, d.err
}

// appendError encodes an error; nil too.
func appendError(e *encoder, err error) {
	if err == nil {
		e.byte(0)
		return
	}
	s := status.From(err)
	e.byte(max(byte(s.Code), 1))
	for _, text := range []string{s.Message, s.Node, s.Op, s.Tag, s.Device} {
		if len(text) > maxText {
			text = text[:maxText]
		}
		e.string(text)
	}
}

// maxText bounds an error's text: packets are small.
const maxText = 8 << 10

func readError(d *decoder) error {
	code := status.Code(d.byte())
	if code == status.OK {
		return nil
	}
	return &status.Error{Code: code, Message: d.string(), Node: d.string(), Op: d.string(), Tag: d.string(), Device: d.string()}
}
