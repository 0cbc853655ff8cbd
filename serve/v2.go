package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

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

// v2Infer answers an infer.
func (h *rest) v2Infer(w http.ResponseWriter, r *http.Request, s Spec) reply {
	ctx, cancel, err := h.within(r)
	if err != nil {
		return failed(err)
	}
	defer cancel()
	if err := h.m.Full(s.Model); err != nil { // before its body is read
		return failed(err)
	}
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
