package bundle

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// Fields of the messages of the first format. A table has under the empty key a
// SavedTensorSlices whose meta says which slices there are of which tensors, and
// under the key of each slice one whose data are its elements.
const (
	savedMeta = protowire.Number(1) // of SavedTensorSlices
	savedData = protowire.Number(2)

	metaTensor   = protowire.Number(1) // of SavedTensorSliceMeta
	metaVersions = protowire.Number(2)

	sliceMetaName  = protowire.Number(1) // of SavedSliceMeta
	sliceMetaShape = protowire.Number(2)
	sliceMetaType  = protowire.Number(3)
	sliceMetaSlice = protowire.Number(4)

	savedSliceName  = protowire.Number(1) // of SavedSlice
	savedSliceSlice = protowire.Number(2)
	savedSliceData  = protowire.Number(3)
)

// A SavedTensor is what a checkpoint of the first format knows of a tensor.
type SavedTensor struct {
	DType tensor.DType
	Shape []int64

	parts []savedPart
}

// A savedPart is a slice and the file that its elements are in.
type savedPart struct {
	slice Slice
	file  *savedFile
}

// parseMeta reads the entry under the empty key: each tensor's name and what is
// said of it.
func parseMeta(b []byte, each func(name string, t *SavedTensor, slices []Slice) error) error {
	c := wire.NewCursor("SavedTensorSlices", b)
	for c.Next() {
		if !c.IsBytes(savedMeta) {
			continue
		}
		meta := c.Message("SavedTensorSliceMeta")
		for meta.Next() {
			switch {
			case meta.IsBytes(metaVersions):
				var v wire.VersionDef
				if err := proto.Unmarshal(meta.Body(), &v); err != nil {
					return corrupt("the versions of a checkpoint: %v", err)
				}
				if v.GetMinConsumer() > version {
					return status.Invalid("Checkpoint min consumer version %d above current version %d", v.GetMinConsumer(), version)
				}
			case meta.IsBytes(metaTensor):
				name, t, slices, err := parseSliceMeta(meta.Message("SavedSliceMeta"))
				if err == nil {
					err = each(name, t, slices)
				}
				if err != nil {
					return err
				}
			}
		}
		if err := meta.Err(); err != nil {
			return corrupt("%v", err)
		}
	}
	if err := c.Err(); err != nil {
		return corrupt("%v", err)
	}
	return nil
}

func parseSliceMeta(c wire.Cursor) (name string, t *SavedTensor, slices []Slice, err error) {
	t = &SavedTensor{Shape: []int64{}}
	dtype := uint64(0)
	for c.Next() {
		switch {
		case c.IsBytes(sliceMetaName):
			name = string(c.Body())
		case c.IsVarint(sliceMetaType):
			dtype = c.Value
		case c.IsBytes(sliceMetaShape):
			var p wire.TensorShapeProto
			if err := proto.Unmarshal(c.Body(), &p); err != nil {
				return "", nil, nil, corrupt("the shape of tensor %q: %v", name, err)
			}
			for _, d := range p.GetDim() {
				t.Shape = append(t.Shape, d.GetSize())
			}
		case c.IsBytes(sliceMetaSlice):
			s, err := parseSlice(c.Body())
			if err != nil {
				return "", nil, nil, err
			}
			slices = append(slices, s)
		}
	}
	if err := c.Err(); err != nil {
		return "", nil, nil, corrupt("%v", err)
	}
	if t.DType = tensor.DType(dtype); dtype > 255 || !t.DType.Valid() || t.DType.IsRef() || t.DType == tensor.Resource || t.DType == tensor.Variant {
		return "", nil, nil, corrupt("tensor %q is of type %d", name, dtype)
	}
	if len(t.Shape) > tensor.MaxRank {
		return "", nil, nil, corrupt("tensor %q is of rank %d", name, len(t.Shape))
	}
	if _, err := tensor.NumElements(t.DType, t.Shape); err != nil {
		return "", nil, nil, corrupt("tensor %q: %s", name, status.From(err).Message)
	}
	for _, s := range slices {
		if _, err := s.Dims(t.Shape); err != nil {
			return "", nil, nil, corrupt("tensor %q: %s", name, status.From(err).Message)
		}
	}
	return name, t, slices, nil
}

func parseSlice(b []byte) (Slice, error) {
	var p wire.TensorSliceProto
	if err := proto.Unmarshal(b, &p); err != nil {
		return nil, corrupt("a slice: %v", err)
	}
	return sliceOf(&p), nil
}

// values finds the fields of a TensorProto in the entry of a slice.
func values(b []byte) ([]byte, error) {
	var data []byte
	c := wire.NewCursor("SavedTensorSlices", b)
	for c.Next() {
		if !c.IsBytes(savedData) {
			continue
		}
		saved := c.Message("SavedSlice")
		for saved.Next() {
			if saved.IsBytes(savedSliceData) {
				data = saved.Body()
			}
		}
		if err := saved.Err(); err != nil {
			return nil, corrupt("%v", err)
		}
	}
	if err := c.Err(); err != nil {
		return nil, corrupt("%v", err)
	}
	return data, nil
}

// decode makes a tensor of the fields of a TensorProto, which must hold as many
// values as it has elements.
func decode(data []byte, dt tensor.DType, dims []int64) (*tensor.Tensor, error) {
	n, err := tensor.NumElements(dt, dims)
	if err != nil {
		return nil, err
	}
	held, err := countValues(data)
	if err != nil {
		return nil, err
	}
	if held != n {
		return nil, corrupt("a slice of shape %s has %d values", tensor.FormatDims(dims), held)
	}
	shape := &wire.TensorShapeProto{}
	for _, d := range dims {
		shape.Dim = append(shape.Dim, &wire.TensorShapeProto_Dim{Size: d})
	}
	head, err := proto.Marshal(&wire.TensorProto{Dtype: wire.DataType(dt), TensorShape: shape})
	if err != nil {
		return nil, status.From(err)
	}
	t, err := tensorproto.Unmarshal(append(head, data...), 0)
	if err != nil {
		return nil, corrupt("%s", status.From(err).Message)
	}
	return t, nil
}

// fixedWidths is the size of the values of fields that are not varints.
var fixedWidths = map[protowire.Number]int{5: 4, 6: 8, 9: 8, 12: 16} // floats, doubles, and pairs of them

// countValues returns how many values the repeated fields of a TensorProto hold.
func countValues(data []byte) (n int, err error) {
	c := wire.NewCursor("TensorProto", data)
	bytes := map[protowire.Number]int{}
	for c.Next() {
		switch size := fixedWidths[c.Num]; {
		case c.Num == 8 && c.Type == protowire.BytesType: // a string
			n++
		case size > 0:
			bytes[c.Num] += c.Hi - c.Lo
		case c.Num >= 7 && c.Type == protowire.VarintType:
			n++
		case c.Num >= 7 && c.Type == protowire.BytesType:
			for _, b := range c.Body() {
				if b < 0x80 { // the last byte of a varint
					n++
				}
			}
		}
	}
	if err := c.Err(); err != nil {
		return 0, corrupt("%v", err)
	}
	for num, size := range bytes {
		n += size / fixedWidths[num]
	}
	return n, nil
}
