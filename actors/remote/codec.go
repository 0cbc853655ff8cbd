package remote

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/troupe-go/troupe/status"
)

// A frame is a message of gRPC without a structure: buffers that are written as they
// are, and read as they came.
type frame struct {
	send mem.BufferSlice
	got  mem.BufferSlice // the receiver frees it
}

// codec writes frames without a copy. Streams ask for it by name.
type codec struct{}

const codecName = "troupe-frame"

func init() { encoding.RegisterCodecV2(codec{}) }

// Name is part of the content type.
func (codec) Name() string { return codecName }

// Marshal returns the frame's buffers, which must not change until they are written.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, status.Errorf(status.Internal, "a %T is not a frame", v)
	}
	return f.send, nil
}

// Unmarshal keeps the buffers.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return status.Errorf(status.Internal, "a %T is not a frame", v)
	}
	data.Ref()
	f.got = data
	return nil
}

// of returns a frame of one buffer.
func of(b []byte) *frame { return &frame{send: mem.BufferSlice{mem.SliceBuffer(b)}} }

// bytes returns what came, in memory of its own, and frees the frame.
func (f *frame) bytes() []byte {
	b := f.got.Materialize()
	f.got.Free()
	f.got = nil
	return b
}
