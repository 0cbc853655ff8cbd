//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
)

func TestQuitTellsWhatAStepWaitsFor(t *testing.T) {
	s, err := conformance.LoadScript(control + "/while_nested_two")
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Graph()
	if err != nil {
		t.Fatal(err)
	}
	sess, err := troupe.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	forever, err := troupe.NewTensor(int32(1 << 30))
	if err != nil {
		t.Fatal(err)
	}
	feeds := map[troupe.Output]*troupe.Tensor{}
	for _, name := range []string{"n", "m"} {
		feeds[g.Operation(name).Output(0)] = forever
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		sess.RunContext(ctx, feeds, []troupe.Output{g.Operation("while/Exit").Output(0)}, nil)
	})
	for len(sess.Inspect(ctx, 1)) == 0 {
		runtime.Gosched()
	}

	r, w := io.Pipe()
	stop := monitor(ctx, sess, w)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "step session") || !strings.Contains(line, "while/while_context[") {
		t.Errorf("%q, %v", line, err)
	}
	go io.Copy(io.Discard, r)
	stop()
	w.Close()
	cancel()
	wg.Wait()
}
