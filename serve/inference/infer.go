package inference

import (
	"context"
	"strconv"

	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/serve/inference/messages"
	"github.com/troupe-go/troupe/serve/internal/unary"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func (s *server) infer(ctx context.Context, r *messages.ModelInferRequest) (*messages.ModelInferResponse, error) {
	of, err := spec(r.GetModelName(), r.GetModelVersion())
	if err != nil {
		return nil, err
	}
	if err := s.m.Full(of.Model); err != nil { // before its tensors are read
		return nil, err
	}
	of.Key = unary.Key(ctx)
	if p, ok := r.GetParameters()["signature_name"]; ok {
		of.Signature = p.GetStringParam()
	}
	if err := supported(r.GetParameters()); err != nil {
		return nil, err
	}
	inputs, err := tensors(r)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, o := range r.GetOutputs() {
		if err := supported(o.GetParameters()); err != nil {
			return nil, err
		}
		wanted = append(wanted, o.GetName())
	}
	outputs, version, err := s.m.V2Infer(ctx, of, inputs, wanted...)
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		wanted = sorted.Keys(outputs)
	}
	reply := &messages.ModelInferResponse{ModelName: r.GetModelName(), ModelVersion: strconv.FormatInt(version, 10), Id: r.GetId()}
	for _, name := range wanted {
		t := outputs[name]
		if t == nil { // an operation, which has no tensor
			continue
		}
		contents, err := datatype.Contents(t)
		if err != nil {
			return nil, status.Within(err, "output '%s'", name)
		}
		reply.Outputs = append(reply.Outputs, &messages.ModelInferResponse_InferOutputTensor{Name: name, Datatype: datatype.Name(t.DType()), Shape: t.Shape()})
		reply.RawOutputContents = append(reply.RawOutputContents, contents)
	}
	return reply, nil
}

// supported fails for the parameters of extensions that change what a request means.
func supported(p map[string]*messages.InferParameter) error {
	for _, name := range []string{"shared_memory_region", "classification", "sequence_id"} {
		if _, ok := p[name]; ok {
			return status.Errorf(status.Unimplemented, "the parameter '%s' is not supported", name)
		}
	}
	return nil
}

// tensors makes the inputs of a request: of raw contents, if it has any, or else of the
// typed ones.
func tensors(r *messages.ModelInferRequest) (map[string]*tensor.Tensor, error) {
	raw := r.GetRawInputContents()
	if len(raw) > 0 && len(raw) != len(r.GetInputs()) {
		return nil, status.Invalid("%d raw_input_contents for %d inputs", len(raw), len(r.GetInputs()))
	}
	inputs := make(map[string]*tensor.Tensor, len(r.GetInputs()))
	for i, in := range r.GetInputs() {
		name := in.GetName()
		if inputs[name] != nil {
			return nil, status.Invalid("there are two inputs '%s'", name)
		}
		if err := supported(in.GetParameters()); err != nil {
			return nil, status.Within(err, "input '%s'", name)
		}
		dt, err := datatype.Parse(in.GetDatatype())
		if err == nil {
			switch {
			case len(raw) > 0 && in.GetContents() != nil:
				err = status.Invalid("both contents and raw_input_contents")
			case len(raw) > 0:
				inputs[name], err = datatype.Of(raw[i], dt, in.GetShape())
			default:
				inputs[name], err = typed(in.GetContents(), dt, in.GetShape())
			}
		}
		if err != nil {
			return nil, status.Within(err, "input '%s'", name)
		}
	}
	return inputs, nil
}

// typed makes a tensor of typed contents.
func typed(c *messages.InferTensorContents, dt tensor.DType, shape []int64) (*tensor.Tensor, error) {
	switch dt {
	case tensor.Bool:
		return of(c.GetBoolContents(), shape)
	case tensor.Int8:
		return narrow[int8](c.GetIntContents(), shape)
	case tensor.Int16:
		return narrow[int16](c.GetIntContents(), shape)
	case tensor.Int32:
		return of(c.GetIntContents(), shape)
	case tensor.Int64:
		return of(c.GetInt64Contents(), shape)
	case tensor.Uint8:
		return narrow[uint8](c.GetUintContents(), shape)
	case tensor.Uint16:
		return narrow[uint16](c.GetUintContents(), shape)
	case tensor.Uint32:
		return of(c.GetUintContents(), shape)
	case tensor.Uint64:
		return of(c.GetUint64Contents(), shape)
	case tensor.Float:
		return of(c.GetFp32Contents(), shape)
	case tensor.Double:
		return of(c.GetFp64Contents(), shape)
	case tensor.String:
		list := make([]string, len(c.GetBytesContents()))
		for i, b := range c.GetBytesContents() {
			list[i] = string(b)
		}
		return of(list, shape)
	}
	return nil, status.Invalid("%s has no typed contents; send raw_input_contents", datatype.Name(dt))
}

func of[T tensor.Element](data []T, shape []int64) (*tensor.Tensor, error) {
	if data == nil {
		data = []T{}
	}
	return tensor.FromSlice(data, shape...)
}

// narrow makes a tensor of numbers that are sent in 32 bits.
func narrow[T int8 | int16 | uint8 | uint16, W int32 | uint32](data []W, shape []int64) (*tensor.Tensor, error) {
	list := make([]T, len(data))
	for i, x := range data {
		if list[i] = T(x); W(list[i]) != x {
			return nil, status.Invalid("element %d is %d, which is out of range", i, x)
		}
	}
	return of(list, shape)
}
