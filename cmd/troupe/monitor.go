package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe"
)

// monitor watches a session's steps until stop is called: SIGQUIT prints what
// they wait for, and a terminal shows the progress of long ones.
func monitor(ctx context.Context, sess *troupe.Session, stderr io.Writer) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	asked, forget := onQuit()
	out := newScreen(stderr)
	wg.Go(func() {
		for {
			select {
			case <-asked:
				select {
				case <-time.After(flushed):
				case <-ctx.Done():
				}
				explain(ctx, sess, out)
			case <-ctx.Done():
				return
			}
		}
	})
	if isTerminal(stderr) {
		wg.Go(func() { out.progress(ctx, new(speed).of(sess)) })
	}
	return func() {
		forget()
		cancel()
		wg.Wait()
	}
}

// flushed is how long after the signal a report comes: a terminal sends the signal first
// and then throws away what it has not shown yet, which may be the report.
const flushed = 20 * time.Millisecond

// explain prints what the running steps wait for.
func explain(ctx context.Context, sess *troupe.Session, w io.Writer) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reports := sess.Inspect(ctx, 32)
	var b strings.Builder
	for _, r := range reports {
		fmt.Fprintln(&b, r)
	}
	if len(reports) == 0 {
		fmt.Fprintf(&b, "no step of engine %s reports: none is running, one is inside a long kernel, or the engine has no reports\n", sess.Engine())
	}
	io.WriteString(w, b.String()) // at once, so that nothing comes between
}

// A speed is how fast the outermost loop of the running step goes round.
type speed struct{ last, now iteration }

// of asks a session's steps for it.
func (s *speed) of(sess *troupe.Session) func(ctx context.Context) string {
	return func(ctx context.Context) string {
		ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		if reports := sess.Inspect(ctx, 1); len(reports) > 0 {
			s.last, s.now = s.now, outermost(reports[0].At, time.Now())
		}
		return s.now.since(s.last)
	}
}

// An iteration is how far a loop had come at some moment.
type iteration struct {
	frame string
	index int64
	at    time.Time
}

// outermost returns the outermost loop of a place such as "add at while[12]/inner[3]".
func outermost(place string, at time.Time) iteration {
	_, tag, ok := strings.Cut(place, " at ")
	if !ok {
		return iteration{at: at}
	}
	tag, _, _ = strings.Cut(tag, "]")
	i := strings.LastIndexByte(tag, '[')
	if i < 0 {
		return iteration{at: at}
	}
	n, err := strconv.ParseInt(tag[i+1:], 10, 64)
	if err != nil {
		return iteration{at: at}
	}
	return iteration{tag[:i], n, at}
}

// since tells of the iteration and, if the loop is the same as before, of its speed.
func (it iteration) since(before iteration) string {
	if it.frame == "" {
		return ""
	}
	text := fmt.Sprintf("%s iteration %d", it.frame, it.index)
	if took := it.at.Sub(before.at).Seconds(); it.frame == before.frame && it.index >= before.index && took > 0 {
		text += fmt.Sprintf(", %s a second", rounded(float64(it.index-before.index)/took))
	}
	return text
}

// rounded returns a number to three digits, with k and M for thousands and millions.
func rounded(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3gM", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("%.3gk", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}
