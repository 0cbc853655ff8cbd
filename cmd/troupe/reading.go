package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

// tick is how often a reading looks. In that time a process can touch some 100 MB, but
// what it reads from files asks the [ceiling] as well.
const tick = 10 * time.Millisecond

// ceiling is the memory that the process may have from the system while a command reads; 0
// is no limit. It is the process's, as is what [inUse] counts.
var ceiling atomic.Int64

// underCeiling is a reader that fails when the process has more memory than [ceiling]: a
// file without an end fills memory faster than a reading looks.
type underCeiling struct{ io.Reader }

func (r underCeiling) Read(p []byte) (int, error) {
	const between = 4 << 20
	if most := bytesFlag(ceiling.Load()); most > 0 && inUse() > int64(most) {
		return 0, tooLarge{most}
	}
	return r.Reader.Read(p[:min(len(p), between)])
}

// readFile is [os.ReadFile] under the [ceiling].
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < maxModel {
		if most := bytesFlag(ceiling.Load()); most > 0 && info.Size() > int64(most) {
			return nil, tooLarge{most}
		}
		b.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = b.ReadFrom(underCeiling{f})
	return b.Bytes(), err
}

// A tooLarge is the error of a reading that passes its limit of memory.
type tooLarge struct{ most bytesFlag }

func (t tooLarge) Error() string {
	return fmt.Sprintf("reading takes more than %v of memory (--max-memory)", &t.most)
}

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
	restore := r.limitMemory()
	answer := make(chan error, 1)
	go func() {
		answer <- command(cmd, args)
		r.end()
	}()
	err := r.watch(ctx)
	restore()
	passed := err != nil
	if !passed {
		err = <-answer
	}
	if large := (tooLarge{}); errors.As(err, &large) {
		passed, err = true, large
	}
	if passed {
		return unreadable{fmt.Errorf("%s %s: %w", cmd.CommandPath(), strings.Join(args, " "), err)}
	}
	return err
}

// limitMemory sets the process's limits of memory, until the function that it returns is called.
func (r *reading) limitMemory() (restore func()) {
	before := debug.SetMemoryLimit(-1)
	if r.memory > 0 && int64(r.memory) < before {
		debug.SetMemoryLimit(int64(r.memory)) // for the collector
	}
	ceiling.Store(int64(r.memory))
	return func() {
		debug.SetMemoryLimit(before)
		ceiling.Store(0)
	}
}

// interruptedReading is how long a command that reads may go on after an interrupt: it
// may wait in a call of the system that knows no context.
const interruptedReading = 500 * time.Millisecond

// watch returns when a limit is passed, when ctx has ended and the command goes on all the
// same, or when nothing is bounded any more.
func (r *reading) watch(ctx context.Context) error {
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
				return tooLarge{r.memory}
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
