package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"math"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// A client is this process as a master: it has the sessions of all targets that are reached
// with the same options.
type client struct {
	*shell
	core    *protocol.Master
	key     clientKey
	users   int // sessions
	next    uint64
	request uint64

	calls sync.Mutex
	open  map[uint64]*call // by request
}

// A call is a request whose reply has not come.
type call struct {
	reply    chan protocol.Effect
	exchange *exchange // of a partial run; else nil
}

// A clientKey is what sessions that share a client have in common.
type clientKey struct {
	listen, advertise, token string
	tls                      *tls.Config
	bound                    time.Duration
}

var clients struct {
	sync.Mutex
	all     map[clientKey]*client
	closing map[clientKey]chan struct{} // closed when the client has ended: its port is free
}

// enter returns the client for some options, which leave gives back.
func enter(key clientKey, log *zerolog.Logger) (*client, error) {
	clients.Lock()
	defer clients.Unlock()
	for clients.closing[key] != nil {
		ended := clients.closing[key]
		clients.Unlock()
		<-ended
		clients.Lock()
	}
	c := clients.all[key]
	if c == nil {
		var err error
		if c, err = newClient(key, log); err != nil {
			return nil, err
		}
		if clients.all == nil {
			clients.all, clients.closing = map[clientKey]*client{}, map[clientKey]chan struct{}{}
		}
		clients.all[key] = c
	}
	c.users++
	return c, nil
}

func (c *client) leave() error {
	clients.Lock()
	c.users--
	last := c.users == 0
	clients.Unlock()
	if !last {
		return nil
	}
	c.flush() // meanwhile others may enter
	ended := make(chan struct{})
	clients.Lock()
	if last = c.users == 0 && clients.all[c.key] == c; last {
		delete(clients.all, c.key)
		clients.closing[c.key] = ended
	}
	clients.Unlock()
	if !last {
		return nil
	}
	err := c.end()
	clients.Lock()
	delete(clients.closing, c.key)
	clients.Unlock()
	close(ended)
	return err
}

// flush waits until the workers have got everything, or their patience would have ended.
func (c *client) flush() {
	t := time.NewTicker(c.bound / beatsPerBound / 4)
	defer t.Stop()
	for range 4 * patience {
		c.mu.Lock()
		n := c.core.Unacknowledged()
		c.mu.Unlock()
		if n == 0 {
			return
		}
		<-t.C
	}
}

func newClient(key clientKey, log *zerolog.Logger) (*client, error) {
	c := &client{shell: newShell(key.bound, log), key: key, open: map[uint64]*call{}}
	c.shell.perform = c.perform
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	c.endpoint, err = remote.Listen(remote.Options{
		Listen: key.listen, Advertise: key.advertise, Token: key.token, TLS: key.tls, Silence: c.bound / 2, Log: c.log,
	}, remote.Handler{Packet: c.packetCame, Blob: c.office.blob, Ask: func(context.Context, []byte) ([]byte, error) {
		return nil, status.Errorf(status.Unimplemented, "this process is not a worker")
	}})
	if err != nil {
		return nil, err
	}
	c.core = protocol.NewMaster(c.self, c.config(0))
	c.receive, c.beat, c.knows = c.core.Receive, c.core.Beat, c.core.Knows
	c.start()
	return c, nil
}

// perform does what the core asks for.
func (c *client) perform(e protocol.Effect) {
	switch e.Kind {
	case protocol.Reply:
		c.calls.Lock()
		open := c.open[e.Request]
		delete(c.open, e.Request)
		c.calls.Unlock()
		if open != nil {
			open.reply <- e
		}
	case protocol.Deliver:
		c.calls.Lock()
		open := c.open[e.Request]
		c.calls.Unlock()
		if open != nil && open.exchange != nil {
			open.exchange.came(e.Key, e.Value)
		}
	case protocol.Forget:
		c.forget(e.Peer)
	}
}

// run runs a step of a graph of a session: a parcel of feeds for each part in, what each part
// fetches out. x is of a partial run; else nil.
func (c *client) run(ctx context.Context, session, graph uint64, feeds []any, x *exchange) (protocol.Effect, error) {
	reply := make(chan protocol.Effect, 1)
	c.calls.Lock()
	c.request++
	request := c.request
	c.open[request] = &call{reply, x}
	c.calls.Unlock()
	c.do(func(out *protocol.Outbox) { c.core.Run(request, session, graph, feeds, out) })
	if x != nil {
		x.feed(request)
	}
	select {
	case e := <-reply:
		return e, e.Err
	case <-ctx.Done():
	}
	c.do(func(out *protocol.Outbox) { c.core.Cancel(request, status.FromContext(ctx), out) })
	e := <-reply // within the bound, as workers that do not end are given up
	return e, e.Err
}

// Ask returns the status of the workers of a target, each with the error of the one that could
// not be asked. o may be nil.
func Ask(ctx context.Context, target string, o *session.ClusterOptions) ([]Status, []error, error) {
	return askAll(ctx, target, o, request{What: askStatus})
}

// Reset clears containers of the workers of a target, all if none are named: their variables,
// queues and tables are gone. The default container is "".
func Reset(ctx context.Context, target string, o *session.ClusterOptions, containers ...string) error {
	all, errs, err := askAll(ctx, target, o, request{What: askReset, Containers: containers})
	for i, e := range errs {
		if err == nil && e != nil {
			err = unreached(all[i].Address, e)
		}
	}
	return err
}

// unreached is the error of a worker that did not answer.
func unreached(address string, err error) error {
	e := *status.From(err)
	if e.Code == status.DeadlineExceeded {
		e.Code = status.Unavailable
	}
	return status.Within(&e, "worker at %s cannot be reached", address)
}

func askAll(ctx context.Context, target string, o *session.ClusterOptions, r request) ([]Status, []error, error) {
	if o == nil {
		o = &session.ClusterOptions{}
	}
	addresses, err := parseTarget(target)
	if err != nil {
		return nil, nil, err
	}
	c, err := enter(keyOf(addresses, o), nil)
	if err != nil {
		return nil, nil, err
	}
	defer c.leave()
	all, errs := c.ask(ctx, addresses, r, math.MaxInt64)
	return all, errs, nil
}

// ask asks workers at the same time. Where connections are still refused after that time it
// gives up; it waits for a worker that does not answer until ctx ends.
func (c *client) ask(ctx context.Context, addresses []string, r request, refused time.Duration) ([]Status, []error) {
	b, _ := json.Marshal(r)
	all, errs := make([]Status, len(addresses)), make([]error, len(addresses))
	began := time.Now()
	var done sync.WaitGroup
	for i, address := range addresses {
		done.Go(func() {
			response, err := c.endpoint.Ask(ctx, address, b, false)
			for isRefused(err) && ctx.Err() == nil && time.Since(began) < refused {
				select {
				case <-time.After(refusedPause):
				case <-ctx.Done():
				}
				again, e := c.endpoint.Ask(ctx, address, b, false)
				if e != nil && ctx.Err() != nil {
					break // with the reason, not with the end of ctx
				}
				response, err = again, e
			}
			if status.CodeOf(err) == status.Unavailable && !isRefused(err) {
				response, err = c.endpoint.Ask(ctx, address, b, true)
			}
			if err == nil {
				err = json.Unmarshal(response, &all[i])
			}
			all[i].Address, errs[i] = address, err
		})
	}
	done.Wait()
	return all, errs
}

const refusedPause = 50 * time.Millisecond

// isRefused reports whether nothing listens at an address.
func isRefused(err error) bool {
	return status.CodeOf(err) == status.Unavailable &&
		(strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "actively refused")) // on Windows
}

// parseTarget returns the addresses in "troupe://host:port,host:port".
func parseTarget(target string) ([]string, error) {
	list, ok := strings.CutPrefix(target, scheme+"://")
	if !ok || list == "" {
		return nil, status.Invalid("target %q: want %s://HOST:PORT,HOST:PORT", target, scheme)
	}
	addresses := strings.Split(list, ",")
	seen := map[string]bool{}
	for i, a := range addresses {
		host, port, err := net.SplitHostPort(a)
		if err != nil {
			return nil, status.Invalid("target %q: %v", target, err)
		}
		if host == "" || host == "localhost" {
			host = "127.0.0.1"
		}
		if addresses[i] = net.JoinHostPort(host, port); seen[addresses[i]] {
			return nil, status.Invalid("target %q: worker %s is named twice", target, a)
		}
		seen[addresses[i]] = true
	}
	return addresses, nil
}

// keyOf returns the key of the client for a target.
func keyOf(addresses []string, o *session.ClusterOptions) clientKey {
	k := clientKey{o.Listen, o.Advertise, o.Token, o.TLS, o.Bound}
	if k.listen != "" {
		return k
	}
	for _, a := range addresses {
		if host, _, _ := net.SplitHostPort(a); !remote.Loopback(host) {
			k.listen = net.JoinHostPort(outward(a), "0")
			break
		}
	}
	return k
}

// outward returns the address of the interface that leads to another address.
func outward(address string) string {
	conn, err := net.Dial("udp", address) // sends nothing
	if err != nil {
		return "127.0.0.1"
	}
	defer conn.Close()
	host, _, err := net.SplitHostPort(conn.LocalAddr().String())
	if err != nil {
		return "127.0.0.1"
	}
	return host
}
