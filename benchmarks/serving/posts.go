package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync"
)

// posts sends one request again and again over connections that are kept. It costs a fraction
// of what net/http's client does: where client and server share a machine, its cost is taken
// from the server.
type posts struct {
	address string
	text    []byte
	mu      sync.Mutex
	idle    []*post
}

type post struct {
	net.Conn
	from *bufio.Reader
}

func newPosts(address, path, body string) *posts {
	return &posts{address: address, text: fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", path, address, len(body), body)}
}

// ask sends the request, and returns the status of the reply.
func (p *posts) ask() (code int, err error) {
	p.mu.Lock()
	var c *post
	if n := len(p.idle); n > 0 {
		c, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if c == nil {
		conn, err := net.Dial("tcp", p.address)
		if err != nil {
			return 0, err
		}
		c = &post{conn, bufio.NewReader(conn)}
	}
	code, last, err := c.ask(p.text)
	if err != nil || last {
		c.Close()
		return code, err
	}
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
	return code, nil
}

// ask sends a request; last says that the server closes the connection.
func (c *post) ask(text []byte) (code int, last bool, err error) {
	if _, err := c.Write(text); err != nil {
		return 0, false, err
	}
	size := 0
	for first := true; ; first = false {
		line, err := c.from.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(": "))
		switch {
		case first && len(line) > 12:
			code, err = strconv.Atoi(string(line[9:12]))
		case len(name) == 0:
			_, err = c.from.Discard(size)
			return code, last, err
		case string(name) == "Content-Length":
			size, err = strconv.Atoi(string(value))
		case string(name) == "Connection":
			last = string(value) == "close"
		}
		if err != nil {
			return 0, false, err
		}
	}
}
