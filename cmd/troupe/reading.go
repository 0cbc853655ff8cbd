package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/serve/config"
	"github.com/troupe-go/troupe/status"
)

// A reading bounds what a command may take to load and describe files that others
// made, feeds included. It looks at the whole process, so it holds whatever the command is at.
type reading struct {
	memory bytesFlag
	time   time.Duration
	begin  time.Time
	done   chan struct{} // closed when nothing is bounded any more
	end    func()        // closes done
}

// tick is how often a reading looks. In that time a process can touch some 50 MB.
const tick = 10 * time.Millisecond

// bounded lets a command take only so much memory and time, by flags that it adds. A
// command that runs what it has loaded calls [loaded] in between: from then on its
// session's limits count.
func bounded(cmd *cobra.Command) *cobra.Command {
	r := &reading{memory: 4 << 30, time: 2 * time.Minute}
	fl := cmd.Flags()
	fl.Var(&r.memory, "max-memory", "fail if reading the model takes more than this `SIZE` of memory, such as 512MiB; 0 is no limit")
	fl.DurationVar(&r.time, "max-time", r.time, "fail if reading the model takes longer than this `DURATION`; 0 is no limit")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return r.run(cmd, args, run) }
	return cmd
}

type readingKey struct{}

// boundedWhole is [bounded] for a command that goes on within the limit of time when it
// has loaded what it was given, as long as it asks for its [deadline].
func boundedWhole(cmd *cobra.Command) *cobra.Command {
	bounded(cmd)
	cmd.Flags().Lookup("max-time").Usage = "start no schedule after this `DURATION`, reading the model included; 0 is no limit"
	return cmd
}

// deadline returns the context of a command until the limit of time.
func deadline(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	if r, ok := cmd.Context().Value(readingKey{}).(*reading); ok && r.time > 0 {
		return context.WithDeadline(cmd.Context(), r.begin.Add(r.time))
	}
	return context.WithCancel(cmd.Context())
}

// loaded says that a bounded command has read what it was given.
func loaded(cmd *cobra.Command) {
	if r, ok := cmd.Context().Value(readingKey{}).(*reading); ok {
		r.end()
	}
}

// run returns what command answers, or an error as soon as it has passed a limit. The
// command goes on then, but the process is about to exit.
func (r *reading) run(cmd *cobra.Command, args []string, command func(*cobra.Command, []string) error) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	r.begin = time.Now()
	r.done = make(chan struct{})
	r.end = sync.OnceFunc(func() { close(r.done) })
	cmd.SetContext(context.WithValue(ctx, readingKey{}, r))
	answer := make(chan error, 1)
	go func() {
		answer <- command(cmd, args)
		r.end()
	}()
	if err := r.watch(ctx); err != nil {
		return unreadable{fmt.Errorf("%s %s: %w", cmd.CommandPath(), strings.Join(args, " "), err)}
	}
	return <-answer
}

// interruptedReading is how long a command that reads may go on after an interrupt: it
// may wait in a call of the system that knows no context.
const interruptedReading = 500 * time.Millisecond

// watch returns when a limit is passed, when ctx has ended and the command goes on all the
// same, or when nothing is bounded any more.
func (r *reading) watch(ctx context.Context) error {
	if before := debug.SetMemoryLimit(-1); r.memory > 0 && int64(r.memory) < before {
		debug.SetMemoryLimit(int64(r.memory)) // for the collector
		defer debug.SetMemoryLimit(before)
	}
	late := make(<-chan time.Time)
	if r.time > 0 {
		late = time.After(r.time)
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-r.done:
			return nil
		case <-late:
			return fmt.Errorf("reading takes longer than %v (--max-time)", r.time)
		case <-ctx.Done():
			select {
			case <-r.done:
				return nil
			case <-time.After(interruptedReading):
				return status.FromContext(ctx)
			}
		case <-ticker.C:
			if r.memory > 0 && inUse() > int64(r.memory) {
				return fmt.Errorf("reading takes more than %v of memory (--max-memory)", &r.memory)
			}
		}
	}
}

// inUse returns the bytes of memory that the process has from the system.
func inUse() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// bytesFlag is a number of bytes, with a unit if it has one.
type bytesFlag int64

func (b *bytesFlag) Type() string { return "size" }

func (b *bytesFlag) String() string {
	n, unit := *b, 0
	for n != 0 && n%1024 == 0 && unit < len(config.Units)-1 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(int64(n), 10) + config.Units[unit]
}

func (b *bytesFlag) Set(text string) error {
	n, err := config.ParseSize(text)
	if err != nil {
		return errors.New("not a number of bytes such as 512MiB")
	}
	*b = bytesFlag(n)
	return nil
}
