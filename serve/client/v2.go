package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sort"
	"strconv"

	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// v2 speaks the Open Inference Protocol over HTTP. Tensors are binary.
type v2 struct {
	*web
	signature string // that is described; "" for the server's default
}

// headerLength is how many bytes of a body are JSON; tensors follow.
const headerLength = "Inference-Header-Content-Length"

// defaultSignature is what the signature of a server that names none is called.
const defaultSignature = "serving_default"

// describe reads the metadata of a model, which is that of one signature.
func (v *v2) describe(ctx context.Context, a *address) (map[string]Signature, error) {
	at := a.url()
	if v.signature != "" {
		at += "?signature_name=" + url.QueryEscape(v.signature)
	}
	text, err := v.all(ctx, at, nil)
	if err != nil {
		return nil, err
	}
	type info struct {
		Name, Datatype string
		Shape          []int64
	}
	var said struct{ Inputs, Outputs []info }
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, status.Errorf(status.Internal, "the model's metadata cannot be read: %w", err)
	}
	infos := func(list []info) (map[string]TensorInfo, error) {
		all := map[string]TensorInfo{}
		for _, x := range list {
			t := TensorInfo{}
			if x.Datatype != "" { // of an operation
				var err error
				if t.DType, err = datatype.Parse(x.Datatype); err != nil {
					return nil, status.Within(err, "%q", x.Name)
				}
				t.Shape = shape.Of(x.Shape...)
			}
			all[x.Name] = t
		}
		return all, nil
	}
	sig := Signature{}
	if sig.Inputs, err = infos(said.Inputs); err != nil {
		return nil, err
	}
	if sig.Outputs, err = infos(said.Outputs); err != nil {
		return nil, err
	}
	key := v.signature
	if key == "" {
		key = defaultSignature
	}
	return map[string]Signature{key: sig}, nil
}

// A v2Tensor is an input or output in JSON.
type v2Tensor struct {
	Name       string         `json:"name"`
	Datatype   string         `json:"datatype,omitempty"`
	Shape      []int64        `json:"shape,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

// run sends the inputs behind a head of JSON.
func (v *v2) run(ctx context.Context, a *address, c call) (Reply, error) {
	request := struct {
		Inputs     []v2Input      `json:"inputs"`
		Outputs    []v2Tensor     `json:"outputs,omitempty"`
		Parameters map[string]any `json:"parameters"`
	}{[]v2Input{}, nil, map[string]any{"binary_data_output": true}}
	if v.signature != "" {
		request.Parameters["signature_name"] = v.signature
	}
	parts := body{nil}
	for _, name := range sorted.Keys(c.inputs) {
		t := c.inputs[name]
		contents, err := datatype.Contents(t)
		if err != nil {
			return Reply{}, status.Within(err, "input %q", name)
		}
		dims := t.Dims()
		if dims == nil {
			dims = []int64{}
		}
		request.Inputs = append(request.Inputs, v2Input{name, datatype.Name(t.DType()), dims, map[string]any{"binary_data_size": len(contents)}})
		parts = append(parts, contents)
	}
	for _, name := range c.outputs {
		request.Outputs = append(request.Outputs, v2Tensor{Name: name, Parameters: map[string]any{"binary_data": true}})
	}
	head, err := json.Marshal(request)
	if err != nil {
		return Reply{}, status.Invalid("%v", err)
	}
	parts[0] = head
	header, r, err := v.do(ctx, a.url()+"/infer", parts, http.Header{
		headerLength:   {strconv.Itoa(len(head))},
		"Content-Type": {"application/octet-stream"},
	})
	if err != nil {
		return Reply{}, err
	}
	defer r.Close()
	return v.reply(header, r, c)
}

// A v2Input is an input in JSON, whose shape is written even if it is a scalar's.
type v2Input struct {
	Name       string         `json:"name"`
	Datatype   string         `json:"datatype"`
	Shape      []int64        `json:"shape"`
	Parameters map[string]any `json:"parameters"`
}

// reply reads the reply of an infer: JSON, and the contents of outputs behind it.
func (v *v2) reply(header http.Header, r io.Reader, c call) (reply Reply, err error) {
	var head []byte
	if text := header.Get(headerLength); text == "" {
		head, err = io.ReadAll(r)
	} else {
		n, e := strconv.ParseInt(text, 10, 64)
		if e != nil || n < 0 || n > v.limit {
			return reply, status.Errorf(status.Internal, "the reply cannot be read: %s is %.40q", headerLength, text)
		}
		var b bytes.Buffer
		_, err = io.Copy(&b, io.LimitReader(r, n))
		head = b.Bytes()
	}
	if err != nil {
		return reply, err
	}
	reply.Outputs = map[string]*tensor.Tensor{}
	left := v.limit - int64(len(head))
	p := cursor{b: head}
	err = p.members(func(name string) error {
		switch name {
		case "model_version":
			text, err := p.text()
			reply.Version, _ = strconv.ParseInt(text, 10, 64) // other servers have names
			return err
		case "outputs":
			return p.series('[', ']', func() error {
				name, t, err := p.output(r, left)
				if err == nil {
					left -= int64(t.SizeBytes())
					reply.Outputs[name] = t
				}
				return err
			})
		}
		_, err := p.skip(0)
		return err
	})
	if err == nil && p.peek() != 0 {
		err = p.fail("text after the outputs")
	}
	return reply, err
}

// output reads an output, whose contents are its data or the next bytes of r, of
// which there may be limit.
func (c *cursor) output(r io.Reader, limit int64) (name string, t *tensor.Tensor, err error) {
	var dt tensor.DType
	var dims []int64
	var data []byte
	size := int64(-1)
	err = c.members(func(member string) (err error) {
		switch member {
		case "name":
			name, err = c.text()
		case "datatype":
			var text string
			if text, err = c.text(); err == nil {
				dt, err = datatype.Parse(text)
			}
		case "shape":
			err = c.series('[', ']', func() error {
				n, err := c.integer()
				if dims = append(dims, n); err == nil && (n < 0 || len(dims) > tensor.MaxRank) {
					err = c.fail("a shape is none")
				}
				return err
			})
		case "parameters":
			err = c.members(func(parameter string) (err error) {
				if parameter == "binary_data_size" {
					switch size, err = c.integer(); {
					case err != nil:
					case size < 0:
						err = c.fail("binary_data_size is %d", size)
					case size > limit:
						err = status.Errorf(status.ResourceExhausted, "the reply has more bytes than the limit, with %d of output %q", size, name)
					}
					return err
				}
				_, err = c.skip(0)
				return err
			})
		case "data":
			data, err = c.skip(0)
		default:
			_, err = c.skip(0)
		}
		return err
	})
	if err != nil {
		return "", nil, err
	}
	switch {
	case size >= 0:
		t, err = datatype.Read(r, size, dt, dims)
	case data == nil || columnOf(dt) == nil:
		err = c.fail("it has no data")
	default:
		if t, err = columnOf(dt).read(&cursor{b: data}, nil); err == nil {
			t, err = t.WithShape(dims) // data may be flat
		}
	}
	if err != nil {
		return "", nil, status.Errorf(status.Internal, "the reply cannot be read: output %q: %w", name, err)
	}
	return name, t, nil
}

func (c *cursor) integer() (int64, error) {
	n, err := strconv.ParseInt(string(c.word()), 10, 64)
	if err != nil {
		return 0, c.fail("a whole number is missing")
	}
	return n, nil
}

func (v *v2) models(ctx context.Context, a *address) []string { return v.index(ctx, a) }

// index returns the names of the models of the server, none if it has no such index.
func (w *web) index(ctx context.Context, a *address) []string {
	text, err := w.all(ctx, a.base+"/v2/repository/index", body{[]byte("{}")})
	if err != nil {
		return nil
	}
	var list []struct{ Name string }
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	var names []string
	for _, x := range list {
		names = append(names, x.Name)
	}
	sort.Strings(names)
	return slices.Compact(names)
}
