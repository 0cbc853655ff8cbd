package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// posts sends one request again and again over connections that are kept. It costs a fraction
// of what net/http's client does: where clients and server share a machine, their cost is
// taken from the server.
type posts struct {
	address string
	text    []byte
	mu      sync.Mutex
	idle    []*post
	open    int // connections
	most    int // that were open at a time
}

// errCrowded is that of a connection that the server has closed, as it has all it may.
var errCrowded = errors.New("the server has as many connections as it may")

type post struct {
	net.Conn
	from *bufio.Reader
}

func newPosts(address, path, body string) *posts {
	return &posts{address: address, text: fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", path, address, len(body), body)}
}

func (p *posts) close() {
	for _, c := range p.idle {
		c.Close()
	}
}

// count counts connections.
func (p *posts) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open += n
	p.most = max(p.most, p.open)
}

// ask sends the request, and returns the status of the reply and whether it says when to come
// again.
func (p *posts) ask() (code int, later bool, err error) {
	p.mu.Lock()
	var c *post
	if n := len(p.idle); n > 0 {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if c == nil {
		conn, err := net.Dial("tcp", p.address)
		if err != nil {
			return 0, false, err
		}
		p.count(1)
		c = &post{conn, bufio.NewReader(conn)}
	}
	last := false
	if code, later, last, err = c.ask(p.text); err != nil || last {
		closed := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
		if p.count(-1); closed && p.most > stormConnections {
			err = errCrowded
		}
		c.Close()
		return code, later, err
	}
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	return code, later, nil
}

func (c *post) ask(text []byte) (code int, later, last bool, err error) {
	if _, err := c.Write(text); err != nil {
		return 0, false, false, err
	}
	size := 0
	for first := true; ; first = false {
		line, err := c.from.ReadSlice('\n')
		if err != nil {
			return 0, false, false, err
		}
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(": "))
		switch {
		case first && len(line) > 12:
			code, err = strconv.Atoi(string(line[9:12]))
		case len(name) == 0:
			_, err = c.from.Discard(size)
			return code, later, last, err
		case string(name) == "Content-Length":
			size, err = strconv.Atoi(string(value))
		case string(name) == "Retry-After":
			later = true
		case string(name) == "Connection":
			last = string(value) == "close"
		}
		if err != nil {
			return 0, false, false, err
		}
	}
}
