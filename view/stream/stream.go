package stream

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Options configure a [Server].
type Options struct {
	Token string // "" serves the loopback interface alone
	// Known, in place of Token, reports whether an Authorization header is right.
	Known func(authorization string) bool
	// Anyone serves clients of other machines without a token: for a handler in front of
	// which another one decides who may call.
	Anyone  bool
	Viewers int // that may look at once; 0: 16
	// Clock is time.Now, if nil. Tick, if not nil, starts what ticks at intervals.
	Clock func() time.Time
	Tick  func(time.Duration) (tick <-chan time.Time, stop func())
}

const (
	mostViewers = 16
	shortest    = 100 * time.Millisecond
	longest     = time.Minute
)

// A Server serves a page and its events.
type Server struct {
	o    Options
	open chan struct{} // full while as many look as may
	page []byte
	csp  string
}

// New returns a server of a page with its Content-Security-Policy.
func New(page []byte, policy string, o Options) *Server {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Tick == nil {
		o.Tick = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTicker(d)
			return t.C, t.Stop
		}
	}
	return &Server{o: o, open: make(chan struct{}, cmp.Or(o.Viewers, mostViewers)), page: page, csp: policy}
}

// Now returns the time of the server's clock.
func (s *Server) Now() time.Time { return s.o.Clock() }

// Page replies with the page.
func (s *Server) Page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		Refuse(w, http.StatusMethodNotAllowed, "GET")
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", s.csp+"; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cache-Control", "no-store")
	w.Write(s.page)
}

// Refuse replies with an error.
func Refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.Error(w, text, code)
}

// Allowed returns why a request is refused; nil if it is not.
func (s *Server) Allowed(r *http.Request) error {
	if s.o.Token != "" || s.o.Known != nil {
		a := r.Header.Get("Authorization")
		if s.o.Known != nil && !s.o.Known(a) || s.o.Known == nil && subtle.ConstantTimeCompare([]byte(a), []byte("Bearer "+s.o.Token)) != 1 {
			return errors.New("the request has no token, or another one: open the page with #token=TOKEN")
		}
		return nil
	}
	local := loopback(r.RemoteAddr)
	if !local && !s.o.Anyone {
		return errors.New("without a token only this machine is served")
	}
	if local && !loopback(r.Host) {
		return fmt.Errorf("the name %q is not that of the loopback interface: open the page as localhost", r.Host)
	}
	return nil
}

// loopback reports whether an address, with a port or without, is of this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Events streams what sample returns, as JSON, at the interval that the request's query
// names: every=500ms. begin is called once the viewer is admitted; close when it has gone.
func (s *Server) Events(w http.ResponseWriter, r *http.Request, begin func() (sample func(context.Context) any, close func())) {
	select {
	case s.open <- struct{}{}:
		defer func() { <-s.open }()
	default:
		Refuse(w, http.StatusServiceUnavailable, "as many look already as may")
		return
	}
	every := time.Second
	if text := r.URL.Query().Get("every"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			Refuse(w, http.StatusBadRequest, "every: a duration, such as 500ms")
			return
		}
		every = min(max(d, shortest), longest)
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // which a test's writer does not have
	control.SetWriteDeadline(time.Time{})
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	sample, done := begin()
	defer done()
	tick, stop := s.o.Tick(every)
	defer stop()
	for {
		data, err := json.Marshal(sample(r.Context()))
		if err != nil {
			return
		}
		control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a reader that is stuck is dropped
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-tick:
		case <-r.Context().Done():
			return
		}
	}
}
