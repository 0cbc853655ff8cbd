package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The server as the Open Inference Protocol describes it.
const (
	V2Name     = "troupe"
	V2Version  = "2"
	V2Platform = "tensorflow_savedmodel"
)

// V2Extensions are the extensions of the protocol that are implemented.
var V2Extensions = []string{"binary_tensor_data", "model_configuration", "model_repository", "statistics"}

// inferenceHeader is how many bytes of a body are JSON; tensors follow.
const inferenceHeader = "Inference-Header-Content-Length"

// v2 answers a request under /v2.
func (h *rest) v2(w http.ResponseWriter, r *http.Request) (out reply) {
	record := RecordOf(r.Context())
	record.API, record.Method = "v2 REST", "metadata"
	parts := strings.Split(strings.Trim(r.URL.EscapedPath(), "/"), "/")[1:]
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	path := strings.Join(parts, "/")
	switch {
	case path == "" && get:
		return said(map[string]any{"name": V2Name, "version": V2Version, "extensions": V2Extensions})
	case path == "health/live" && get:
		record.Skip()
		return said(map[string]any{"live": true})
	case path == "health/ready" && get:
		record.Skip()
		if !h.m.Ready() {
			return failed(status.Errorf(status.Unavailable, "not every model has a version to serve"))
		}
		return said(map[string]any{"ready": true})
	case r.Method == http.MethodPost && (path == "repository/index" || len(parts) == 4 && parts[0] == "repository" && parts[1] == "models" && (parts[3] == "load" || parts[3] == "unload")):
		return h.v2Repository(w, r, parts[1:])
	case path == "models/stats" && get:
		record.Method = "statistics"
		return h.v2Statistics(Spec{})
	case len(parts) > 0 && slices.Contains(v2Missing, parts[0]):
		return failed(status.Errorf(status.Unimplemented, "the extension of %s is not supported", parts[0]))
	case len(parts) >= 2 && parts[0] == "models":
		return h.v2Model(w, r, parts[1:])
	}
	return failed(status.Errorf(status.NotFound, "Malformed request: %s %s", r.Method, r.URL.Path))
}

// v2Missing are the first parts of paths of extensions that are not implemented.
var v2Missing = []string{"systemsharedmemory", "cudasharedmemory", "trace", "logging"}

func (h *rest) v2Statistics(s Spec) reply {
	list, err := h.m.V2Statistics(s)
	if err != nil {
		return failed(err)
	}
	return said(map[string]any{"model_stats": list})
}

// said returns a reply of JSON.
func said(v any) reply {
	text, err := json.Marshal(v)
	if err != nil {
		return failed(err)
	}
	return reply{code: http.StatusOK, body: text}
}

// v2Model answers a request for a model: NAME[/versions/N][/ready|/infer|/stats|/config].
func (h *rest) v2Model(w http.ResponseWriter, r *http.Request, parts []string) reply {
	var s Spec
	var err error
	if s.Model, err = url.PathUnescape(parts[0]); err != nil || s.Model == "" {
		return failed(status.Invalid("Malformed request: %s %s", r.Method, r.URL.Path))
	}
	record := RecordOf(r.Context())
	record.Model = s.Model
	parts = parts[1:]
	if len(parts) >= 2 && parts[0] == "versions" {
		if s.Version, s.HasVersion, err = V2ModelVersion(parts[1]); err != nil {
			return failed(err)
		}
		parts = parts[2:]
	}
	verb := strings.Join(parts, "/")
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	if get {
		s.Signature = r.URL.Query().Get("signature_name") // as the parameter of an infer
	}
	switch {
	case verb == "" && get:
		var meta V2Metadata
		if meta, err = h.m.V2Metadata(s); err == nil {
			return said(meta)
		}
	case verb == "stats" && get:
		record.Method = "statistics"
		return h.v2Statistics(s)
	case verb == "config" && get:
		record.Method = "config"
		var c V2Config
		if c, err = h.m.V2Config(s); err == nil {
			return said(c)
		}
	case verb == "ready" && get:
		var u Use
		if u, err = h.m.Use(s); err == nil {
			defer u.Close()
			return said(map[string]any{"name": s.Model, "ready": true})
		}
	case verb == "infer" && r.Method == http.MethodPost:
		record.Method = "infer"
		return h.v2Infer(w, r, s)
	default:
		err = status.Errorf(status.NotFound, "Malformed request: %s %s", r.Method, r.URL.Path)
	}
	return failed(err)
}

// V2ModelVersion reads the version of a request, which is "" for the greatest.
func V2ModelVersion(text string) (version int64, given bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	if version, err = strconv.ParseInt(text, 10, 64); err != nil || version < 0 {
		return 0, false, status.Invalid("the model's version '%.40s' is not a number", text)
	}
	return version, true, nil
}

// V2Metadata is a model as the Open Inference Protocol describes it: by the signature
// serving_default or, if it has none, the first by name.
type V2Metadata struct {
	Name     string     `json:"name"`
	Versions []string   `json:"versions"`
	Platform string     `json:"platform"`
	Inputs   []V2Tensor `json:"inputs"`
	Outputs  []V2Tensor `json:"outputs"`
}

// A V2Tensor is an input or output in [V2Metadata]. Its shape has -1 for what is unknown.
type V2Tensor struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// V2Metadata describes a model. It fails as [Manager.Use] does.
func (m *Manager) V2Metadata(s Spec) (V2Metadata, error) {
	u, err := m.Use(s)
	if err != nil {
		return V2Metadata{}, err
	}
	defer u.Close()
	meta := V2Metadata{Name: s.Model, Platform: V2Platform, Versions: []string{}}
	list, err := m.Status(Spec{Model: s.Model})
	if err != nil {
		return meta, err
	}
	for _, v := range slices.Backward(list) {
		if v.State == Available {
			meta.Versions = append(meta.Versions, strconv.FormatInt(v.Version, 10))
		}
	}
	sig, ok := u.Model().Signatures[V2Signature(u.Model(), s.Signature)]
	if !ok {
		return meta, status.Invalid("the model has no signature '%s'", s.Signature)
	}
	meta.Inputs, meta.Outputs = v2Tensors(sig.Inputs), v2Tensors(sig.Outputs)
	return meta, nil
}

// V2Signature returns the signature that requests of the protocol run, which does not name
// them, unless a parameter does: serving_default or, if there is none, the first by name.
func V2Signature(m *model.SavedModel, asked string) string {
	if asked != "" {
		return asked
	}
	if _, ok := m.Signatures["serving_default"]; ok {
		return "serving_default"
	}
	for _, name := range sorted.Keys(m.Signatures) {
		if !strings.HasPrefix(name, "__") { // as __saved_model_init_op
			return name
		}
	}
	return "serving_default"
}

// A v2Call is the JSON of a request.
type v2Call struct {
	id, signature string
	binary        bool // outputs are binary unless they say otherwise
	inputs        []v2Input
	outputs       []v2Output
}

type v2Input struct {
	name, datatype string
	shape          []int64
	size           int64 // of binary contents; -1: data has the elements
	data           []byte
}

type v2Output struct {
	name   string
	binary bool
}

// The parameters of the protocol's extensions that change what a request means.
var unsupported = []string{"shared_memory_region", "classification", "sequence_id"}

// parseV2 reads the JSON of a request.
func parseV2(text []byte) (out v2Call, err error) {
	c := cursor{b: text}
	if c.peek() != '{' {
		return out, status.Invalid("Failed to parse the request: it is no JSON object")
	}
	var list []byte
	err = c.members(func(name string) (err error) {
		switch name {
		case "id":
			out.id, err = c.text()
		case "parameters":
			err = c.parameters(func(name string) (err error) {
				switch name {
				case "binary_data_output":
					out.binary, err = c.boolean()
				case "signature_name":
					out.signature, err = c.text()
				default:
					err = c.other(name)
				}
				return err
			})
		case "inputs":
			err = c.items(func(int) error {
				in, err := c.v2Input()
				out.inputs = append(out.inputs, in)
				return err
			})
		case "outputs":
			list, err = c.skip(1) // binary_data_output may follow
		default:
			_, err = c.skip(1)
		}
		return err
	})
	if err == nil && c.peek() != 0 {
		err = c.fail("text after the request")
	}
	if err != nil || list == nil {
		return out, err
	}
	c = cursor{b: list}
	return out, c.items(func(int) error {
		o := v2Output{binary: out.binary}
		err := c.members(func(name string) (err error) {
			switch name {
			case "name":
				o.name, err = c.text()
			case "parameters":
				err = c.parameters(func(name string) (err error) {
					if name == "binary_data" {
						o.binary, err = c.boolean()
						return err
					}
					return c.other(name)
				})
			default:
				_, err = c.skip(3)
			}
			return err
		})
		out.outputs = append(out.outputs, o)
		return err
	})
}

// v2Input reads an input.
func (c *cursor) v2Input() (in v2Input, err error) {
	in.size = -1
	shaped := false
	err = c.members(func(name string) (err error) {
		switch name {
		case "name":
			in.name, err = c.text()
		case "datatype":
			in.datatype, err = c.text()
		case "shape":
			shaped = true
			err = c.items(func(int) error {
				d, err := c.integer()
				if in.shape = append(in.shape, d); err == nil && (d < 0 || len(in.shape) > tensor.MaxRank) {
					err = status.Invalid("input '%s' has the dimension %d", in.name, d)
				}
				return err
			})
		case "data":
			in.data, err = c.skip(3)
		case "parameters":
			err = c.parameters(func(name string) (err error) {
				if name == "binary_data_size" {
					if in.size, err = c.integer(); err == nil && in.size < 0 {
						err = status.Invalid("binary_data_size is %d", in.size)
					}
					return err
				}
				return c.other(name)
			})
		default:
			_, err = c.skip(3)
		}
		return err
	})
	switch {
	case err != nil:
	case in.name == "":
		err = status.Invalid("an input has no name")
	case in.datatype == "":
		err = status.Invalid("input '%s' has no datatype", in.name)
	case !shaped:
		err = status.Invalid("input '%s' has no shape", in.name)
	case in.size < 0 && in.data == nil:
		err = status.Invalid("input '%s' has neither data nor binary_data_size", in.name)
	case in.size >= 0 && in.data != nil:
		err = status.Invalid("input '%s' has both data and binary_data_size", in.name)
	}
	return in, err
}

// parameters calls do with the name of each parameter, whose value do must read.
func (c *cursor) parameters(do func(name string) error) error {
	if c.peek() == 'n' { // null
		_, err := c.skip(1)
		return err
	}
	return c.members(do)
}

// other passes over a parameter of a name without a meaning here.
func (c *cursor) other(name string) error {
	if slices.Contains(unsupported, name) {
		return status.Errorf(status.Unimplemented, "the parameter '%s' is not supported", name)
	}
	_, err := c.skip(4)
	return err
}

func (c *cursor) boolean() (bool, error) {
	c.peek()
	switch w := string(c.word()); w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, c.fail("true or false is missing")
}

func (c *cursor) integer() (int64, error) {
	c.peek()
	n, err := strconv.ParseInt(string(c.word()), 10, 64)
	if err != nil {
		return 0, c.fail("a whole number is missing")
	}
	return n, nil
}

// tensor makes a tensor of an input's data, or reads its binary contents from r.
func (in v2Input) tensor(r io.Reader) (*tensor.Tensor, error) {
	dt, err := datatype.Parse(in.datatype)
	if err != nil {
		return nil, err
	}
	if in.size >= 0 {
		return datatype.Read(r, in.size, dt, in.shape)
	}
	n, err := tensor.NumElements(dt, in.shape)
	if err != nil {
		return nil, err
	}
	col, err := v2Column(dt)
	if err != nil {
		return nil, err
	}
	dims, err := col.read(in.data)
	if err != nil {
		return nil, err
	}
	if have, err := tensor.NumElements(dt, dims); err != nil || have != n {
		return nil, status.Invalid("data has %d elements, for the shape %s", have, tensor.FormatDims(in.shape))
	}
	return col.tensor(in.shape)
}

// v2Infer answers an infer.
func (h *rest) v2Infer(w http.ResponseWriter, r *http.Request, s Spec) reply {
	ctx, cancel, err := h.within(r)
	if err != nil {
		return failed(err)
	}
	defer cancel()
	s.Key = r.Header.Get("X-Request-Key")
	u, err := h.m.Use(s)
	if err != nil {
		return failed(err)
	}
	defer u.Close()
	b := body{h: h}
	defer b.release()
	request, inputs, err := b.v2(w, r)
	RecordOf(ctx).BytesIn = b.held
	if err != nil {
		return failed(err)
	}
	key := V2Signature(u.Model(), request.signature)
	var wanted []string
	for _, o := range request.outputs {
		wanted = append(wanted, o.name)
	}
	outputs, err := u.Run(ctx, key, inputs, wanted...)
	if err != nil {
		return failed(err)
	}
	if len(wanted) == 0 {
		for _, name := range sorted.Keys(outputs) {
			request.outputs = append(request.outputs, v2Output{name, request.binary})
		}
	}
	out, err := v2Reply(s.Model, u.Version(), request, outputs)
	if err != nil {
		return failed(err)
	}
	return out
}

// v2 reads the body of an infer: JSON, and the binary contents of inputs behind it, which
// are read into the memory of their tensors.
func (b *body) v2(w http.ResponseWriter, r *http.Request) (out v2Call, inputs map[string]*tensor.Tensor, err error) {
	var text []byte
	rest := io.Reader(bytes.NewReader(nil))
	if length := r.Header.Get(inferenceHeader); length == "" {
		text, err = b.read(w, r, nil)
	} else {
		n, e := strconv.ParseInt(length, 10, 64)
		if e != nil || n < 0 {
			return out, nil, status.Invalid("%s is '%.40s', not a number of bytes", inferenceHeader, length)
		}
		if rest, err = b.reader(w, r); err == nil {
			if text, err = b.all(io.LimitReader(rest, n), n, nil); err == nil && int64(len(text)) < n {
				err = status.Invalid("the request's body ends after %d bytes of JSON, of %d", len(text), n)
			}
		}
	}
	if err != nil {
		return out, nil, err
	}
	if out, err = parseV2(text); err != nil {
		return out, nil, err
	}
	inputs = map[string]*tensor.Tensor{}
	for _, in := range out.inputs {
		if inputs[in.name] != nil {
			return out, nil, status.Invalid("there are two inputs '%s'", in.name)
		}
		if in.size > b.h.o.MaxBody {
			return out, nil, &http.MaxBytesError{Limit: b.h.o.MaxBody}
		}
		if err := b.take(max(0, in.size)); err != nil {
			return out, nil, err
		}
		if inputs[in.name], err = in.tensor(rest); err != nil {
			return out, nil, within(in.name, err)
		}
	}
	if n, err := rest.Read(make([]byte, 1)); n > 0 {
		return out, nil, status.Invalid("the body goes on behind the contents of the inputs")
	} else if err != nil && !errors.Is(err, io.EOF) {
		return out, nil, broken(err)
	}
	return out, inputs, nil
}

// v2Reply writes the outputs of an infer: as JSON, or behind it.
func v2Reply(name string, version int64, request v2Call, outputs map[string]*tensor.Tensor) (out reply, err error) {
	b := append(appendText([]byte(`{"model_name":`), name), `,"model_version":"`...)
	b = append(strconv.AppendInt(b, version, 10), '"')
	if request.id != "" {
		b = appendText(append(b, `,"id":`...), request.id)
	}
	b = append(b, `,"outputs":[`...)
	binary := false
	for i, o := range request.outputs {
		t := outputs[o.name]
		if t == nil { // an operation, which has no tensor
			continue
		}
		if i > 0 {
			b = append(b, ',')
		}
		dt := datatype.Name(t.DType())
		if dt == "" {
			return out, status.Invalid("the protocol has no type for output '%s', which is %v", o.name, t.DType())
		}
		b = append(appendText(append(b, `{"name":`...), o.name), `,"datatype":"`...)
		b = append(append(b, dt...), `","shape":[`...)
		for k, d := range t.Dims() {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, d, 10)
		}
		b = append(b, ']')
		if o.binary {
			binary = true
			part, err := datatype.Contents(t)
			if err != nil {
				return out, err
			}
			out.parts = append(out.parts, part)
			b = append(b, `,"parameters":{"binary_data_size":`...)
			b = append(strconv.AppendInt(b, int64(len(part)), 10), "}}"...)
			continue
		}
		p, err := v2Printer(t)
		if err != nil {
			return out, within(o.name, err)
		}
		b = append(b, `,"data":[`...)
		for k := range t.NumElements() {
			if k > 0 {
				b = append(b, ',')
			}
			b = p.print(b, k)
		}
		b = append(b, "]}"...)
	}
	out.code, out.body, out.binary = http.StatusOK, append(b, "]}"...), binary
	return out, nil
}

// V2Infer runs a request of the protocol on a model, and returns the version that was used.
func (m *Manager) V2Infer(ctx context.Context, s Spec, inputs map[string]*tensor.Tensor, outputs ...string) (map[string]*tensor.Tensor, int64, error) {
	u, err := m.Use(s)
	if err != nil {
		return nil, 0, err
	}
	defer u.Close()
	out, err := u.Run(ctx, V2Signature(u.Model(), s.Signature), inputs, outputs...)
	return out, u.Version(), err
}

// v2Column is columnOf for types that TensorFlow Serving's JSON does not have, too.
func v2Column(dt tensor.DType) (column, error) {
	switch dt {
	case tensor.Uint16:
		return &typed[uint16]{dt: dt, element: func(c *cursor) (uint16, bool) {
			n, err := strconv.ParseUint(string(c.word()), 10, 16)
			return uint16(n), err == nil
		}}, nil
	case tensor.Half:
		return &typed[tensor.Float16]{dt: dt, element: func(c *cursor) (tensor.Float16, bool) {
			x, ok := float32Of(c)
			return tensor.ToFloat16(x), ok
		}}, nil
	case tensor.Bfloat16:
		return &typed[tensor.BFloat16]{dt: dt, element: func(c *cursor) (tensor.BFloat16, bool) {
			x, ok := float32Of(c)
			return tensor.ToBFloat16(x), ok
		}}, nil
	}
	return columnOf(dt)
}

// v2Printer is printerOf for these types, too.
func v2Printer(t *tensor.Tensor) (*printer, error) {
	v := tensor.ValueOf(t)
	switch t.DType() {
	case tensor.Uint16:
		x := tensor.Of[uint16](&v)
		return &printer{print: func(b []byte, i int) []byte { return strconv.AppendUint(b, uint64(x[i]), 10) }}, nil
	case tensor.Half:
		x := tensor.Of[tensor.Float16](&v)
		return &printer{print: func(b []byte, i int) []byte { return appendFloat(b, float64(x[i].Float32()), 32) }}, nil
	case tensor.Bfloat16:
		x := tensor.Of[tensor.BFloat16](&v)
		return &printer{print: func(b []byte, i int) []byte { return appendFloat(b, float64(x[i].Float32()), 32) }}, nil
	}
	return printerOf("", t)
}
