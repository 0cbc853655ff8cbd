package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/troupe-go/troupe/plain"
)

// progressAfter is how long something goes on before a terminal shows its progress.
const progressAfter = time.Second

// raw returns the stream below one on which text is escaped: for bytes that are no text, and
// for what is drawn on a terminal.
func raw(w io.Writer) io.Writer {
	if p, ok := w.(*plain.Writer); ok {
		return p.Unwrap()
	}
	return w
}

func isTerminal(w io.Writer) bool {
	f, ok := raw(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A screen is a terminal on which a line of progress may be drawn: what is written
// meanwhile goes above that line, which would else be drawn over it.
type screen struct {
	w   io.Writer // raw
	mu  sync.Mutex
	bar *mpb.Progress // while it is drawn
}

func newScreen(w io.Writer) *screen { return &screen{w: raw(w)} }

// Write writes whole lines, escaped.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := []byte(plain.Text(string(b)))
	if s.bar != nil {
		if _, err := s.bar.Write(text); err == nil {
			return len(b), nil
		}
	}
	if _, err := s.w.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// progress shows how long something takes, and what line says of it, until ctx ends:
// nothing if that is soon.
func (s *screen) progress(ctx context.Context, line func(context.Context) string) {
	begin := time.Now()
	select {
	case <-time.After(progressAfter):
	case <-ctx.Done():
		return
	}
	var text atomic.Value
	text.Store("")
	p := mpb.New(mpb.WithOutput(s.w), mpb.WithWidth(3))
	bar := p.AddSpinner(0, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
		return fmt.Sprintf("%v %s", time.Since(begin).Round(time.Second), text.Load())
	})))
	s.mu.Lock()
	s.bar = p
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.bar = nil // from now on lines go straight to the terminal, below those of the bar
		s.mu.Unlock()
		bar.Abort(true)
		p.Wait()
	}()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		text.Store(plain.Line(line(ctx)))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// loading does what may take long and shows on a terminal that it goes on.
func loading(cmd *cobra.Command, what string, do func() error) error {
	return showing(cmd, func() string { return "loading " + what }, do)
}

// showing does what may take long and shows a line about it on a terminal.
func showing(cmd *cobra.Command, line func() string, do func() error) error {
	stderr := cmd.ErrOrStderr()
	if !isTerminal(stderr) {
		return do()
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		newScreen(stderr).progress(ctx, func(context.Context) string { return line() })
	})
	defer wg.Wait()
	defer cancel()
	return do()
}
