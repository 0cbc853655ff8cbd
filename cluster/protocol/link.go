package protocol

import "slices"

// A Link is one process's end of its connection with another one. Of two processes one
// dials, the other accepts. After a loss the dialer connects again.
type Link struct {
	self     Incarnation
	dials    bool
	patience int

	state   linkState
	conn    Conn
	pending Conn // of an acceptor: the one that it has named, until the dialer confirms it
	counter uint64

	sent     []sentMessage // in order; from acked on, what is not acknowledged
	acked    int
	next     uint64 // the number of the next message
	received uint64 // all up to this one have come
	early    map[uint64]Message
	beats    uint64 // since the link was made
	heard    uint64 // the beat at which the connection was heard last
	echoed   uint64 // the beat at which the latest Echo came
	moved    uint64 // the beat at which the oldest of sent became the oldest
}

type linkState uint8

const (
	closed linkState = iota
	dialing
	open
)

// A sentMessage is kept until it is acknowledged.
type sentMessage struct {
	number uint64
	beat   uint64 // when it was sent last
	m      Message
}

// maxEarly bounds the messages kept that came before one that they follow. What comes
// beyond is sent again.
const maxEarly = 1024

// A LinkEvent is what a packet or a beat changes for the link's owner.
type LinkEvent struct {
	Lost      bool // the connection that was open, or dialed, is no more. It comes before Opened
	Opened    bool
	Delivered []Message // in order, once; of the connection that is open now
	Packets   []Packet  // for the network
}

// NewLink returns a link that is closed. One that dials does so at the next beat. counter is
// the highest number that connections with the other process may have had.
func NewLink(self Incarnation, dials bool, patience int, counter uint64) *Link {
	return &Link{self: self, dials: dials, patience: max(patience, minPatience), counter: counter}
}

// Counter returns the highest number that this end has given to a connection.
func (l *Link) Counter() uint64 { return l.counter }

// Open reports whether the link has a connection.
func (l *Link) Open() bool { return l.state == open }

// Conn returns the connection, which is only meaningful while the link is open.
func (l *Link) Conn() Conn { return l.conn }

// Remote returns the incarnation of the other process. The link is open.
func (l *Link) Remote() Incarnation {
	if l.dials {
		return l.conn.Acceptor
	}
	return l.conn.Dialer
}

// Unacknowledged returns how many messages may have to be sent again.
func (l *Link) Unacknowledged() int { return len(l.sent) - l.acked }

// Send sends a message. It is dropped unless the link is open.
func (l *Link) Send(m Message, ev *LinkEvent) {
	if l.state != open {
		return
	}
	l.next++
	if l.Unacknowledged() == 0 {
		l.moved = l.beats
	}
	l.sent = append(l.sent, sentMessage{l.next, l.beats, m})
	ev.Packets = append(ev.Packets, Packet{Kind: Data, Conn: l.conn, Number: l.next, Ack: l.received, Message: m})
}

// Beat is called in each period of the timer.
func (l *Link) Beat(ev *LinkEvent) {
	l.beats++
	switch l.state {
	case closed:
		if l.dials {
			l.counter++
			l.state, l.conn, l.heard = dialing, Conn{Dialer: l.self, Dial: l.counter}, l.beats
			ev.Packets = append(ev.Packets, Packet{Kind: Hello, Conn: l.conn})
		}
	case dialing:
		if l.beats-l.heard >= uint64(l.patience) {
			l.lose(ev)
			return
		}
		ev.Packets = append(ev.Packets, Packet{Kind: Hello, Conn: l.conn})
	case open:
		if l.beats-l.heard >= uint64(l.patience) || l.Unacknowledged() > 0 && l.beats-l.moved >= uint64(l.patience) {
			l.lose(ev)
			return
		}
		if l.beats-l.echoed >= uint64(l.patience) { // what is asked for on the way there does not come back
			l.lose(ev)
			return
		}
		for i := l.acked; i < len(l.sent); i++ {
			if s := &l.sent[i]; l.beats-s.beat >= 2 {
				s.beat = l.beats
				ev.Packets = append(ev.Packets, Packet{Kind: Data, Conn: l.conn, Number: s.number, Ack: l.received, Message: s.m})
			}
		}
		ev.Packets = append(ev.Packets, Packet{Kind: Beat, Conn: l.conn, Ack: l.received})
	}
}

// Drop closes the connection, as the owner wants no more of it.
func (l *Link) Drop(ev *LinkEvent) {
	if l.state == open {
		ev.Packets = append(ev.Packets, Packet{Kind: Reset, Conn: l.conn})
	}
	l.lose(ev)
}

// lose closes the connection.
func (l *Link) lose(ev *LinkEvent) {
	ev.Lost = ev.Lost || l.state != closed
	l.state, l.conn = closed, Conn{}
	l.forget()
	ev.Delivered = nil
}

// forget empties what belongs to a connection.
func (l *Link) forget() {
	l.sent, l.acked, l.early, l.next, l.received = nil, 0, nil, 0, 0
	l.heard, l.moved, l.echoed = l.beats, l.beats, l.beats
}

// Receive takes a packet, which may be of any connection, old or forged.
func (l *Link) Receive(p Packet, ev *LinkEvent) {
	switch p.Kind {
	case Hello:
		l.hello(p, ev)
	case Challenge:
		l.challenge(p, ev)
	case Reset:
		if l.state == open && p.Conn == l.conn {
			l.lose(ev)
		}
	case Data, Beat:
		if l.state != open || p.Conn != l.conn {
			if l.dials || p.Conn != l.pending || p.Conn.Accept == 0 {
				ev.Packets = append(ev.Packets, Packet{Kind: Reset, Conn: p.Conn})
				return
			}
			// The dialer confirms what this process has named: it lives, and any
			// connection before is of a process or a call that has ended.
			l.lose(ev)
			l.state, l.conn, l.pending = open, p.Conn, Conn{}
			ev.Opened = true
		}
		l.take(p, ev)
		if p.Kind == Beat {
			ev.Packets = append(ev.Packets, Packet{Kind: Echo, Conn: p.Conn})
		}
	case Echo:
		if l.state == open && p.Conn == l.conn {
			l.echoed = l.beats
		}
	}
}

// hello names a connection for who asks for one, again for who asks again.
func (l *Link) hello(p Packet, ev *LinkEvent) {
	if l.dials || p.Conn.Dialer == 0 {
		return
	}
	same := func(c Conn) bool { return c.Dialer == p.Conn.Dialer && c.Dial == p.Conn.Dial }
	switch {
	case l.state == open && same(l.conn):
		ev.Packets = append(ev.Packets, Packet{Kind: Challenge, Conn: l.conn})
		return
	case l.state == open && l.conn.Dialer == p.Conn.Dialer && p.Conn.Dial < l.conn.Dial:
		return // delayed
	case !same(l.pending):
		l.counter++
		l.pending = Conn{p.Conn.Dialer, p.Conn.Dial, l.self, l.counter}
	}
	ev.Packets = append(ev.Packets, Packet{Kind: Challenge, Conn: l.pending})
}

// challenge opens the connection that was dialed, and confirms it.
func (l *Link) challenge(p Packet, ev *LinkEvent) {
	if l.state != dialing || p.Conn.Dialer != l.conn.Dialer || p.Conn.Dial != l.conn.Dial || p.Conn.Acceptor == 0 {
		return
	}
	l.state, l.conn = open, p.Conn
	l.forget()
	ev.Opened = true
	ev.Packets = append(ev.Packets, Packet{Kind: Beat, Conn: l.conn})
}

// take takes a packet of the open connection.
func (l *Link) take(p Packet, ev *LinkEvent) {
	l.heard = l.beats
	for l.acked < len(l.sent) && l.sent[l.acked].number <= p.Ack {
		l.sent[l.acked] = sentMessage{}
		l.acked++
		l.moved = l.beats
	}
	if l.acked > len(l.sent)/2 { // so that a message is moved once at most, on average
		l.sent = slices.Delete(l.sent, 0, l.acked)
		l.acked = 0
	}
	if p.Kind != Data || p.Number <= l.received {
		return
	}
	if p.Number != l.received+1 {
		if _, again := l.early[p.Number]; !again && len(l.early) < maxEarly {
			if l.early == nil {
				l.early = map[uint64]Message{}
			}
			l.early[p.Number] = p.Message
		}
		return
	}
	m, more := p.Message, true
	for more {
		l.received++
		ev.Delivered = append(ev.Delivered, m)
		if m, more = l.early[l.received+1]; more {
			delete(l.early, l.received+1)
		}
	}
}
