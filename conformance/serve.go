package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Serve returns the child's side of an isolated run: it reads requests for cases
// from in and writes their results to out until in ends. With a memory limit
// above 0 it ends the process, loudly, when the process takes more bytes.
func Serve(ctx context.Context, in io.Reader, out io.Writer, memory int64) error {
	if memory > 0 {
		debug.SetMemoryLimit(memory / 8 * 7)
		go watchMemory(ctx, memory)
	}
	if stdout := os.Stdout; out == io.Writer(stdout) { // what graphs print must not get between the answers
		os.Stdout = os.Stderr
		defer func() { os.Stdout = stdout }()
	}
	groups := map[string][]*Case{}
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		cases, ok := groups[q.Path]
		if !ok {
			var err error
			if cases, err = Load(q.Path); err != nil {
				return err
			}
			groups[q.Path] = cases
		}
		if q.Index < 0 || q.Index >= len(cases) || cases[q.Index].Name != q.Name {
			return fmt.Errorf("%s: case %d is not %s", q.Path, q.Index, q.Name)
		}
		if memory > 0 {
			debug.FreeOSMemory() // what the last case left is not this one's
		}
		if err := enc.Encode(cases[q.Index].Run(ctx, q.Config)); err != nil {
			return err
		}
	}
}

// watchMemory ends the process when it has taken more than limit bytes from
// the system.
func watchMemory(ctx context.Context, limit int64) {
	use := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(use)
		if taken := use[0].Value.Uint64() - use[1].Value.Uint64(); taken > uint64(limit) {
			fmt.Fprintf(os.Stderr, "it took %d MiB of memory, %d are allowed\n", taken>>20, limit>>20)
			os.Exit(3)
		}
	}
}
