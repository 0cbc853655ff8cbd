package serve

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/serve/internal/mutate"
)

// requests are good ones, a path and a body each, and a binary part behind some.
var requests = []string{
	"POST /v1/models/half:predict\n{\"instances\": [1.5, 2, -3e2]}",
	"POST /v1/models/half/versions/123:predict\n{\"signature_name\": \"serving_default\", \"inputs\": {\"x\": [1, 2]}}",
	"POST /v1/models/half/labels/stable:predict\n{\"instances\": [{\"x\": 1}, {\"x\": 2}]}",
	"POST /v1/models/many:predict\n{\"inputs\": {\"a\": [[1, 2], [3, 4]], \"n\": 9007199254740993}}",
	"POST /v1/models/many:predict\n{\"signature_name\": \"texts\", \"instances\": [\"a\\n\\u00e4\", {\"b64\": \"aGVsbG8=\"}]}",
	"POST /v1/models/many:predict\n{\"signature_name\": \"flags\", \"inputs\": [true, false]}",
	"POST /v1/models/types:predict\n{\"signature_name\": \"u64\", \"inputs\": [18446744073709551615, 0]}",
	"POST /v1/models/types:predict\n{\"signature_name\": \"i8\", \"instances\": [[-128], [127]]}",
	"POST /v1/models/many:classify\n{\"examples\": [{\"x\": [1.0, 2.0], \"s\": \"a\"}], \"context\": {\"y\": 3}}",
	"POST /v1/models/many:regress\n{\"examples\": [{\"x\": {\"b64\": \"YQ==\"}}]}",
	"GET /v1/models/half/metadata\n",
	"GET /v1/models/half/versions/123\n",
	"POST /v2/models/half/infer\n{\"id\": \"1\", \"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [2], \"data\": [1, 2]}], \"outputs\": [{\"name\": \"y\", \"parameters\": {\"binary_data\": true}}]}",
	"POST /v2/models/half/versions/123/infer\n{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"parameters\": {\"binary_data_size\": 4}}]}\x00\x00\x00?",
	"POST /v2/models/many/infer\n{\"parameters\": {\"signature_name\": \"texts\"}, \"inputs\": [{\"name\": \"s\", \"datatype\": \"BYTES\", \"shape\": [1], \"parameters\": {\"binary_data_size\": 5}}]}\x01\x00\x00\x00a",
	"POST /v2/repository/index\n{\"ready\": true}",
	"GET /v2/models/many/ready\n",
	"GET /v2/models/half/versions/123/stats\n",
	"GET /v2/models/many/config?signature_name=texts\n",
	"POST /v2/repository/models/half/load\n{\"parameters\": {\"unload_dependents\": false}}",
}

// send sends a request of the form of requests, and checks what holds of every answer.
func send(t testing.TB, h http.Handler, text []byte) {
	line, body, _ := strings.Cut(string(text), "\n")
	method, path, _ := strings.Cut(line, " ")
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	if method == "GET" {
		r.Method = method
	}
	if u, err := r.URL.Parse(path); err == nil && strings.HasPrefix(u.Path, "/") {
		r.URL = u
	} else {
		return // which is not HTTP
	}
	if i := strings.LastIndexByte(body, '}'); strings.HasPrefix(r.URL.Path, "/v2") && i+1 < len(body) {
		r.Header.Set(inferenceHeader, strconv.Itoa(i+1))
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	switch {
	case w.Code == http.StatusInternalServerError:
		t.Fatalf("%q: %s", text, w.Body)
	case w.Code >= 400 && r.URL.Path != "" && !strings.Contains(w.Body.String(), "error"):
		t.Fatalf("%q: %d without an error: %s", text, w.Code, w.Body)
	case w.Code < 200:
		t.Fatalf("%q: %d", text, w.Code)
	}
}

// FuzzREST sends requests of both REST interfaces.
func FuzzREST(f *testing.F) {
	for _, r := range requests {
		f.Add([]byte(r))
	}
	h := Handler(restModels(f), HTTP{MaxBody: 1 << 20})
	f.Fuzz(func(t *testing.T, text []byte) { send(t, h, text) })
}

// TestMutated sends requests of both REST interfaces that are changed at random: none
// panics, none is an internal error, and nothing is held when they have ended.
func TestMutated(t *testing.T) {
	m := restModels(t)
	h := Handler(m, HTTP{MaxBody: 1 << 20, Control: true})
	var examples [][]byte
	for _, r := range requests {
		examples = append(examples, []byte(r))
	}
	mutate.Each(t, func(b []byte) { send(t, h, b) }, examples...)
	if held := h.(*rest).held.Load(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	for _, a := range m.Activity(9) {
		if a.Running != 0 || a.Waiting != 0 || len(a.Requests) != 0 {
			t.Errorf("%+v", a)
		}
	}
}
