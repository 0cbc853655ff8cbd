package list

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// typeName is what serialized lists are called.
const typeName = "tensorflow::TensorList"

func init() {
	tensor.RegisterVariant(typeName, func(v *tensor.VariantData) (any, error) { return unmarshal(v) })
}

// maxEncoded is the most elements of a list that is serialized: those that are
// not set are named one by one.
const maxEncoded = 1 << 24

// MarshalVariant is l in TensorFlow's form: the elements that are set, and as
// metadata the number and the places of those that are not, the elements' type,
// the bound of the length and the elements' shape.
func (l *List) MarshalVariant() (*tensor.VariantData, error) {
	if l.n > maxEncoded {
		return nil, status.Errorf(status.ResourceExhausted, "a TensorList of %d elements is too long to be serialized", l.n)
	}
	v := &tensor.VariantData{TypeName: typeName}
	var places []byte
	unset := 0
	for i := range l.n {
		if l.at(i).IsZero() {
			places = binary.AppendUvarint(places, uint64(i))
			unset++
		}
	}
	v.Parts, v.Part = l.n-unset, l.at
	if unset > 0 {
		set := make([]int32, 0, v.Parts)
		for i := range l.n {
			if !l.at(i).IsZero() {
				set = append(set, int32(i))
			}
		}
		v.Part = func(i int) tensor.Value { return l.at(int(set[i])) }
	}
	s := &wire.TensorShapeProto{UnknownRank: !l.shape.Known()}
	for _, d := range l.shape.Dims() {
		s.Dim = append(s.Dim, &wire.TensorShapeProto_Dim{Size: d})
	}
	b, err := proto.Marshal(s)
	if err != nil {
		return nil, status.Errorf(status.Internal, "a TensorList's shape: %v", err)
	}
	m := append(binary.AppendUvarint(nil, uint64(unset)), places...)
	m = binary.AppendUvarint(m, uint64(l.dt))
	m = binary.AppendUvarint(m, uint64(int64(l.max)))
	v.Metadata = append(m, b...)
	return v, nil
}

// unmarshal returns the list that v describes.
func unmarshal(v *tensor.VariantData) (*List, error) {
	m := v.Metadata
	next := func(what string, limit uint64) (uint64, error) {
		x, n := binary.Uvarint(m)
		if n <= 0 || x > limit {
			return 0, status.Invalid("a serialized TensorList has a bad %s at byte %d of its metadata", what, len(v.Metadata)-len(m))
		}
		m = m[n:]
		return x, nil
	}
	unset, err := next("number of elements that are not set", uint64(len(m)))
	if err != nil {
		return nil, err
	}
	n := int(unset) + len(v.Tensors)
	skip := make(map[int]bool, unset)
	for range unset {
		i, err := next("place of an element that is not set", uint64(n-1))
		if err != nil {
			return nil, err
		}
		skip[int(i)] = true
	}
	if len(skip) != int(unset) {
		return nil, status.Invalid("a serialized TensorList names an element twice that is not set")
	}
	dt, err := next("type", math.MaxUint8)
	if err != nil {
		return nil, err
	}
	if !tensor.DType(dt).Valid() || tensor.DType(dt).IsRef() {
		return nil, status.Invalid("a serialized TensorList has elements of no type (%d)", dt)
	}
	bound, err := next("bound of the length", math.MaxUint64)
	if err != nil {
		return nil, err
	}
	var s wire.TensorShapeProto
	if err := proto.Unmarshal(m, &s); err != nil {
		return nil, status.Invalid("a serialized TensorList has a bad shape at byte %d of its metadata", len(v.Metadata)-len(m))
	}
	var known shape.Shape
	if !s.UnknownRank {
		dims := make([]int64, len(s.Dim))
		for i, d := range s.Dim {
			dims[i] = d.GetSize()
		}
		if known, err = shape.FromVector(dims); err != nil {
			return nil, err
		}
	}
	l := newShared(tensor.DType(dt), known, int(int64(bound)), n)
	rest := v.Tensors
	for i := range n {
		if skip[i] {
			continue
		}
		t, err := tensorproto.Unmarshal(rest[0], 0)
		if err != nil {
			return nil, err
		}
		rest = rest[1:]
		if t.DType() != l.dt {
			return nil, status.Invalid("element %d of a serialized TensorList of %v is %v", i, l.dt, t.DType())
		}
		l.own.set(i, item{Value: tensor.ValueOf(t)})
	}
	l.weight = versionBytes + int64(l.own.bytes()) + l.own.weight
	return l, nil
}
