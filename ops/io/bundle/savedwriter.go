package bundle

import (
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// A SavedWriter writes a checkpoint in TensorFlow's first format, one file. It
// keeps the tensors until [SavedWriter.Finish] makes the file, in memory first.
// It is not for concurrent use.
type SavedWriter struct{ tensors map[string]*writtenTensor }

// A writtenTensor is the slices of a tensor that are to be written.
type writtenTensor struct {
	dtype  tensor.DType
	shape  []int64
	slices []Slice
	values []tensor.Value
}

// NewSavedWriter begins a checkpoint.
func NewSavedWriter() *SavedWriter { return &SavedWriter{tensors: map[string]*writtenTensor{}} }

// Add adds v as the slice s of a tensor of the given shape; nil for all of it.
// Slices of one tensor must not overlap.
func (w *SavedWriter) Add(name string, shape []int64, s Slice, v tensor.Value) error {
	if s == nil {
		s = all(len(shape))
	}
	dims, err := s.Dims(shape)
	if err != nil {
		return err
	}
	if !slices.Equal(dims, v.Dims()) {
		return status.Invalid("the slice %v of a tensor of shape %s is not of shape %s", s, tensor.FormatDims(shape), tensor.FormatDims(v.Dims()))
	}
	switch v.DType() {
	case tensor.Resource, tensor.Variant, tensor.Bfloat16:
		return status.Errorf(status.Unimplemented, "Saving data type %v not yet supported", v.DType())
	}
	t := w.tensors[name]
	if t == nil {
		t = &writtenTensor{dtype: v.DType(), shape: slices.Clone(shape)}
		w.tensors[name] = t
	}
	if t.dtype != v.DType() || !slices.Equal(t.shape, shape) {
		return status.Invalid("slices of tensor %s are of %v%s and of %v%s", name, t.dtype, tensor.FormatDims(t.shape), v.DType(), tensor.FormatDims(shape))
	}
	for _, other := range t.slices {
		if !disjoint(other, s, shape) {
			return status.Invalid("slices %v and %v of tensor %s overlap", other, s, name)
		}
	}
	t.slices, t.values = append(t.slices, s), append(t.values, v)
	return nil
}

// Finish writes the file, replacing one of that name. It asks stop now and then
// whether to go on.
func (w *SavedWriter) Finish(fs *files.Policy, name string, stop func() error) error {
	var out tableWriter
	meta, err := w.meta()
	if err != nil {
		return err
	}
	out.add(nil, meta)
	type slice struct {
		of string
		i  int
	}
	byKey := map[string]slice{}
	for name, t := range w.tensors {
		for i, s := range t.slices {
			byKey[string(s.key(name))] = slice{name, i}
		}
	}
	for _, key := range sorted.Keys(byKey) {
		if err := stop(); err != nil {
			return err
		}
		of := byKey[key]
		t := w.tensors[of.of]
		entry, err := savedEntry(of.of, t.slices[of.i], t.values[of.i])
		if err != nil {
			return err
		}
		out.add([]byte(key), entry)
	}
	return fs.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(out.finish())
		return err
	})
}

// meta returns the entry under the empty key.
func (w *SavedWriter) meta() ([]byte, error) {
	var meta []byte
	for _, name := range sorted.Keys(w.tensors) {
		t := w.tensors[name]
		var b []byte
		b = appendBytes(b, sliceMetaName, []byte(name))
		shape := &wire.TensorShapeProto{}
		for _, d := range t.shape {
			shape.Dim = append(shape.Dim, &wire.TensorShapeProto_Dim{Size: d})
		}
		encoded, err := marshal(shape)
		if err != nil {
			return nil, status.From(err)
		}
		b = appendBytes(b, sliceMetaShape, encoded)
		b = protowire.AppendVarint(protowire.AppendTag(b, sliceMetaType, protowire.VarintType), uint64(t.dtype))
		for _, s := range t.slices {
			encoded, err := marshal(sliceProto(s))
			if err != nil {
				return nil, status.From(err)
			}
			b = appendBytes(b, sliceMetaSlice, encoded)
		}
		meta = appendBytes(meta, metaTensor, b)
	}
	versions, err := proto.Marshal(&wire.VersionDef{Producer: version})
	if err != nil {
		return nil, status.From(err)
	}
	return appendBytes(nil, savedMeta, appendBytes(meta, metaVersions, versions)), nil
}

// savedEntry returns the entry of a slice.
func savedEntry(name string, s Slice, v tensor.Value) ([]byte, error) {
	where, err := marshal(sliceProto(s))
	if err != nil {
		return nil, status.From(err)
	}
	values, err := tensorproto.AppendValues(nil, v.Peek())
	if err != nil {
		return nil, err
	}
	if len(values) > 1<<31-1<<10 {
		return nil, status.Invalid("Tensor slice is too large to serialize (conservative estimate: %d bytes)", len(values))
	}
	b := appendBytes(nil, savedSliceName, []byte(name))
	b = appendBytes(b, savedSliceSlice, where)
	return appendBytes(nil, savedData, appendBytes(b, savedSliceData, values)), nil
}

// appendBytes appends a field.
func appendBytes(dst []byte, num protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, num, protowire.BytesType), b)
}
