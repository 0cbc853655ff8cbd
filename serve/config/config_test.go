package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/config/messages"
	"github.com/troupe-go/troupe/status"
)

// full is a file as TensorFlow Serving's documentation has it.
const full = `
model_config_list {
  config {
    name: 'my_first_model'
    base_path: '/tmp/my_first_model/'
    model_platform: 'tensorflow'
    model_version_policy { specific { versions: 42 versions: 43 } }
    version_labels { key: 'stable' value: 42 }
    version_labels { key: 'canary' value: 43 }
    logging_config { sampling_config { sampling_rate: 0.1 } }
  }
  config: { name: "second" base_path: "file:///models/second" model_platform: "tensorflow" model_version_policy: { latest: { num_versions: 2 } } }
  config < name: "third" base_path: "third" model_version_policy: { all: {} } >
}`

func TestText(t *testing.T) {
	want := []serve.Config{
		{Name: "my_first_model", Path: "/tmp/my_first_model/", Policy: serve.Policy{Specific: []int64{42, 43}}, Labels: map[string]int64{"stable": 42, "canary": 43}},
		{Name: "second", Path: "/models/second", Policy: serve.Policy{Latest: 2}},
		{Name: "third", Path: "third", Policy: serve.Policy{All: true}},
	}
	got, err := ParseText([]byte(full))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct {
		text, want string
		code       status.Code
	}{
		{`model_config_list { config { nam: "x" } }`, "nam", status.InvalidArgument},
		{`model_config_list { config { name: "x" base_path: "gs://bucket/x" } }`, "mount", status.Unimplemented},
		{`model_config_list { config { name: "x" base_path: "x" model_platform: "tflite" } }`, "tflite", status.Unimplemented},
		{`model_config_list { config { name: "x" base_path: "x" model_version_policy { specific {} } } }`, "names no version", status.InvalidArgument},
		{`custom_model_config: ""`, "model_config_list", status.Unimplemented},
		{strings.Repeat("model_config_list {", 20_000), "nested", status.InvalidArgument},
	} {
		if _, err := ParseText([]byte(c.text)); status.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%.60s: %v", c.text, err)
		}
	}
}

// TestBinary: the binary form, which a request to reload brings.
func TestBinary(t *testing.T) {
	b, err := proto.Marshal(&messages.ModelServerConfig{Config: &messages.ModelServerConfig_ModelConfigList{ModelConfigList: &messages.ModelConfigList{
		Config: []*messages.ModelConfig{{Name: "x", BasePath: "/x", ModelPlatform: "tensorflow"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	// model_config_list 1 { config 1 { name 1, base_path 2, model_platform 4 } }
	if want := "\n\x15\n\x13\n\x01x\x12\x02/x\"\ntensorflow"; string(b) != want {
		t.Errorf("%q", b)
	}
	if got, err := Unmarshal(b); err != nil || len(got) != 1 || got[0].Path != "/x" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Unmarshal([]byte{10, 200}); status.CodeOf(err) != status.InvalidArgument {
		t.Error(err)
	}
}

func TestYAML(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "models.yaml")
	os.WriteFile(name, []byte(`
models:
  - name: digits
    path: digits
    versions: {latest: 2}
    labels: {stable: 3}
    canary: {share: 0.05, version: 4}
    weight: 2
    running: 8
    waiting: 256
    timeout: 500ms
    memory: 2GiB
    batch_loops: true
    warmup: [examples.json]
  - name: other
    path: /models/other
`), 0o644)
	want := []serve.Config{{
		Name: "digits", Path: filepath.Join(dir, "digits"), Policy: serve.Policy{Latest: 2}, Labels: map[string]int64{"stable": 3},
		Canary: serve.Canary{Share: .05, Version: 4}, Weight: 2, Running: 8, Waiting: 256, Timeout: 500 * time.Millisecond, Memory: 2 << 30, BatchLoops: true,
		WarmUp: []string{filepath.Join(dir, "examples.json")},
	}, {Name: "other", Path: "/models/other"}}
	if got, err := Read(name); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"models:\n  - nam: x\n": "nam",
		"models: 3\n":           "models",
		"models:\n  - {name: x, path: x, memory: lots}\n":                   "size",
		"models:\n  - {name: x, path: x, versions: {all: true, latest: 1}}": "more than one",
		"models:\n  - {name: x, path: 's3://x'}":                            "mount",
	} {
		os.WriteFile(name, []byte(text), 0o644)
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for text, want := range map[string]string{
		`prometheus_config { enable: true, path: "/m" }`: "/m",
		`prometheus_config { enable: true }`:             "/monitoring/prometheus/metrics",
		``:                                               "",
	} {
		os.WriteFile(name, []byte(text), 0o644)
		if got, err := ReadMonitoring(name); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	os.WriteFile(name, []byte(`server_key: "k" server_cert: "c" custom_ca: "a" client_verify: true`), 0o644)
	if got, err := ReadTLS(name); err != nil || string(got.Key)+string(got.Certificate)+string(got.ClientCA) != "kca" || !got.Verify {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(full))
	f.Fuzz(func(t *testing.T, text []byte) { ParseText(text) })
}

func FuzzYAML(f *testing.F) {
	f.Add([]byte("models:\n  - {name: x, path: x, memory: 1GiB, timeout: 1s}\n"))
	f.Fuzz(func(t *testing.T, text []byte) { ParseYAML(text, "/") })
}
