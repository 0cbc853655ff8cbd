package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressAfter is how long something goes on before a terminal shows its progress.
const progressAfter = time.Second

// A screen is a terminal on which a line of progress may be drawn: what is written
// meanwhile goes above that line, which would else be drawn over it.
type screen struct {
	w   io.Writer
	mu  sync.Mutex
	bar *mpb.Progress // while it is drawn
}

// Write writes whole lines.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		if n, err := s.bar.Write(b); err == nil {
			return n, nil
		}
	}
	return s.w.Write(b)
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
		text.Store(line(ctx))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// loading does what may take long and shows on a terminal that it goes on.
func loading(cmd *cobra.Command, what string, do func() error) error {
	stderr := cmd.ErrOrStderr()
	if !isTerminal(stderr) {
		return do()
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		(&screen{w: stderr}).progress(ctx, func(context.Context) string { return "loading " + what })
	})
	defer wg.Wait()
	defer cancel()
	return do()
}
