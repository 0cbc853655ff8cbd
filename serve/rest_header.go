package serve

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// within bounds a request by its headers, and by the handler's timeout.
func (h *rest) within(r *http.Request) (context.Context, context.CancelFunc, error) {
	d := h.o.Timeout
	for _, name := range []string{"X-Request-Timeout", "Grpc-Timeout"} {
		text := r.Header.Get(name)
		if text == "" {
			continue
		}
		asked, ok := timeout(text, name == "Grpc-Timeout")
		if !ok {
			return nil, nil, status.Invalid("%s: %s is not a time that a request may take", name, plain.Line(text))
		}
		if d <= 0 || asked < d {
			d = asked
		}
	}
	if d <= 0 {
		return r.Context(), func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), d, status.Errorf(status.DeadlineExceeded, "the request took longer than %v", d))
	return ctx, cancel, nil
}

// timeout reads a header: a number of seconds or a duration as Go writes it, or as gRPC
// does, at most eight digits and a unit.
func timeout(text string, grpc bool) (d time.Duration, ok bool) {
	if grpc {
		unit := map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond}[text[len(text)-1]]
		n, err := strconv.ParseUint(text[:len(text)-1], 10, 64)
		return time.Duration(n) * unit, err == nil && unit > 0 && n > 0 && len(text) <= 9
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		const longest = 1e6
		return time.Duration(min(x, longest) * float64(time.Second)), x > 0
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// cross answers browsers' questions whether pages of other hosts may call, and lets them.
func cross(w http.ResponseWriter, r *http.Request) (reply, bool) {
	origin := r.Header.Get("Origin")
	if strings.HasPrefix(origin, "http://") || strings.HasPrefix(origin, "https://") {
		head := w.Header()
		head.Set("Access-Control-Allow-Origin", "*")
		head.Set("Access-Control-Allow-Methods", "POST, GET")
		head.Set("Access-Control-Allow-Headers", "Content-Type")
		if r.Method == http.MethodOptions {
			return reply{code: http.StatusOK}, true
		}
	}
	return reply{}, false
}
