package bundle

import (
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// Versions of the format: the one that is written, and is the oldest that this
// package must be able to read.
const version = 1

// An Entry is what a checkpoint holds under a name.
type Entry struct {
	DType tensor.DType
	Shape []int64
	Parts []Slice // which parts were saved; nil if the tensor was saved whole

	shard        int32
	offset, size int64
	crc          uint32
	n            int // elements
}

// parseHeader reads the entry under the empty key.
func parseHeader(b []byte) (shards int32, err error) {
	var h wire.BundleHeaderProto
	if err := proto.Unmarshal(b, &h); err != nil {
		return 0, corrupt("Unable to parse the checkpoint's header: %v", err)
	}
	switch v := h.GetVersion(); {
	case h.GetEndianness() != wire.BundleHeaderProto_LITTLE:
		return 0, status.Errorf(status.Unimplemented, "the checkpoint's numbers are in big-endian order")
	case v.GetMinConsumer() > version:
		return 0, status.Invalid("Checkpoint min consumer version %d above current version %d for the bundle format", v.GetMinConsumer(), version)
	case h.GetNumShards() < 0:
		return 0, corrupt("a checkpoint of %d data files", h.GetNumShards())
	}
	for _, bad := range h.GetVersion().GetBadConsumers() {
		if bad == version {
			return 0, status.Invalid("Checkpoint disallows consumer version %d", version)
		}
	}
	return h.GetNumShards(), nil
}

// parseEntry reads a tensor's entry, of a checkpoint with that many data files.
func parseEntry(b []byte, shards int32) (*Entry, error) {
	var p wire.BundleEntryProto
	if err := proto.Unmarshal(b, &p); err != nil {
		return nil, corrupt("Entry could not be parsed: %v", err)
	}
	return checkEntry(&p, shards)
}

func checkEntry(p *wire.BundleEntryProto, shards int32) (*Entry, error) {
	e := &Entry{
		shard: p.GetShardId(), offset: p.GetOffset(), size: p.GetSize(), crc: p.GetCrc32C(),
	}
	if dt := p.GetDtype(); dt >= 0 && dt <= 255 {
		e.DType = tensor.DType(dt)
	}
	if !e.DType.Valid() || e.DType.IsRef() || e.DType == tensor.Resource {
		return nil, corrupt("an entry of type %v", p.GetDtype())
	}
	if n := len(p.GetShape().GetDim()); n > tensor.MaxRank || p.GetShape().GetUnknownRank() {
		return nil, corrupt("an entry whose shape has no rank, or one of %d", n)
	}
	for _, d := range p.GetShape().GetDim() {
		e.Shape = append(e.Shape, d.GetSize())
	}
	var err error
	if e.n, err = tensor.NumElements(e.DType, e.Shape); err != nil {
		return nil, corrupt("Invalid tensor shape: %v", status.From(err).Message)
	}
	for _, s := range p.GetSlices() {
		part := sliceOf(s)
		if _, err := part.Dims(e.Shape); err != nil {
			return nil, corrupt("%v", status.From(err).Message)
		}
		e.Parts = append(e.Parts, part)
	}
	if e.Parts == nil {
		err = e.checkPlace(shards)
	}
	return e, err
}

// checkPlace checks where the elements lie against what they must take.
func (e *Entry) checkPlace(shards int32) error {
	if e.shard < 0 || e.shard >= shards {
		return corrupt("an entry in data file %d of %d", e.shard, shards)
	}
	if e.offset < 0 || e.size < 0 || e.offset+e.size < 0 {
		return corrupt("an entry of %d bytes at %d", e.size, e.offset)
	}
	switch n := int64(e.n); {
	case e.DType == tensor.Variant:
	case e.DType == tensor.String:
		if e.size-4 < n { // the length of each, and a checksum
			return corrupt("an entry of %d strings in %d bytes", n, e.size)
		}
	case e.size != n*int64(e.DType.Size()):
		return corrupt("Invalid size in bundle entry: shape %s, dtype %v, %d bytes", tensor.FormatDims(e.Shape), e.DType, e.size)
	}
	return nil
}

// proto returns the entry as a message.
func (e *Entry) proto() *wire.BundleEntryProto {
	p := &wire.BundleEntryProto{
		Dtype: wire.DataType(e.DType), Shape: &wire.TensorShapeProto{},
		ShardId: e.shard, Offset: e.offset, Size: e.size, Crc32C: e.crc,
	}
	for _, d := range e.Shape {
		p.Shape.Dim = append(p.Shape.Dim, &wire.TensorShapeProto_Dim{Size: d})
	}
	for _, s := range e.Parts {
		p.Slices = append(p.Slices, sliceProto(s))
	}
	return p
}

// marshal returns a message in a form that does not vary.
func marshal(m proto.Message) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}
