package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// binaryInput is an infer with the floats behind the JSON.
func binaryInput(x []float32, change func(header string) string) (*http.Request, int) {
	header := `{"id":"7","inputs":[{"name":"x","datatype":"FP32","shape":[` + strconv.Itoa(len(x)) + `],"parameters":{"binary_data_size":` + strconv.Itoa(4*len(x)) + `}}],"outputs":[{"name":"y","parameters":{"binary_data":true}}]}`
	if change != nil {
		header = change(header)
	}
	var b bytes.Buffer
	b.WriteString(header)
	for _, v := range x {
		b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
	r := httptest.NewRequest("POST", "/v2/models/half/infer", &b)
	r.Header.Set(inferenceHeader, strconv.Itoa(len(header)))
	return r, len(header)
}

// TestV2Binary: tensors go both ways behind the JSON.
func TestV2Binary(t *testing.T) {
	h := Handler(restModels(t), HTTP{})
	x := make([]float32, 100_000)
	for i := range x {
		x[i] = float32(i)
	}
	r, _ := binaryInput(x, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	n, err := strconv.Atoi(w.Header().Get(inferenceHeader))
	if err != nil || w.Code != 200 {
		t.Fatalf("%d %.300s: %v", w.Code, w.Body, err)
	}
	var head struct {
		ID      string `json:"id"`
		Version string `json:"model_version"`
		Outputs []struct {
			Name, Datatype string
			Shape          []int64
			Parameters     map[string]int
		}
	}
	body := w.Body.Bytes()
	if err := json.Unmarshal(body[:n], &head); err != nil {
		t.Fatal(err)
	}
	if head.ID != "7" || head.Version != "123" || head.Outputs[0].Parameters["binary_data_size"] != 4*len(x) || len(body) != n+4*len(x) {
		t.Errorf("%+v, %d bytes", head, len(body))
	}
	if y := math.Float32frombits(binary.LittleEndian.Uint32(body[n+4*4001:])); y != 2000.5 {
		t.Errorf("half of 4001 is %v", y)
	}
}

// TestV2Damaged: what is wrong with a binary request is its client's error.
func TestV2Damaged(t *testing.T) {
	h := Handler(restModels(t), HTTP{MaxBody: 1 << 16}).(*rest)
	for _, c := range []struct {
		name string
		do   func(*http.Request)
		to   func(string) string
		want int
	}{
		{"size too small", nil, func(s string) string { return strings.Replace(s, `_size":8`, `_size":4`, 1) }, 400},
		{"size too large", nil, func(s string) string {
			return strings.Replace(strings.Replace(s, `_size":8`, `_size":12`, 1), "[2]", "[3]", 1)
		}, 400},
		{"more than a body", nil, func(s string) string {
			return strings.Replace(strings.Replace(s, `_size":8`, `_size":80000000`, 1), "[2]", "[20000000]", 1)
		}, 413},
		{"the rest is too long", nil, func(s string) string {
			return strings.Replace(strings.Replace(s, `_size":8`, `_size":4`, 1), "[2]", "[1]", 1)
		}, 400},
		{"header beyond the body", func(r *http.Request) { r.Header.Set(inferenceHeader, "100000") }, nil, 400},
		{"header is not a number", func(r *http.Request) { r.Header.Set(inferenceHeader, "x") }, nil, 400},
		{"header is negative", func(r *http.Request) { r.Header.Set(inferenceHeader, "-4") }, nil, 400},
		{"header within the JSON", func(r *http.Request) { r.Header.Set(inferenceHeader, "30") }, nil, 400},
		{"datatype", nil, func(s string) string { return strings.Replace(s, "FP32", "FP33", 1) }, 400},
		{"another datatype", nil, func(s string) string { return strings.Replace(s, "FP32", "INT32", 1) }, 400},
		{"negative shape", nil, func(s string) string { return strings.Replace(s, "[2]", "[-2]", 1) }, 400},
		{"shared memory", nil, func(s string) string { return strings.Replace(s, "binary_data_size", "shared_memory_region", 1) }, 501},
	} {
		r, _ := binaryInput([]float32{1, 2}, c.to)
		if c.do != nil {
			c.do(r)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.want || !strings.Contains(w.Body.String(), "error") {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
	if n := h.held.Load(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}

// FuzzV2: whatever the body and its header, there is an answer, and errors are no server's.
func FuzzV2(f *testing.F) {
	for _, s := range []string{
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[2],"data":[1,2]}]}`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}}]}abcd`,
		`{"id":"a","parameters":{"binary_data_output":true},"inputs":[],"outputs":[{"name":"y"}]}`,
	} {
		f.Add(s, strings.LastIndex(s, "}")+1)
	}
	dir := f.TempDir()
	m := New(Options{})
	half(f, filepath.Join(dir, "half"), "0")
	if err := m.Add(f.Context(), Config{Name: "half", Path: filepath.Join(dir, "half")}); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { m.Close(f.Context()) })
	h := Handler(m, HTTP{MaxBody: 1 << 16})
	f.Fuzz(func(t *testing.T, body string, header int) {
		for _, given := range []bool{false, true} {
			r := httptest.NewRequest("POST", "/v2/models/half/infer", strings.NewReader(body))
			if given {
				r.Header.Set(inferenceHeader, strconv.Itoa(header))
			}
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code >= 500 && w.Code != 501 {
				text, _ := io.ReadAll(w.Body)
				t.Errorf("%d %s", w.Code, text)
			}
		}
	})
}
