package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A worker runs cases in a child process that ends up in [Serve], one after
// another. A child that dies or hangs is replaced, and the case it was at is
// told. A worker is for one goroutine.
type worker struct {
	command []string
	memory  int64 // limit of the child; 0: none
	child   *child
}

// A request asks a child to run one case.
type request struct {
	Path   string
	Index  int
	Name   string
	Config Config
}

// A child is a running child process.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	results chan Result // closed when the child's output ends
	stderr  tail
}

func (w *worker) run(ctx context.Context, c *Case, cfg Config) Result {
	fresh := w.child == nil
	r, died := w.ask(ctx, c, cfg)
	if !died || fresh || ctx.Err() != nil {
		return r
	}
	// Earlier cases of the same child may have had a hand in it.
	if again, died := w.ask(ctx, c, cfg); !died {
		r.Detail = fmt.Sprintf("%s (after other cases; alone: %s %s)", r.Detail, again.Verdict, again.Detail)
	}
	return r
}

// ask has the child run one case; died says that the child is gone.
func (w *worker) ask(ctx context.Context, c *Case, cfg Config) (r Result, died bool) {
	r = Result{Case: c.Name, Engine: cfg.Engine, Verdict: Failed}
	if w.child == nil {
		child, err := startChild(w.command, w.memory)
		if err != nil {
			r.Detail = err.Error()
			return r, true
		}
		w.child = child
	}
	start := time.Now()
	limit := c.limit(cfg)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	if err := json.NewEncoder(w.child.in).Encode(request{c.path, c.index, c.Name, cfg}); err != nil {
		r.Detail = "the process is gone: " + err.Error() + "\n" + w.stop()
		return r, true
	}
	select {
	case got, ok := <-w.child.results:
		if ok {
			return got, false
		}
		r.Detail = "the process died: " + w.stop()
	case <-timer.C:
		r.Detail = fmt.Sprintf("it did not end within %v and was killed %s", limit, w.stop())
	case <-ctx.Done():
		w.stop()
		r.Detail = context.Cause(ctx).Error()
	}
	r.Elapsed = time.Since(start)
	return r, true
}

// stop ends the child and says what it wrote to standard error, and how it ended.
func (w *worker) stop() string {
	c := w.child
	if c == nil {
		return ""
	}
	w.child = nil
	c.in.Close()
	c.cmd.Process.Kill()
	for range c.results {
	}
	err := c.cmd.Wait()
	return strings.TrimSpace(fmt.Sprintf("%v\n%s", err, &c.stderr))
}

// close lets the child end by itself.
func (w *worker) close() {
	c := w.child
	if c == nil {
		return
	}
	w.child = nil
	c.in.Close()
	for range c.results {
	}
	c.cmd.Wait()
}

func startChild(command []string, memory int64) (*child, error) {
	args := command[1:]
	if memory > 0 {
		args = append(args[:len(args):len(args)], fmt.Sprint(memory))
	}
	c := &child{cmd: exec.Command(command[0], args...), results: make(chan Result)}
	c.cmd.Stderr = &c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.in = in
	go func() {
		defer close(c.results)
		dec := json.NewDecoder(bufio.NewReader(out))
		for {
			var r Result
			if dec.Decode(&r) != nil {
				return
			}
			c.results <- r
		}
	}()
	return c, nil
}

// limit returns the time after which a case has certainly missed the limits of its
// load and its steps.
func (c *Case) limit(cfg Config) time.Duration {
	each := cfg.timeout()
	step := each
	if c.deadline > 0 {
		step = c.deadline
	}
	return each + time.Duration(c.steps)*(step+grace) + grace
}

// A tail keeps the first lines of what is written to it: of a crash they say most.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailSize = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b[:min(len(b), tailSize-t.buf.Len())])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
