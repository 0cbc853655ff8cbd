package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A step ends before the deadline of its call, whatever its own timeout is.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ call, timeout, want time.Duration }{
			{0, 0, 0},
			{0, time.Second, time.Second},
			{time.Second, 0, 980 * time.Millisecond},
			{time.Second, time.Second, 980 * time.Millisecond}, // as TensorFlow's client sends them
			{100 * time.Millisecond, 100 * time.Millisecond, 90 * time.Millisecond},
			{time.Second, 300 * time.Millisecond, 300 * time.Millisecond},
		} {
			ctx := context.Background()
			if c.call > 0 {
				bound, cancel := context.WithTimeout(ctx, c.call)
				defer cancel()
				ctx = bound
			}
			end, ok := deadline(ctx, c.timeout)
			if ok != (c.want > 0) || ok && time.Until(end) != c.want {
				t.Errorf("call %v, timeout %v: %v %v, want %v", c.call, c.timeout, time.Until(end), ok, c.want)
			}
		}
	})
}
