package serve

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

// TestV2Statistics: requests are counted by version, examples and steps, those that fail too.
func TestV2Statistics(t *testing.T) {
	h := Handler(restModels(t), HTTP{})
	for _, body := range []string{`{"instances": [1, 2, 3]}`, `{"instances": [1]}`, `{"instances": [1]}`} {
		if code, text := ask(h, "POST", "/v1/models/half:predict", body); code != 200 {
			t.Fatal(text)
		}
	}
	ask(h, "POST", "/v1/models/half:predict", `{"signature_name": "none", "inputs": {"x": [1]}}`)
	ask(h, "POST", "/v1/models/many:predict", `{"inputs": {"a": 1, "n": 2}}`)
	stats := func(path string) (list []V2Statistics) {
		code, text := ask(h, "GET", path, "")
		var reply struct {
			List []V2Statistics `json:"model_stats"`
		}
		if err := json.Unmarshal([]byte(text), &reply); code != 200 || err != nil {
			t.Fatalf("%s: %d %s: %v", path, code, text, err)
		}
		return reply.List
	}
	list := stats("/v2/models/half/versions/123/stats")
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	s := list[0]
	i := s.InferenceStats
	if s.Name != "half" || s.Version != "123" || s.InferenceCount != 5 || s.ExecutionCount != 3 || s.LastInference == 0 ||
		i.Success.Count != 3 || i.Fail.Count > 1 || i.Queue.Count != 3 || i.ComputeInfer.Count != 3 || i.ComputeInfer.NS <= 0 || i.Success.NS < i.ComputeInfer.NS {
		t.Errorf("%+v", s)
	}
	if b := s.BatchStats; len(b) != 2 || b[0].BatchSize != 1 || b[0].ComputeInfer.Count != 2 || b[1].BatchSize != 3 || b[1].ComputeInfer.Count != 1 {
		t.Errorf("%+v", b)
	}
	if list := stats("/v2/models/stats"); len(list) != 3 || list[1].Name != "many" || list[1].ExecutionCount != 1 || list[2].InferenceCount != 0 {
		t.Errorf("%+v", list)
	}
}

// TestV2Control: models of the configuration are unloaded and loaded again, and others are
// not found. A new configuration decides anew.
func TestV2Control(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "a", "1"), "1")
	m := manager(t, Options{})
	list := []Config{{Name: "a", Path: filepath.Join(dir, "a")}}
	if err := m.Reconfigure(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	h := Handler(m, HTTP{Control: true})
	post := func(path, body string, want int) string {
		t.Helper()
		code, text := ask(h, "POST", "/v2/repository/"+path, body)
		if code != want {
			t.Errorf("%s: %d %s", path, code, text)
		}
		return text
	}
	half(t, filepath.Join(dir, "a", "2"), "2")
	post("models/a/load", "", 200) // a new version
	if got := answers(t, m, Spec{Model: "a"}); got != "4 by 2" {
		t.Error(got)
	}
	post("models/b/load", "", 404)
	post("models/b/unload", "", 404)
	post("models/a/load", `{"parameters": {"config": "{}"}}`, 501)
	post("models/a/load", `{"parameters": {"file:1/saved_model.pb": "aGFsbG8="}}`, 501)
	post("models/a/load", `{`, 400)
	post("models/a/unload", `{"parameters": {"unload_dependents": false}}`, 200)
	post("models/a/unload", "", 404)
	if _, err := m.Use(Spec{Model: "a"}); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if text := post("index", "", 200); !strings.Contains(text, `{"name":"a","version":"","state":"UNAVAILABLE","reason":"unloaded"}`) {
		t.Error(text)
	}
	if text := post("index", `{"ready": true}`, 200); text != "[]" {
		t.Error(text)
	}
	post("models/a/load", "{}", 200)
	if got := answers(t, m, Spec{Model: "a"}); got != "4 by 2" {
		t.Error(got)
	}
	post("models/a/unload", "", 200)
	if err := m.Reconfigure(t.Context(), nil); err != nil {
		t.Error(err)
	}
	post("models/a/load", "", 404)
	if err := m.Reconfigure(t.Context(), list); err != nil {
		t.Error(err)
	}
	post("models/a/unload", "", 200)
	if err := m.Reconfigure(t.Context(), list); err != nil {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "4 by 2" {
		t.Error(got)
	}
}
