package stream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/troupe-go/troupe/view/stream"
)

// A viewer reads one event, and goes.
func Example() {
	s := stream.New([]byte("<!doctype html>"), "default-src 'none'", stream.Options{
		Tick: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} },
	})
	ctx, leave := context.WithCancel(context.Background())
	r := httptest.NewRequestWithContext(ctx, "GET", "http://localhost/events", nil)
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	if err := s.Allowed(r); err != nil {
		fmt.Println(err)
	}
	s.Events(w, r, func() (func(context.Context) any, func()) {
		return func(context.Context) any { leave(); return map[string]int{"seen": 1} }, func() {}
	})
	fmt.Print(w.Code == http.StatusOK, " ", w.Body)
	// Output: true data: {"seen":1}
}
