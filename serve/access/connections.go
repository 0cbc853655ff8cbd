package access

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections bounds how many connections the listeners of a process have together. Without a
// bound clients can use up its file descriptors: it then accepts nobody, and cannot read the
// files of its models. At the bound a connection of HTTP makes room: one on which nothing has
// come for a second since it was opened, or else the one that has been idle for longest. Where
// there is none, the new one is closed. Those that are served go on.
//
// It is safe for concurrent use.
type Connections struct {
	most   int
	report func(Crowd)

	mu       sync.Mutex
	open     int
	silent   connection // the ring of those without a request yet, the oldest first
	idle     connection // that of those between requests, the longest first
	crowd    Crowd      // since the last report
	reported time.Time
}

// A Crowd is what became of connections at the bound, since it was last reported.
type Crowd struct {
	Open    int // connections that there are
	Idle    int // that were closed, as they had been silent or idle for longest
	Refused int // new ones that were closed
}

const (
	reportEvery = 10 * time.Second // a crowd, at most
	silence     = time.Second      // after which a new connection without a request makes room
)

// NewConnections returns a bound of so many connections. report, if it is not nil, is called
// when connections are closed to keep it, at most every ten seconds; it must not block.
func NewConnections(most int, report func(Crowd)) *Connections {
	c := &Connections{most: max(1, most), report: report}
	for _, ring := range []*connection{&c.silent, &c.idle} {
		ring.previous, ring.next = ring, ring
	}
	return c
}

// A connection is one that a listener has accepted.
type connection struct {
	net.Conn
	of             *Connections
	opened         time.Time
	closed         bool        // under Connections.mu, as the others
	previous, next *connection // in one of the rings; nil: it is in none
}

// Listen returns a listener whose connections are bounded. For those of HTTP to make room
// while they are idle, the server needs [Connections.State].
func (c *Connections) Listen(l net.Listener) net.Listener { return &bounded{l, c} }

type bounded struct {
	net.Listener
	of *Connections
}

// Accept accepts a connection that fits.
func (l *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if a := l.of.admit(conn); a != nil {
			return a, nil
		}
		conn.Close()
	}
}

// admit counts a connection; it returns nil if there is no room.
func (c *Connections) admit(conn net.Conn) *connection {
	c.mu.Lock()
	var makes *connection
	full := c.open >= c.most
	if full {
		if makes = c.first(); makes != nil {
			makes.remove() // which is then closed here alone
			c.crowd.Idle++
		} else {
			c.crowd.Refused++
		}
	}
	var a *connection
	if !full || makes != nil {
		c.open++
		a = &connection{Conn: conn, of: c, opened: time.Now()}
	}
	var now Crowd
	if full && c.report != nil && time.Since(c.reported) >= reportEvery {
		now = c.crowd
		now.Open = c.most
		c.crowd, c.reported = Crowd{}, time.Now()
	}
	c.mu.Unlock()
	if makes != nil {
		makes.Close()
	}
	if now.Open > 0 {
		c.report(now)
	}
	return a
}

// first returns the connection that makes room; nil if there is none. Connections.mu is held.
func (c *Connections) first() *connection {
	if a := c.silent.next; a != &c.silent && time.Since(a.opened) >= silence {
		return a
	}
	if a := c.idle.next; a != &c.idle {
		return a
	}
	return nil
}

// State is for http.Server.ConnState: it notes which connections are silent or idle.
func (c *Connections) State(conn net.Conn, s http.ConnState) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	a, ok := conn.(*connection)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a.remove()
	if a.closed || s != http.StateNew && s != http.StateIdle {
		return
	}
	ring := &c.idle
	if s == http.StateNew {
		ring = &c.silent
	}
	last := ring.previous
	a.previous, a.next = last, ring
	last.next, ring.previous = a, a
}

// remove takes a connection out of its ring, if it is in one. Connections.mu is held.
func (a *connection) remove() {
	if a.next == nil {
		return
	}
	a.previous.next, a.next.previous = a.next, a.previous
	a.previous, a.next = nil, nil
}

// Close closes the connection.
func (a *connection) Close() error {
	err := a.Conn.Close()
	a.of.mu.Lock()
	defer a.of.mu.Unlock()
	if a.remove(); !a.closed {
		a.closed = true
		a.of.open--
	}
	return err
}
