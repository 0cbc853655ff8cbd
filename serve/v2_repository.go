package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// A V2Index describes a version of a model in the protocol's index of the repository.
type V2Index struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
}

// V2Index lists the versions of all models, or those alone that are ready. A model that
// was unloaded is listed without a version.
func (m *Manager) V2Index(ready bool) []V2Index {
	all := []V2Index{}
	for _, name := range m.Models() {
		list, _ := m.Status(Spec{Model: name}) // an error says that it is gone
		for _, v := range list {
			x := V2Index{Name: name, Version: strconv.FormatInt(v.Version, 10), State: "READY"}
			if v.State != Available {
				if x.State = "UNAVAILABLE"; v.State == Loading || v.State == Start {
					x.State = "LOADING"
				}
				if v.State == Unloading {
					x.State = "UNLOADING"
				}
				if v.Err != nil {
					x.Reason = v.Err.Error()
				}
				if ready {
					continue
				}
			}
			all = append(all, x)
		}
	}
	if ready {
		return all
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range sorted.Keys(m.unloaded) {
		all = append(all, V2Index{Name: name, State: "UNAVAILABLE", Reason: "unloaded"})
	}
	return all
}

// Unload ends a model as [Manager.Remove] does, and keeps its configuration, with which
// [Manager.Load] serves it again. The next [Manager.Reconfigure] decides anew.
func (m *Manager) Unload(name string) error {
	m.mu.Lock()
	s := m.models[name]
	var c Config
	if s != nil {
		c = s.config
	}
	m.mu.Unlock()
	if s == nil || !m.remove(s) {
		return notFound(Spec{Model: name})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.models[name] == nil {
		m.unloaded[name] = c
	}
	return nil
}

// Load looks for new versions of a model, or serves one again that was unloaded, and
// returns when its versions are available or have failed, with the first error. It fails
// with NOT_FOUND for a model that was not configured.
func (m *Manager) Load(ctx context.Context, name string) error {
	m.mu.Lock()
	s := m.models[name]
	c, was := m.unloaded[name]
	m.mu.Unlock()
	switch {
	case s != nil:
		return m.refresh(ctx, s, nil)
	case !was:
		return status.Errorf(status.NotFound, "the server has no model '%s' in its configuration", name)
	}
	err := m.Add(ctx, c)
	if err != nil {
		m.mu.Lock()
		if m.models[name] == nil {
			m.unloaded[name] = c
		}
		m.mu.Unlock()
	}
	return err
}

// V2Parameter reports whether a parameter of loading a model may be given. Those that bring
// a configuration or files may not: models are what the server's configuration says.
func V2Parameter(name string) error {
	if name == "config" || strings.HasPrefix(name, "file:") {
		return status.Errorf(status.Unimplemented, "the parameter '%s' is not supported: models are loaded as the server is configured", name)
	}
	return nil
}

// ControlRefused is the error of who loads or unloads models without being allowed to.
func ControlRefused() error {
	return status.Errorf(status.PermissionDenied, "clients may not load and unload the models of this server (--allow-reload)")
}

// v2Repository answers a request for the repository: its index, or a model to load or unload.
func (h *rest) v2Repository(w http.ResponseWriter, r *http.Request, parts []string) reply {
	b := body{h: h}
	defer b.release()
	text, err := b.read(w, r, nil)
	if err != nil {
		return failed(err)
	}
	var asked struct {
		Ready      bool                       `json:"ready"`
		Parameters map[string]json.RawMessage `json:"parameters"`
	}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &asked); err != nil {
			return failed(status.Invalid("Failed to parse the request: %v", err))
		}
	}
	record := RecordOf(r.Context())
	if len(parts) == 1 { // index
		record.Method = "index"
		return said(h.m.V2Index(asked.Ready))
	}
	name, err := url.PathUnescape(parts[1])
	if err != nil {
		return failed(status.Invalid("Malformed request: %s %s", r.Method, r.URL.Path))
	}
	record.Method, record.Model = parts[2], name
	if !h.o.Control {
		return failed(ControlRefused())
	}
	for _, p := range sorted.Keys(asked.Parameters) {
		if err := V2Parameter(p); err != nil {
			return failed(err)
		}
	}
	ctx, cancel, err := h.within(r)
	if err != nil {
		return failed(err)
	}
	defer cancel()
	if parts[2] == "load" {
		err = h.m.Load(ctx, name)
	} else {
		err = h.m.Unload(name)
	}
	if err != nil {
		return failed(err)
	}
	return said(map[string]any{})
}
