package io

import (
	"context"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

func init() {
	registry.Define("IdentityReaderV2").
		Output("reader_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a reader that gives each item of its queue back, as key and as value.")
	registry.Define("TextLineReaderV2").
		Output("reader_handle: resource").
		Attr("skip_header_lines: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a reader that returns the lines of the files whose names its queue holds.

skip_header_lines: How many lines at the beginning of each file are left out.`)
	registry.Define("WholeFileReaderV2").
		Output("reader_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a reader that gives the name and the contents of each file whose name its queue holds.")
	registry.Define("ReaderReadV2").
		Input("reader_handle: resource").Input("queue_handle: resource").Output("key: string").
		Output("value: string").
		Writes("reader_handle").Takes("queue_handle").Traits(registry.Synchronizes).
		Stateful().
		Doc(`Reads the next record, taking another item from the queue when the last is exhausted.

reader_handle: The reader.
queue_handle: A queue of strings, such as names of files.
key: What identifies the record.
value: The record.`)
	registry.Define("FixedLengthRecordReaderV2").
		Output("reader_handle: resource").
		Attr("header_bytes: int = 0").
		Attr("record_bytes: int").
		Attr("footer_bytes: int = 0").
		Attr("hop_bytes: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("encoding: string = ''").
		Stateful().
		Doc(`Makes a reader that returns records of one length from the files whose names its queue holds.

header_bytes: How many bytes at the beginning of each file are left out.
record_bytes: How long a record is.
footer_bytes: How many bytes at the end of each file are left out.
hop_bytes: How far the next record begins behind the one before; 0 for record_bytes.
encoding: "ZLIB" or "GZIP" if files are compressed, else empty.`)
	registry.Define("TFRecordReaderV2").
		Output("reader_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("compression_type: string = ''").
		Stateful().
		Doc(`Makes a reader that returns records from the TFRecord files whose names its queue holds.

compression_type: "ZLIB" or "GZIP" if files are compressed, else empty.`)
	registry.Define("ReaderReadUpToV2").
		Input("reader_handle: resource").Input("queue_handle: resource").Input("num_records: int64").
		Output("keys: string").Output("values: string").
		Writes("reader_handle").Takes("queue_handle").Traits(registry.Synchronizes).
		Stateful().
		Doc(`Reads the next records, up to a number of them, taking another item from the queue when the last is exhausted.

reader_handle: The reader.
queue_handle: A queue of strings, such as names of files.
num_records: The most records; all are of one item.
keys: What identifies the records.
values: The records.`)
	registry.Define("ReaderNumRecordsProducedV2").
		Input("reader_handle: resource").Output("records_produced: int64").
		Reads("reader_handle").
		Stateful().
		Doc("Returns how many records a reader has given.")
	registry.Define("ReaderNumWorkUnitsCompletedV2").
		Input("reader_handle: resource").Output("units_completed: int64").
		Reads("reader_handle").
		Stateful().
		Doc("Returns how many items of its queue a reader has exhausted.")
	registry.Define("ReaderSerializeStateV2").
		Input("reader_handle: resource").Output("state: string").
		Reads("reader_handle").
		Stateful().
		Doc("Gives the state of a reader as a string; readers of lines and records cannot.")
	registry.Define("ReaderRestoreStateV2").
		Input("reader_handle: resource").Input("state: string").
		Writes("reader_handle").
		Stateful().
		Doc(`Restores the state of a reader.

state: The output of ReaderSerializeStateV2.`)
	registry.Define("ReaderResetV2").
		Input("reader_handle: resource").
		Writes("reader_handle").
		Stateful().
		Doc("Sets a reader to its beginning.")

	shape.Register(shape.Scalars, "FixedLengthRecordReaderV2", "TFRecordReaderV2")
	shape.Register(shape.Rule("reader_handle: [], queue_handle: [], num_records: [] -> keys: [?], values: [?]"), "ReaderReadUpToV2")
	shape.Register(shape.Rule("reader_handle: [] -> records_produced: []"), "ReaderNumRecordsProducedV2")
	shape.Register(shape.Rule("reader_handle: [] -> units_completed: []"), "ReaderNumWorkUnitsCompletedV2")
	shape.Register(shape.Rule("reader_handle: [] -> state: []"), "ReaderSerializeStateV2")
	shape.Register(shape.Rule("reader_handle: [], state: [] ->"), "ReaderRestoreStateV2")
	shape.Register(shape.Rule("reader_handle: [] ->"), "ReaderResetV2")

	kernel.ForAll(newReader, "IdentityReaderV2", "TextLineReaderV2", "WholeFileReaderV2", "FixedLengthRecordReaderV2", "TFRecordReaderV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return readerRead{}, nil }, "ReaderReadV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return readerRead{many: true}, nil }, "ReaderReadUpToV2")
	kernel.ForAll(onReader(func(r *reader, _, out []tensor.Value) error {
		out[0] = tensor.Scalar(r.produced)
		return nil
	}), "ReaderNumRecordsProducedV2")
	kernel.ForAll(onReader(func(r *reader, _, out []tensor.Value) error {
		out[0] = tensor.Scalar(r.finished)
		return nil
	}), "ReaderNumWorkUnitsCompletedV2")
	kernel.ForAll(onReader(func(r *reader, _, out []tensor.Value) error {
		state, err := r.state()
		out[0] = tensor.Scalar(state)
		return err
	}), "ReaderSerializeStateV2")
	kernel.ForAll(onReader(func(r *reader, in, _ []tensor.Value) error {
		state, err := text(&in[1], "Reader state")
		if err != nil {
			return err
		}
		return r.restore(state)
	}), "ReaderRestoreStateV2")
	kernel.ForAll(onReader(func(r *reader, _, _ []tensor.Value) error {
		r.drop()
		r.started, r.finished, r.produced = 0, 0, 0
		return nil
	}), "ReaderResetV2")
}

// A reader gives records of the items of queues, one item after the other. Who
// reads has it for themselves; others wait in line.
type reader struct {
	kind string
	open opener

	mu    sync.Mutex
	taken bool
	line  []*claim

	// The rest belongs to who has taken the reader.
	item              string
	records           records // of item; nil if there is none
	started, finished int64   // items
	produced          int64   // records
}

// A claim is one who waits for a reader.
type claim struct {
	got  func()
	stop func() bool // stops watching the context
}

// newReader makes the kernel of an operation that makes a reader.
func newReader(c *kernel.Construction) (kernel.Kernel, error) {
	open, err := newOpener(c)
	if err != nil {
		return nil, err
	}
	container, name := c.Label()
	var cache resource.Cache[*reader]
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		r, err := cache.Named(ctx.Step.In(container), container, name, func() (*reader, error) {
			return &reader{kind: c.Op.Name, open: open}, nil
		})
		if err != nil {
			return err
		}
		if r.kind != c.Op.Name {
			return status.Invalid("the reader '%s' was made by %s and not by %s", name, r.kind, c.Op.Name)
		}
		out[0] = tensor.Scalar(&tensor.Handle{Device: c.Device, Container: container, Name: name, Type: "Reader", Value: r})
		return nil
	}), nil
}

// take calls got, without the lock, as soon as nobody else has the reader; or
// failed, if ctx ends before.
func (r *reader) take(ctx context.Context, got func(), failed func(error)) {
	r.mu.Lock()
	if !r.taken {
		r.taken = true
		r.mu.Unlock()
		got()
		return
	}
	c := &claim{got: got}
	r.line = append(r.line, c)
	c.stop = context.AfterFunc(ctx, func() {
		r.mu.Lock()
		for i, other := range r.line {
			if other == c {
				r.line = append(r.line[:i], r.line[i+1:]...)
				r.mu.Unlock()
				failed(status.FromContext(ctx))
				return
			}
		}
		r.mu.Unlock()
	})
	r.mu.Unlock()
}

// leave gives the reader to the next in line.
func (r *reader) leave() {
	r.mu.Lock()
	if len(r.line) == 0 {
		r.taken = false
		r.mu.Unlock()
		return
	}
	next := r.line[0]
	r.line = r.line[1:]
	r.mu.Unlock()
	next.stop()
	next.got()
}

// drop closes the item.
func (r *reader) drop() {
	if r.records != nil {
		r.records.Close()
		r.records = nil
	}
}

// Close closes the file that is open, when the session ends.
func (r *reader) Close() {
	r.take(context.Background(), func() {
		r.drop()
		r.leave()
	}, func(error) {})
}

// onReader makes the kernels of operations that look at a reader or set it.
//
//go:noinline
func onReader(run func(r *reader, in, out []tensor.Value) error) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
			r, err := resource.Held[*reader](&in[0])
			if err != nil {
				done(err)
				return
			}
			r.take(ctx.Step.Context, func() {
				err := run(r, in, out)
				r.leave()
				done(err)
			}, done)
		}), nil
	}
}

// An asyncFunc is a kernel that may wait.
type asyncFunc func(ctx *kernel.Context, in, out []tensor.Value, done func(error))

// Start calls f.
func (f asyncFunc) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	f(ctx, in, out, done)
}

// Run waits for what Start starts.
func (f asyncFunc) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	result := make(chan error, 1)
	f(ctx, in, out, func(err error) { result <- err })
	return <-result
}

// A readerRead is the kernel of ReaderReadV2 or, if it reads many records, of
// ReaderReadUpToV2.
type readerRead struct{ many bool }

// Run waits for what Start starts.
func (k readerRead) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return asyncFunc(k.Start).Run(ctx, in, out)
}

// Start reads as soon as the reader is free and there is an item.
func (k readerRead) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	r, err := resource.Held[*reader](&in[0])
	var q *resource.Queue
	if err == nil {
		q, err = resource.Held[*resource.Queue](&in[1])
	}
	n := int64(1)
	switch {
	case err != nil:
	case len(q.Types) != 1 || q.Types[0] != tensor.String:
		err = status.Invalid("Expected a queue of strings, one a element")
	case k.many:
		if n, err = kernel.Int(&in[2], "num_records"); err == nil && n <= 0 {
			err = status.Invalid("num_records must be positive, got %d", n)
		}
	}
	if err != nil {
		done(err)
		return
	}
	r.take(ctx.Step.Context, func() {
		r.read(ctx, q, n, func(keys, values []string, err error) {
			r.leave()
			switch {
			case err != nil:
			case k.many:
				if err = putTexts(ctx, &out[0], keys); err == nil {
					err = putTexts(ctx, &out[1], values)
				}
			default:
				if err = ctx.PutText(&out[0], keys[0]); err == nil {
					err = ctx.PutText(&out[1], values[0])
				}
			}
			done(err)
		})
	}, done)
}

// putTexts sets an output to a vector of strings.
func putTexts(ctx *kernel.Context, out *tensor.Value, all []string) error {
	v, err := ctx.Alloc(tensor.String, []int64{int64(len(all))})
	if err != nil {
		return err
	}
	copy(tensor.Of[string](&v), all)
	*out = v
	return nil
}

// recordBytes is what a record takes in memory beside its bytes while it waits for
// others: its places in two slices, which grow.
const recordBytes = 4 * 16

// read gives up to n records, at least one, of one item.
func (r *reader) read(ctx *kernel.Context, q *resource.Queue, n int64, done func(keys, values []string, err error)) {
	for {
		if err := ctx.Err(); err != nil {
			done(nil, nil, err)
			return
		}
		if r.records == nil {
			var item tensor.Value
			q.Dequeue(ctx.Step.Context, 1, false, func(t *resource.Taken) error {
				item = t.Elements[0]
				return nil
			}, func(err error) {
				if err == nil && item.NumElements() != 1 {
					err = status.Invalid("Expected the queue of a reader to hold scalars, got shape %s", tensor.FormatDims(item.Dims()))
				}
				if err == nil {
					r.item = tensor.Of[string](&item)[0]
					r.started++
					if r.records, err = r.open(ctx, r.item); err != nil {
						r.records = broken{err}
					}
				}
				if err != nil {
					done(nil, nil, err)
					return
				}
				r.read(ctx, q, n, done)
			})
			return
		}
		var keys, values []string
		var credit kernel.Credit
		charged := int64(0) // for what has been read: the outputs are when they are made
		done := func(keys, values []string, err error) {
			ctx.Arena.Budget.Release(charged)
			done(keys, values, err)
		}
		for int64(len(keys)) < n {
			key, value, ok, err := r.records.Next(ctx)
			if err == nil && ok && n > 1 {
				size := int64(len(key) + len(value) + recordBytes)
				if err = ctx.Arena.Budget.Charge(size); err == nil {
					charged += size
				}
				if err == nil && !credit.Spend(ctx, 1<<10) {
					err = ctx.Err()
				}
			}
			if err != nil {
				r.drop()
				if ctx.Err() == nil {
					r.records = broken{err}
				}
				done(nil, nil, err)
				return
			}
			if !ok {
				r.drop()
				r.finished = r.started
				break
			}
			keys, values = append(keys, key), append(values, value)
		}
		if len(keys) > 0 {
			r.produced += int64(len(keys))
			done(keys, values, nil)
			return
		}
	}
}

// stateful reports whether the reader's state is no more than numbers.
func (r *reader) stateful() error {
	if r.kind == "IdentityReaderV2" || r.kind == "WholeFileReaderV2" {
		return nil
	}
	return status.Errorf(status.Unimplemented, "Reader SerializeState of %s", r.kind)
}

// state returns the reader's state as a ReaderBaseState message.
func (r *reader) state() (string, error) {
	if err := r.stateful(); err != nil {
		return "", err
	}
	var b []byte
	for i, n := range []int64{r.started, r.finished, r.produced} {
		if n != 0 {
			b = protowire.AppendTag(b, protowire.Number(i+1), protowire.VarintType)
			b = protowire.AppendVarint(b, uint64(n))
		}
	}
	if r.item != "" && r.started > r.finished {
		b = protowire.AppendTag(b, 4, protowire.BytesType)
		b = protowire.AppendString(b, r.item)
	}
	return string(b), nil
}

// restore sets the reader to a state.
func (r *reader) restore(state string) error {
	if err := r.stateful(); err != nil {
		return err
	}
	var n [3]int64
	c := wire.NewCursor("ReaderBaseState", []byte(state))
	for c.Next() {
		for i := range n {
			if c.Is(protowire.Number(i+1), protowire.VarintType) {
				n[i] = int64(c.Value)
			}
		}
	}
	switch {
	case c.Err() != nil:
		return status.Invalid("Could not parse state for %s: %v", r.kind, c.Err())
	case n[0] < 0 || n[1] < 0 || n[2] < 0 || n[0] < n[1]:
		return status.Invalid("Unexpected numbers in the state of a reader: %d items started, %d finished, %d records", n[0], n[1], n[2])
	case n[0] > n[1]:
		return status.Invalid("the state of a reader has an item that is not finished, and such a state cannot be restored")
	}
	r.drop()
	r.started, r.finished, r.produced = n[0], n[1], n[2]
	return nil
}
