package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/view/live"
)

// liveAt serves the live page of sessions at an address of this machine until stop is called.
func liveAt(address, title string, list func() []live.Watched, w io.Writer) (stop func(), err error) {
	if !loopback(address) {
		return nil, fmt.Errorf("--live %s: the address is localhost:PORT, for this machine alone", address)
	}
	l, err := listen(address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/live/", http.StripPrefix("/live", live.Handler(list, live.Options{Title: title, Abort: true})))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0)}
	ctx, cancel := context.WithCancel(context.Background())
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(l)
	}()
	fmt.Fprintf(w, "live at http://%s/live/\n", l.Addr())
	return func() {
		cancel()
		server.Close()
		<-done
	}, nil
}

// liveOf returns the live page of a manager's sessions.
func liveOf(models *serve.Manager, known func(string) bool) http.Handler {
	return live.Handler(func() (all []live.Watched) {
		for _, s := range models.Sessions() {
			all = append(all, live.Watched{Name: s.Name, Session: s.Session})
		}
		return all
	}, live.Options{Title: "troupe serve", Known: known, Abort: true})
}

// until ends the requests of a handler when ctx ends.
func until(ctx context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		h.ServeHTTP(w, r.WithContext(c))
	})
}
