package hostile

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Limits is what an attacked process may use.
type Limits struct {
	Memory   int64         // the session's, in bytes
	Deadline time.Duration // the session's
	Engine   string
}

// An Outcome is what an attack came to, as the process that was attacked tells
// it.
type Outcome struct {
	Code    status.Code
	Message string        `json:",omitempty"`
	Took    time.Duration // from importing the graph to the answer; see [Attack.Run]
	Grown   int64         // bytes of resident memory at the peak, above what there was before
	Left    int64         // bytes of them that were still resident afterwards
}

// Run carries an attack out in this process. The time that it takes is by the clock, or
// the processor time of the process if that is less, so that a busy machine does not count.
func (a Attack) Run(l Limits) (Outcome, error) {
	b := &builder{Scope: op.NewScope()}
	a.Build(b)
	g, err := b.Finalize()
	if err != nil {
		return Outcome{}, fmt.Errorf("the attack does not build: %w", err)
	}
	debug.FreeOSMemory()
	before, err := resident("VmRSS")
	if err != nil {
		return Outcome{}, err
	}
	if err := resetPeak(); err != nil {
		return Outcome{}, err
	}
	// The collector runs when the heap has doubled unless it is told what the
	// process may take. It counts the memory that it manages.
	debug.SetMemoryLimit(managed() + l.Memory + slackMemory/2)
	began, used := time.Now(), processorTime()
	err = b.play(g, l)
	o := Outcome{Code: status.CodeOf(err), Took: time.Since(began)}
	if now := processorTime(); now != math.MaxInt64 {
		o.Took = min(o.Took, now-used)
	}
	if err != nil {
		o.Message = err.Error()
		if len(o.Message) > 300 {
			o.Message = fmt.Sprintf("%s… (%d bytes)", o.Message[:300], len(o.Message))
		}
	}
	peak, err := resident("VmHWM")
	if err != nil {
		return Outcome{}, err
	}
	o.Grown = peak - before
	debug.FreeOSMemory()
	after, err := resident("VmRSS")
	o.Left = after - before
	return o, err
}

func (b *builder) play(g *tf.Graph, l Limits) error {
	if b.read != nil {
		return b.read(l.Memory)
	}
	fetches := b.fetches
	ctx, cancel := context.WithTimeout(context.Background(), l.Deadline)
	defer cancel()
	if b.def != nil || b.lines != "" {
		g = tf.NewGraph()
		if b.lines != "" {
			if err := notation.Add(g, b.lines); err != nil {
				return err
			}
		} else if _, err := g.ImportGraphDefContext(ctx, b.def, graph.ImportOptions{}); err != nil {
			return err
		}
		y := g.Operation("y")
		if y == nil {
			return fmt.Errorf("there is no y")
		}
		fetches = []tf.Output{y.Output(0)}
	}
	o := tf.SessionOptions{MemoryLimit: l.Memory, Timeout: l.Deadline, Engine: l.Engine, Files: &tf.FilePolicy{}, SeparateSteps: b.apart}
	if b.devices > 0 {
		o.Devices = map[string]int{"CPU": b.devices}
	}
	s, err := tf.NewSession(g, &o)
	if err != nil {
		return err
	}
	feeds := map[tf.Output]*tf.Tensor{}
	if p := g.Operation("p"); p != nil {
		v, err := tf.NewTensor(true)
		if err != nil {
			return err
		}
		feeds[p.Output(0)] = v
	}
	var run tf.RunOptions
	if b.profile {
		run.Profile, run.Metadata = true, &tf.RunMetadata{}
	}
	_, err = s.RunWithOptions(ctx, run, feeds, fetches, b.targets)
	if e := s.Close(); err == nil {
		err = e
	}
	return err
}

// managed returns the bytes of memory that Go's runtime has from the system.
func managed() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

// slackMemory is what a process may take beyond its session's limit.
const slackMemory = 64 << 20

// resident reads a figure of /proc/self/status, in bytes.
func resident(field string) (int64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			var kib int64
			_, err := fmt.Sscan(rest, &kib)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", field)
}

// resetPeak lets VmHWM begin again.
func resetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
