package session

import (
	"math/bits"
	"strings"
	"sync"

	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec of all other messages
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// A codec reads and writes the messages of the service. Those that hold tensors have forms
// of their own here, as most of a step's time is in them: names and tensors of a request
// stay in the buffer that it came in, and large tensors of a response are written from
// their own memory.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Marshal encodes a response.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(*response); ok {
		return r.buffers, nil
	}
	return c.CodecV2.Marshal(v)
}

// Unmarshal decodes a request. It does not keep data, but may keep a reference to it.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	switch q := v.(type) {
	case *stepRequest:
		q.hold(data)
		return q.parse()
	case *callRequest:
		q.hold(data)
		return q.parse()
	}
	return c.CodecV2.Unmarshal(data, v)
}

// A received message is kept in the buffer in which it came until it is freed.
type received struct {
	bytes  []byte
	buffer mem.Buffer
}

func (m *received) hold(data mem.BufferSlice) {
	m.buffer = data.MaterializeToBuffer(requests{})
	m.bytes = m.buffer.ReadOnlyData()
}

// requests is a pool of buffers of requests. gRPC's own pool clears what it returns, which
// costs as much as reading the request.
type requests struct{}

var requestBuffers [largestKept + 1]sync.Pool // of *[]byte, of 1<<class bytes

// Get returns a buffer with anything in it.
func (requests) Get(n int) *[]byte {
	class := bits.Len(uint(max(n, 1) - 1))
	if class > largestKept {
		b := make([]byte, n)
		return &b
	}
	b, ok := requestBuffers[class].Get().(*[]byte)
	if !ok {
		b = new([]byte)
		*b = make([]byte, 1<<class)
	}
	*b = (*b)[:n]
	return b
}

// Put takes a buffer of Get's back.
func (requests) Put(b *[]byte) {
	*b = (*b)[:cap(*b)]
	if class := bits.Len(uint(len(*b) - 1)); class <= largestKept && len(*b) == 1<<class {
		requestBuffers[class].Put(b)
	}
}

// largestKept is the class of the largest buffers that are kept, 64 MiB.
const largestKept = 26

// free gives the buffer back: nothing that was taken from it may be used again.
func (m *received) free() {
	if m.buffer != nil {
		m.buffer.Free()
		m.buffer = nil
	}
}

// A stepRequest is a RunStepRequest. Its slices are parts of the received message.
type stepRequest struct {
	received
	handle  string
	feeds   []fed
	fetches [][]byte
	targets [][]byte
	options []byte // RunOptions
	partial string // handle of a partial run
	inBody  bool   // errors belong into the response
}

// A fed is a NamedTensorProto.
type fed struct{ name, tensor []byte }

func (q *stepRequest) parse() error {
	const (
		handle, feed, fetch, target, options = 1, 2, 3, 4, 5
		partial, inBody                      = 6, 7
	)
	c := wire.NewCursor("RunStepRequest", q.bytes)
	for c.Next() {
		field := q.bytes[c.Lo:c.Hi]
		switch {
		case c.IsBytes(handle):
			q.handle = string(field)
		case c.IsBytes(feed):
			f, err := parseFed(&c, q.bytes)
			if err != nil {
				return err
			}
			q.feeds = append(q.feeds, f)
		case c.IsBytes(fetch):
			q.fetches = append(q.fetches, field)
		case c.IsBytes(target):
			q.targets = append(q.targets, field)
		case c.IsBytes(options):
			q.options = append(q.options[:len(q.options):len(q.options)], field...) // a message may come in parts
		case c.IsBytes(partial):
			q.partial = string(field)
		case c.IsVarint(inBody):
			q.inBody = c.Value != 0
		}
	}
	return c.Err()
}

func parseFed(c *wire.Cursor, b []byte) (f fed, err error) {
	const name, tensor = 1, 2
	m := c.Message("NamedTensorProto")
	for m.Next() {
		switch {
		case m.IsBytes(name):
			f.name = b[m.Lo:m.Hi]
		case m.IsBytes(tensor):
			f.tensor = b[m.Lo:m.Hi]
		}
	}
	return f, m.Err()
}

// appendKey appends what the step is for: the names of feeds, fetches and targets.
func (q *stepRequest) appendKey(b []byte) []byte {
	b = protowire.AppendVarint(b, uint64(len(q.feeds)))
	for _, f := range q.feeds {
		b = protowire.AppendBytes(b, f.name)
	}
	b = protowire.AppendVarint(b, uint64(len(q.fetches)))
	for _, name := range q.fetches {
		b = protowire.AppendBytes(b, name)
	}
	for _, name := range q.targets {
		b = protowire.AppendBytes(b, name)
	}
	return b
}

func (q *stepRequest) feedNames() []string {
	names := make([]string, len(q.feeds))
	for i, f := range q.feeds {
		names[i] = string(f.name)
	}
	return names
}

// texts copies names out of a message.
func texts(names [][]byte) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = string(name)
	}
	return list
}

// A callRequest is a RunCallableRequest. Its feeds are parts of the received message.
type callRequest struct {
	received
	handle string
	number int64
	feeds  [][]byte
}

func (q *callRequest) parse() error {
	const handle, number, feed = 1, 2, 3
	c := wire.NewCursor("RunCallableRequest", q.bytes)
	for c.Next() {
		switch {
		case c.IsBytes(handle):
			q.handle = string(q.bytes[c.Lo:c.Hi])
		case c.IsVarint(number):
			q.number = int64(c.Value)
		case c.IsBytes(feed):
			q.feeds = append(q.feeds, q.bytes[c.Lo:c.Hi])
		}
	}
	return c.Err()
}

// A response is an encoded RunStepResponse or RunCallableResponse.
type response struct {
	buffers mem.BufferSlice
	last    []byte // what follows buffers, still growing
}

// inlined is the size in bytes up to which a tensor is copied into the message.
const inlined = 16 << 10

// tensor adds a fetched tensor: a NamedTensorProto in field 1, or where the tensor has no
// name a TensorProto. The response owns the tensor.
func (r *response) tensor(name string, t *tensor.Tensor) error {
	var room [128]byte
	head, content, err := tensorproto.AppendHead(room[:0], t)
	if err != nil {
		return status.Within(err, "the fetched tensor %s", name)
	}
	size := len(head) + len(content)
	b := protowire.AppendTag(r.last, 1, protowire.BytesType)
	if name != "" {
		b = protowire.AppendVarint(b, uint64(2+protowire.SizeVarint(uint64(len(name)))+len(name)+protowire.SizeVarint(uint64(size))+size))
		b = wire.AppendField(b, 1, name)
		b = protowire.AppendTag(b, 2, protowire.BytesType)
	}
	b = append(protowire.AppendVarint(b, uint64(size)), head...)
	if len(content) <= inlined {
		r.last = append(b, content...)
		t.Release()
		return nil
	}
	r.buffers = append(r.buffers, mem.SliceBuffer(b), mem.NewBuffer(&content, owner{t}))
	r.last = nil
	return nil
}

// An owner releases a tensor when its memory has been written.
type owner struct{ tensor *tensor.Tensor }

func (o owner) Get(n int) *[]byte { b := make([]byte, n); return &b }
func (o owner) Put(*[]byte)       { o.tensor.Release() }

// finish ends the message.
func (r *response) finish() {
	if len(r.last) > 0 || len(r.buffers) == 0 {
		r.buffers = append(r.buffers, mem.SliceBuffer(r.last))
		r.last = nil
	}
}

// fail makes a RunStepResponse of an error.
func (r *response) fail(e *status.Error) {
	const code, text = 3, 4
	r.buffers.Free()
	r.buffers = nil
	r.last = wire.AppendNumber(nil, code, uint64(e.Code))
	r.last = wire.AppendField(r.last, text, strings.ToValidUTF8(message(e), "\uFFFD"))
}
