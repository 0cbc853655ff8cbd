package client

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// v1 speaks TensorFlow Serving's REST interface.
type v1 struct{ *web }

// describe reads the metadata of a model.
func (v *v1) describe(ctx context.Context, a *address) (map[string]Signature, error) {
	text, err := v.all(ctx, a.url()+"/metadata", nil)
	if err != nil {
		return nil, err
	}
	type info struct {
		Name  string
		DType string
		Shape struct {
			Dim []struct {
				Size json.Number
			}
			Unknown bool `json:"unknown_rank"`
		} `json:"tensor_shape"`
	}
	var said struct {
		Metadata struct {
			Signatures struct {
				Map map[string]struct {
					Inputs, Outputs map[string]info
					Method          string `json:"method_name"`
				} `json:"signature_def"`
			} `json:"signature_def"`
		}
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, status.Errorf(status.Internal, "the model's metadata cannot be read: %w", err)
	}
	infos := func(list map[string]info) (map[string]TensorInfo, error) {
		all := map[string]TensorInfo{}
		for name, x := range list {
			dt, ok := tensor.ParseDType(x.DType)
			if !ok && x.DType != "DT_INVALID" && x.DType != "" {
				return nil, status.Errorf(status.Unimplemented, "%q has the type %q", name, x.DType)
			}
			t := TensorInfo{Name: x.Name, DType: dt}
			if !x.Shape.Unknown {
				dims := make([]int64, len(x.Shape.Dim))
				for i, d := range x.Shape.Dim {
					n, err := strconv.ParseInt(d.Size.String(), 10, 64)
					if err != nil && d.Size != "" {
						return nil, status.Errorf(status.Internal, "the model's metadata cannot be read: the dimension %q", d.Size)
					}
					dims[i] = max(-1, n)
				}
				t.Shape = shape.Of(dims...)
			}
			all[name] = t
		}
		return all, nil
	}
	all := map[string]Signature{}
	for key, s := range said.Metadata.Signatures.Map {
		sig := Signature{Method: s.Method}
		if sig.Inputs, err = infos(s.Inputs); err != nil {
			return nil, err
		}
		if sig.Outputs, err = infos(s.Outputs); err != nil {
			return nil, err
		}
		all[key] = sig
	}
	return all, nil
}

// run sends the inputs by name, each as a whole.
func (v *v1) run(ctx context.Context, a *address, c call) (Reply, error) {
	key, err := json.Marshal(c.key)
	if err != nil {
		return Reply{}, err
	}
	b := append(append([]byte(`{"signature_name":`), key...), `,"inputs":{`...)
	for i, name := range sorted.Keys(c.inputs) {
		if i > 0 {
			b = append(b, ',')
		}
		text, err := json.Marshal(name)
		if err != nil {
			return Reply{}, err
		}
		b = append(append(b, text...), ':')
		t := c.inputs[name]
		col := columnOf(t.DType())
		if col == nil || t.DType() == tensor.Half || t.DType() == tensor.Bfloat16 || t.DType() == tensor.Uint16 {
			return Reply{}, status.Errorf(status.Unimplemented, "input %q: TensorFlow Serving's JSON has no %v; use a grpc address, or one of /v2", name, t.DType())
		}
		if b, err = col.write(b, t); err != nil {
			return Reply{}, status.Within(err, "input %q", name)
		}
	}
	text, err := v.all(ctx, a.url()+":predict", body{append(b, "}}"...)})
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Outputs: map[string]*tensor.Tensor{}}
	var results []string // outputs that have values
	for name, info := range c.signature.Outputs {
		if info.DType != tensor.Invalid {
			results = append(results, name)
		}
	}
	p := cursor{b: text}
	output := func(name string) error {
		info, ok := c.signature.Outputs[name]
		col := columnOf(info.DType)
		if !ok || col == nil || len(c.outputs) > 0 && !slices.Contains(c.outputs, name) {
			_, err := p.skip(0)
			return err
		}
		t, err := col.read(&p, info.Shape.Dims())
		if err != nil {
			return status.Within(err, "output %q", name)
		}
		r.Outputs[name] = t
		return nil
	}
	found := false
	err = p.members(func(name string) error {
		if name != "outputs" {
			_, err := p.skip(0)
			return err
		}
		found = true
		if len(results) == 1 { // the server leaves its name out
			return output(results[0])
		}
		return p.members(output)
	})
	if err == nil && !found {
		err = p.fail("there are no outputs")
	}
	return r, err
}

// models asks for the index of the other protocol, which Troupe's servers have as well.
func (v *v1) models(ctx context.Context, a *address) []string { return v.index(ctx, a) }
