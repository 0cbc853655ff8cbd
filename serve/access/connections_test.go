package access

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestConnections: at the bound the connection that has been idle for longest makes room, and
// where none is idle a new one is closed; requests that are being answered go on.
func TestConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	crowds := make(chan Crowd, 10)
	bound := NewConnections(2, func(c Crowd) { crowds <- c })
	arrived, answer := make(chan string), make(chan struct{})
	server := &http.Server{ConnState: bound.State, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			arrived <- r.URL.Path
			<-answer
		}
		io.WriteString(w, "fine")
	})}
	served := make(chan error)
	go func() { served <- server.Serve(bound.Listen(l)) }()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	send := func(c net.Conn, path string) {
		io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	// read reads a reply; "" if the connection has been closed.
	read := func(c net.Conn) string {
		b := make([]byte, 1<<10)
		n, _ := c.Read(b)
		return string(b[:n])
	}
	fine := func(what string, c net.Conn) {
		t.Helper()
		if got := read(c); !strings.HasSuffix(got, "fine") {
			t.Errorf("%s: %q", what, got)
		}
	}
	a, b := dial(), dial()
	for _, c := range []net.Conn{a, b} {
		send(c, "/")
		fine("there is room", c)
	}
	bound.mu.Lock() // until the server has noted that both are idle, in their order
	for bound.idle.next == &bound.idle || bound.idle.next.next == &bound.idle {
		bound.mu.Unlock()
		bound.mu.Lock()
	}
	first := bound.idle.next.RemoteAddr().String()
	bound.mu.Unlock()
	if first == b.LocalAddr().String() {
		a, b = b, a
	}
	c := dial()
	send(c, "/c")
	if path := <-arrived; path != "/c" {
		t.Error(path)
	}
	if got := read(a); got != "" {
		t.Errorf("the one that was idle for longest: %q", got)
	}
	send(b, "/b")
	<-arrived
	d := dial()
	if got := read(d); got != "" {
		t.Errorf("one too many: %q", got)
	}
	close(answer)
	fine("b", b)
	fine("c", c)
	b.Close()
	c.Close()
	e := dial()
	for { // the server may not have seen yet that they are closed
		send(e, "/")
		if got := read(e); got != "" {
			break
		}
		e.Close()
		e = dial()
	}
	if got := <-crowds; got != (Crowd{Open: 2, Idle: 1}) {
		t.Errorf("%+v", got)
	}
	if bound.crowd.Refused < 1 {
		t.Errorf("%+v", bound.crowd)
	}
	for _, c := range []net.Conn{a, d, e} {
		c.Close()
	}
	server.Close()
	<-served
	if bound.open != 0 {
		t.Errorf("%d connections are open in the end", bound.open)
	}
}

// TestSilentConnections: connections that are opened without a request make room.
func TestSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bound := NewConnections(2, nil)
		var ends []net.Conn
		open := func() *connection {
			a, b := net.Pipe()
			ends = append(ends, a, b)
			c := bound.admit(a)
			if c != nil {
				bound.State(c, http.StateNew)
			}
			return c
		}
		a, b := open(), open()
		if open() != nil {
			t.Error("a connection makes room before a request can have come")
		}
		time.Sleep(silence)
		bound.State(a, http.StateActive)
		c := open()
		if c == nil || !b.closed || a.closed {
			t.Error("the silent connection does not make room")
		}
		if open() != nil {
			t.Error("a connection that is new, or one that is busy, makes room")
		}
		bound.State(a, http.StateIdle)
		if open() == nil || !a.closed || c.closed {
			t.Error("the idle connection does not make room")
		}
		if bound.crowd != (Crowd{Idle: 2, Refused: 2}) || bound.open != 2 {
			t.Errorf("%+v, %d are open", bound.crowd, bound.open)
		}
		for _, c := range ends {
			c.Close()
		}
	})
}
