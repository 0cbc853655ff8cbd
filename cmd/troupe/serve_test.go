package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// served runs "troupe serve" until the test ends, and returns what it prints once it
// serves, and what it has logged.
func served(t *testing.T, args ...string) (printed []string, logged *locked) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	logged = &locked{}
	code := make(chan int, 1)
	go func() {
		code <- execute(ctx, append([]string{"serve"}, args...), strings.NewReader(""), in, logged)
		in.Close()
	}()
	t.Cleanup(func() {
		stop()
		if c := <-code; c != exitOK {
			t.Errorf("exit %d: %s", c, logged)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		printed = append(printed, lines.Text())
		if strings.Contains(lines.Text(), "serving gRPC") {
			break
		}
	}
	go io.Copy(io.Discard, out)
	if len(printed) == 0 {
		t.Fatalf("nothing is served: %s", logged)
	}
	return printed, logged
}

// locked is a buffer that may be read while it is written.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func fetch(t *testing.T, url, body string) string {
	t.Helper()
	var r *http.Response
	var err error
	if body == "" {
		r, err = http.Get(url)
	} else {
		r, err = http.Post(url, "application/json", strings.NewReader(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return fmt.Sprint(r.StatusCode, " ", string(text))
}

const oneDigit = `{"instances": [[[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]],[[0],[0],[0],[0],[0],[0],[0],[0]]]]}`

var address = regexp.MustCompile(`http://[^/]+`)

// TestServe: the command serves what a file says, and again when that has changed.
func TestServe(t *testing.T) {
	digits, err := filepath.Abs("../../examples/serve/digits")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "models.config")
	write := func(name string) {
		text := fmt.Sprintf("model_config_list { config { name: %q base_path: %q model_platform: 'tensorflow' } }", name, digits)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("digits")
	printed, _ := served(t, "--model_config_file="+file, "--model_config_file_poll_wait_seconds=0.01", "--port=0", "--grpc_socket_path="+filepath.Join(t.TempDir(), "s"), "--rest", "127.0.0.1:0", "--quiet", "--enable_model_warmup=true", "--flush_filesystem_caches")
	base := address.FindString(printed[0])
	if text := fetch(t, base+"/v1/models/digits:predict", oneDigit); !strings.HasPrefix(text, "200") {
		t.Error(text)
	}
	if text := fetch(t, base+"/monitoring/prometheus/metrics", ""); !strings.Contains(text, `:tensorflow:serving:request_count{model_name="digits",status="OK"} 1`) {
		t.Error(text)
	}
	if text := fetch(t, base+"/readyz", ""); !strings.HasPrefix(text, "200") {
		t.Error(text)
	}
	if text := fetch(t, base+"/", ""); !strings.HasPrefix(text, "200 <!doctype html>") {
		t.Error(text)
	}
	write("renamed")
	for deadline := time.Now().Add(time.Minute); ; {
		text := fetch(t, base+"/v1/models/renamed:predict", oneDigit)
		if strings.HasPrefix(text, "200") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(text)
		}
	}
}

// TestServeCheck: what cannot be served is named.
func TestServeCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "models.yaml")
	os.WriteFile(file, []byte("models:\n  - {name: none, path: none}\n"), 0o644)
	var out, errs bytes.Buffer
	code := execute(t.Context(), []string{"serve", "--check", "--quiet", "--config", file, "../../examples/serve/digits"}, strings.NewReader(""), &out, &errs)
	if code == exitOK || !strings.Contains(out.String(), "none: NOT_FOUND") || !strings.Contains(out.String(), "digits version 1 AVAILABLE") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
	out.Reset()
	if code := execute(t.Context(), []string{"serve", "--check", "--quiet", "../../examples/serve/digits"}, strings.NewReader(""), &out, &errs); code != exitOK || out.String() != "digits version 1 AVAILABLE\n" {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
}

// TestServeFlags: what a flag cannot mean is said.
func TestServeFlags(t *testing.T) {
	for line, want := range map[string]string{
		"":                                      "nothing to serve",
		"m --rest 0.0.0.0:1":                    "--insecure",
		"m --pprof 0.0.0.0:1":                   "loopback",
		"m --port 1 --grpc :2":                  "given both",
		"m --platform_config_file x":            "only SavedModels",
		"m --use_alts_credentials":              "--tls-cert",
		"m --grpc_channel_arguments x=1":        "grpc.max_connection_age_ms",
		"m --monitoring_config_file none":       "--monitoring_config_file",
		"m --ssl_config_file none":              "--ssl_config_file",
		"m --trace-sample 2":                    "between 0 and 1",
		"m --otlp x":                            "not a URL",
		"m --max-models x":                      "512MiB",
		"--config none.yaml":                    "none.yaml",
		"--model_base_path x --session :1":      "a process each",
		"m --rest_api_port 99999":               "not a port",
		"m --per_process_gpu_memory_fraction 1": "--session-memory",
	} {
		var out, errs bytes.Buffer
		code := execute(t.Context(), append([]string{"serve"}, strings.Fields(line)...), strings.NewReader(""), &out, &errs)
		if code == exitOK || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %s, want %q", line, code, &errs, want)
		}
	}
}

// TestServeSamplesHeap: allocations are sampled where profiles are served.
func TestServeSamplesHeap(t *testing.T) {
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	sampleHeap(false)
	served(t, "../../examples/serve/digits", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--pprof", "127.0.0.1:0")
	if runtime.MemProfileRate == 0 {
		t.Error("profiles are served, and allocations are not sampled")
	}
}

// TestServeTraces: spans arrive at a collector, and probes without the token at the
// address for those who operate the server.
func TestServeTraces(t *testing.T) {
	posted := make(chan string, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posted <- r.URL.Path + string(body)
	}))
	defer collector.Close()
	token := filepath.Join(t.TempDir(), "token")
	os.WriteFile(token, []byte("secret\n"), 0o644)
	t.Run("served", func(t *testing.T) {
		printed, logged := served(t, "../../examples/serve/digits", "--otlp", collector.URL, "--rest", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--grpc", "", "--grpc_socket_path", filepath.Join(t.TempDir(), "s"), "--token-file", token)
		base := address.FindString(printed[0])
		if text := fetch(t, base+"/v1/models/digits", ""); !strings.HasPrefix(text, "401") {
			t.Error(text)
		}
		if text := fetch(t, base+"/", ""); !strings.HasPrefix(text, "200 <!doctype html>") { // which holds nothing
			t.Error(text)
		}
		if text := fetch(t, base+"/events", ""); !strings.HasPrefix(text, "403") {
			t.Error(text)
		}
		r, err := http.NewRequest("POST", base+"/v1/models/digits:predict", strings.NewReader(oneDigit))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer secret")
		reply, err := http.DefaultClient.Do(r)
		if err != nil || reply.StatusCode != http.StatusOK {
			t.Fatal(reply, err)
		}
		reply.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		var admin string
		for _, line := range printed {
			if at, ok := strings.CutPrefix(line, "serving health and metrics at "); ok {
				admin = at
			}
		}
		if text := fetch(t, "http://"+admin+"/metrics", ""); !strings.Contains(text, "troupe_serve_ready 1") {
			t.Error(text)
		}
		for deadline := time.Now().Add(time.Minute); !strings.Contains(logged.String(), `"method":"predict"`); {
			if time.Now().After(deadline) {
				t.Fatal(logged.String())
			}
		}
	})
	all := ""
	for len(posted) > 0 {
		all += <-posted
	}
	if !strings.HasPrefix(all, "/v1/traces") || !strings.Contains(all, "REST predict") || !strings.Contains(all, "run") {
		t.Errorf("%q", all)
	}
}

// TestServeErrors: what fails on a connection is logged as everything else is.
func TestServeErrors(t *testing.T) {
	cert, key := certificate(t)
	printed, logged := served(t, "../../examples/serve/digits", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	_, at, _ := strings.Cut(strings.Join(printed, " "), "https://")
	at, _, _ = strings.Cut(at, "/")
	c, err := net.Dial("tcp", strings.Fields(at)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "\x16 no handshake")
	io.Copy(io.Discard, c) // to the end, before which it is logged
	found := false
	for line := range strings.Lines(logged.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		text, _ := fields["error"].(string)
		found = found || strings.Contains(text, "TLS handshake error")
	}
	if !found {
		t.Error(logged)
	}
}
