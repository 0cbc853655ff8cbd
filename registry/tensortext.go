package registry

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// appendTensor appends "Tensor<type: float shape: [2] values: 1.5 2>", where as
// in a TensorProto the last value stands for all that follow.
func appendTensor(b []byte, t *tensor.Tensor) []byte {
	if t == nil {
		return append(b, "Tensor<>"...)
	}
	b = append(append(b, "Tensor<type: "...), t.DType().String()...)
	b = append(append(b, " shape: "...), Shape{Dims: t.Dims()}.String()...)
	b = append(b, " values:"...)
	n := t.NumElements()
	for n > 1 && t.ElementText(n-1) == t.ElementText(n-2) {
		n--
	}
	for i := range n {
		b = append(append(b, ' '), t.ElementText(i)...)
	}
	return append(b, '>')
}

// tensor reads what [appendTensor] prints, or the text form of a TensorProto
// in braces.
func (s *scanner) tensor() (*tensor.Tensor, error) {
	start := s.at
	if s.peek("{") {
		text, err := s.braces()
		if err != nil {
			return nil, err
		}
		var p wire.TensorProto
		if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, []byte(text), &p); err != nil {
			s.at = start
			return nil, s.errorf("the text of a tensor is malformed: %s", plainError(err))
		}
		t, err := tensorproto.From(&p, maxTextTensor)
		if err != nil {
			s.at = start
			return nil, s.errorf("%s", status.From(err).Message)
		}
		return t, nil
	}
	if err := s.expect("Tensor<"); err != nil {
		return nil, err
	}
	if s.eat(">") {
		return nil, nil
	}
	var dt tensor.DType
	var shape Shape
	err := s.expect("type:")
	if err == nil {
		dt, err = s.dtype()
	}
	if err == nil {
		err = s.expect("shape:")
	}
	if err == nil {
		shape, err = s.shape()
	}
	if err == nil {
		err = s.expect("values:")
	}
	if err != nil {
		return nil, err
	}
	body := s.at
	for !s.eat(">") {
		switch {
		case s.done():
			s.at = start
			return nil, s.errorf("a tensor is not closed")
		case s.quoted():
			if _, err := s.str(); err != nil {
				return nil, err
			}
		default:
			s.at++
		}
	}
	t, err := tensorOf(dt, shape, s.text[body:s.at-1])
	if err != nil {
		s.at = start
		return nil, s.errorf("%s", status.From(err).Message)
	}
	return t, nil
}

// maxTextTensor bounds the bytes of a tensor that text describes.
const maxTextTensor = 1 << 28

// tensorOf returns the tensor with these values, the last of which repeats.
func tensorOf(dt tensor.DType, shape Shape, values string) (*tensor.Tensor, error) {
	given, err := literal.Parse("["+values+"]", dt)
	if err != nil {
		return nil, err
	}
	n := int64(1)
	for _, dim := range shape.Dims {
		n *= dim
	}
	have, size := int64(given.NumElements()), int64(max(dt.Size(), 16))
	switch {
	case shape.Unknown || n < 0 || have > n || have == 0 && n > 0 || len(given.Dims()) != 1:
		return nil, status.Invalid("%d values do not make a tensor of shape %v", have, shape)
	case have == n:
		return given.WithShape(shape.Dims)
	case n > maxTextTensor/size:
		return nil, status.Errorf(status.ResourceExhausted, "a tensor of shape %v takes more than %d bytes", shape, maxTextTensor)
	}
	if dt == tensor.String {
		all, err := tensor.Data[string](given)
		if err != nil {
			return nil, err
		}
		return tensor.FromSlice(append(all, slices.Repeat(all[have-1:], int(n-have))...), shape.Dims...)
	}
	var b bytes.Buffer
	if _, err := given.WriteContentsTo(&b); err != nil {
		return nil, err
	}
	last := bytes.Clone(b.Bytes()[b.Len()-dt.Size():])
	b.Write(bytes.Repeat(last, int(n-have)))
	return tensor.ReadTensor(dt, shape.Dims, &b)
}
