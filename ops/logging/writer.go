package logging

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Fields of the message Event.
const (
	eventTime    = 1
	eventStep    = 2
	eventVersion = 3
	eventGraph   = 4
	eventSummary = 5
)

func init() {
	registry.Define("SummaryWriter").
		Output("writer: resource").
		Attr("shared_name: string = ''").
		Attr("container: string = ''").
		Stateful().
		Doc("Names a writer of summaries, which does nothing before it is created.")
	registry.Define("CreateSummaryFileWriter").
		Input("writer: resource").Input("logdir: string").Input("max_queue: int32").
		Input("flush_millis: int32").Input("filename_suffix: string").
		Leaves("writer").
		Stateful().
		Doc(`Creates a writer's file of events, unless it has one.

writer: The output of SummaryWriter.
logdir: The directory, which is made if it is missing.
max_queue: How many events may wait to be written.
flush_millis: After how many milliseconds they are written in any case.
filename_suffix: What the file's name ends with.`)
	registry.Define("FlushSummaryWriter").
		Input("writer: resource").
		Leaves("writer").
		Stateful().
		Doc("Writes the events that wait.")
	registry.Define("CloseSummaryWriter").
		Input("writer: resource").
		Leaves("writer").
		Stateful().
		Doc("Writes the events that wait and closes a writer.")
	registry.Define("WriteScalarSummary").
		Input("writer: resource").Input("step: int64").Input("tag: string").
		Input("value: T").
		Leaves("writer").
		Attr("T: realnumbertype").
		Stateful().
		Doc(`Writes a number as an event.

writer: The writer.
step: The step that it belongs to.
tag: What it is shown under.
value: The number, a scalar.`)
	registry.Define("WriteHistogramSummary").
		Input("writer: resource").Input("step: int64").Input("tag: string").
		Input("values: T").
		Leaves("writer").
		Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} = DT_FLOAT").
		Stateful().
		Doc(`Writes a histogram of numbers as an event.

writer: The writer.
step: The step that it belongs to.
tag: What it is shown under.
values: The numbers.`)
	registry.Define("WriteAudioSummary").
		Input("writer: resource").Input("step: int64").Input("tag: string").
		Input("tensor: float").Input("sample_rate: float").
		Leaves("writer").
		Attr("max_outputs: int >= 1 = 3").
		Stateful().
		Doc(`Writes sounds as an event.

writer: The writer.
step: The step that they belong to.
tag: What they are shown under.
tensor: As in AudioSummaryV2.
sample_rate: Frames a second.
max_outputs: The most sounds to show.`)
	registry.Define("WriteImageSummary").
		Input("writer: resource").Input("step: int64").Input("tag: string").
		Input("tensor: T").Input("bad_color: uint8").
		Leaves("writer").
		Attr("max_images: int >= 1 = 3").
		Attr("T: {uint8, double, float, half} = DT_FLOAT").
		Stateful().
		Doc(`Writes images as an event.

writer: The writer.
step: The step that they belong to.
tag: What they are shown under.
tensor: As in ImageSummary.
bad_color: The color of pixels that are not finite.
max_images: The most images to show.`)
	registry.Define("WriteSummary").
		Input("writer: resource").Input("step: int64").Input("tensor: T").
		Input("tag: string").Input("summary_metadata: string").
		Leaves("writer").
		Attr("T: type").
		Stateful().
		Doc(`Writes a tensor as an event.

writer: The writer.
step: The step that it belongs to.
tag: What it is shown under.
summary_metadata: A serialized SummaryMetadata, which says how it is shown.`)
	registry.Define("WriteRawProtoSummary").
		Input("writer: resource").Input("step: int64").Input("tensor: string").
		Leaves("writer").
		Stateful().
		Doc(`Writes serialized summaries as one event.

writer: The writer.
step: The step that they belong to.
tensor: The summaries.`)
	registry.Define("WriteGraphSummary").
		Input("writer: resource").Input("step: int64").Input("tensor: string").
		Leaves("writer").
		Stateful().
		Doc(`Writes a graph as an event.

writer: The writer.
step: The step that it belongs to.
tensor: A serialized GraphDef.`)
	registry.Define("ImportEvent").
		Input("writer: resource").Input("event: string").
		Leaves("writer").
		Stateful().
		Doc(`Writes a serialized event.

writer: The writer.
event: The event.`)

	shape.Register(shape.Scalars, "SummaryWriter")
	shape.Register(shape.NoOutputs, "CreateSummaryFileWriter", "FlushSummaryWriter", "CloseSummaryWriter", "WriteScalarSummary",
		"WriteHistogramSummary", "WriteAudioSummary", "WriteImageSummary", "WriteSummary", "WriteRawProtoSummary", "WriteGraphSummary", "ImportEvent")

	kernel.ForAll(newSummaryWriter, "SummaryWriter")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(createFile), nil }, "CreateSummaryFileWriter")
	kernel.ForAll(onWriter(func(w *eventWriter, _ *kernel.Context, _ []tensor.Value) error { return w.flush() }), "FlushSummaryWriter")
	kernel.ForAll(onWriter(func(w *eventWriter, _ *kernel.Context, _ []tensor.Value) error { return w.close() }), "CloseSummaryWriter")
	writeSummaryOf("WriteScalarSummary", func(*kernel.Construction) kernel.Func { return scalarSummary })
	writeSummaryOf("WriteHistogramSummary", func(c *kernel.Construction) kernel.Func {
		f := histogramSummary(c.Node)
		return func(ctx *kernel.Context, in, out []tensor.Value) error {
			if in[1].DType() == tensor.Bool {
				numbers, err := ctx.Alloc(tensor.Uint8, in[1].Dims())
				if err != nil {
					return err
				}
				for i, x := range tensor.Of[bool](&in[1]) {
					tensor.Of[uint8](&numbers)[i] = map[bool]uint8{true: 1}[x]
				}
				in = []tensor.Value{in[0], numbers}
			}
			return f.Run(ctx, in, out)
		}
	})
	writeSummaryOf("WriteAudioSummary", func(c *kernel.Construction) kernel.Func { return audioSummary(c.Int("max_outputs")).Run })
	writeSummaryOf("WriteSummary", func(*kernel.Construction) kernel.Func {
		return func(ctx *kernel.Context, in, out []tensor.Value) error {
			if in[1].Rank() != 0 || in[2].Rank() != 0 {
				return status.Invalid("tag and summary_metadata must be scalars, got shapes %s and %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()))
			}
			if tensor.At0[string](&in[2]) != "" {
				return taggedTensorSummary(ctx, []tensor.Value{in[1], in[0], in[2]}, out)
			}
			b, err := tensorField(ctx, appendText(nil, valueTag, tensor.At0[string](&in[1])), &in[0], 0)
			if err != nil {
				return err
			}
			return putSummary(ctx, &out[0], b)
		}
	})
	writeSummaryOf("WriteRawProtoSummary", func(*kernel.Construction) kernel.Func { return joinSummaries })
	kernel.ForAll(onWriter(func(w *eventWriter, ctx *kernel.Context, in []tensor.Value) error {
		return w.event(ctx, &in[0], eventGraph, &in[1])
	}), "WriteGraphSummary")
	kernel.ForAll(onWriter(func(w *eventWriter, _ *kernel.Context, in []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("event must be a scalar, got shape %s", tensor.FormatDims(in[0].Dims()))
		}
		event := []byte(tensor.At0[string](&in[0]))
		if c := wire.NewCursor("Event", event); !skims(&c) {
			return status.Invalid("Unable to parse event: %v", c.Err())
		}
		return w.write(event)
	}), "ImportEvent")
}

// skims reports whether a message can be read from end to end.
func skims(c *wire.Cursor) bool {
	for c.Next() {
	}
	return c.Err() == nil
}

// joinSummaries makes one summary of several: serialized messages are joined by
// putting them one behind the other.
func joinSummaries(ctx *kernel.Context, in, out []tensor.Value) error {
	var all []byte
	for _, s := range tensor.Of[string](&in[0]) {
		if c := wire.NewCursor("Summary", []byte(s)); !skims(&c) {
			return status.Invalid("Bad tf.compat.v1.Summary binary proto tensor string: %v", c.Err())
		}
		all = append(all, s...)
	}
	return ctx.PutText(&out[0], string(all))
}

// A summaryWriter is what the name of a writer stands for: events are written
// once it has a file.
type summaryWriter struct {
	mu   sync.Mutex
	file *eventWriter // nil before it is created and after it is closed
}

// An eventWriter is an open file of events, guarded by the lock of its
// summaryWriter.
type eventWriter struct {
	of      *summaryWriter
	out     *os.File
	waiting []byte
	events  int
	most    int // events that may wait
	every   time.Duration
	flushed time.Time
}

func newSummaryWriter(c *kernel.Construction) (kernel.Kernel, error) {
	container, name := c.Label()
	var cache resource.Cache[*summaryWriter]
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		w, err := cache.Named(ctx.Step.In(container), container, name, func() (*summaryWriter, error) { return &summaryWriter{}, nil })
		out[0] = tensor.Scalar(&tensor.Handle{Device: c.Device, Container: container, Name: name, Type: "SummaryWriterInterface", Value: w})
		return err
	}), nil
}

// Close closes the file when the session ends.
func (s *summaryWriter) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		_ = s.file.close() // there is nobody to tell
	}
}

// onWriter makes the kernel of an operation that writes, after the handle.
//
//go:noinline
func onWriter(run func(w *eventWriter, ctx *kernel.Context, in []tensor.Value) error) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, _ []tensor.Value) error {
			s, err := resource.Held[*summaryWriter](&in[0])
			if err != nil {
				return err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.file == nil {
				return status.Errorf(status.NotFound, "the summary writer has not been created, or has been closed")
			}
			return run(s.file, ctx, in[1:])
		}), nil
	}
}

// writeSummaryOf registers the kernel of an operation that writes what another
// operation's kernel makes of the inputs after writer and step.
//
//go:noinline
func writeSummaryOf(op string, summarize func(c *kernel.Construction) kernel.Func) {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		f := summarize(c)
		k, err := onWriter(func(w *eventWriter, ctx *kernel.Context, in []tensor.Value) error {
			var out [1]tensor.Value
			return ctx.Within(func() error {
				if err := f(ctx, in[1:], out[:]); err != nil {
					return err
				}
				return w.event(ctx, &in[0], eventSummary, &out[0])
			})
		})(c)
		return k, err
	}, op)
}

// createFile returns the kernel of CreateSummaryFileWriter.
func createFile(ctx *kernel.Context, in, _ []tensor.Value) error {
	s, err := resource.Held[*summaryWriter](&in[0])
	if err != nil {
		return err
	}
	for i, what := range []string{"logdir", "max_queue", "flush_millis", "filename_suffix"} {
		if in[1+i].Rank() != 0 {
			return status.Invalid("%s must be a scalar, got shape %s", what, tensor.FormatDims(in[1+i].Dims()))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		return nil
	}
	dir, suffix := tensor.At0[string](&in[1]), tensor.At0[string](&in[4])
	if err := ctx.Step.Files.MkdirAll(dir); err != nil {
		return status.FromFile(err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	now := time.Now()
	var f *os.File
	for f == nil { // another process may have taken the name within this second
		name := filepath.Join(dir, fmt.Sprintf("events.out.tfevents.%010d.%d.%s%s", now.Unix(), ctx.Step.Resources.NextID(), host, suffix))
		if f, err = ctx.Step.Files.CreateNew(name); err != nil && status.CodeOf(err) != status.AlreadyExists {
			return err
		}
		if err := ctx.Err(); err != nil {
			if f != nil {
				f.Close()
			}
			return err
		}
	}
	s.file = &eventWriter{of: s, out: f, most: int(tensor.At0[int32](&in[2])), every: time.Duration(tensor.At0[int32](&in[3])) * time.Millisecond, flushed: now}
	first := appendTime(nil, now)
	if err := s.file.write(wire.AppendField(first, eventVersion, "brain.Event:2")); err != nil {
		return err
	}
	return s.file.flush()
}

// appendTime appends the time of an event, in seconds since 1970.
func appendTime(b []byte, t time.Time) []byte {
	b = protowire.AppendTag(b, eventTime, protowire.Fixed64Type)
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(t.UnixMicro())/1e6))
}

// event writes an event of a step with a field that is a message.
func (w *eventWriter) event(_ *kernel.Context, step *tensor.Value, field protowire.Number, message *tensor.Value) error {
	if step.Rank() != 0 || message.Rank() != 0 {
		return status.Invalid("step and what is written must be scalars, got shapes %s and %s", tensor.FormatDims(step.Dims()), tensor.FormatDims(message.Dims()))
	}
	b := appendTime(nil, time.Now())
	b = wire.AppendNumber(b, eventStep, uint64(tensor.At0[int64](step)))
	return w.write(wire.AppendField(b, field, tensor.At0[string](message)))
}

// write lets an event wait, or writes all that wait if they are too many or have
// waited too long. They take no more than a mebibyte.
func (w *eventWriter) write(event []byte) error {
	w.waiting = wire.AppendRecord(w.waiting, event)
	w.events++
	if w.events > w.most || len(w.waiting) > 1<<20 || time.Since(w.flushed) >= w.every {
		return w.flush()
	}
	return nil
}

func (w *eventWriter) flush() error {
	_, err := w.out.Write(w.waiting)
	w.waiting, w.events, w.flushed = w.waiting[:0], 0, time.Now()
	return status.FromFile(err)
}

func (w *eventWriter) close() error {
	err := w.flush()
	if e := w.out.Close(); err == nil {
		err = status.FromFile(e)
	}
	w.of.file = nil
	return err
}
