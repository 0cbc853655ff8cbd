package serve

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// served are the models of testdata/rest.txt.
func restModels(t testing.TB) *Manager {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "half", "123"), "0")
	write(t, filepath.Join(dir, "many"), `
a = Placeholder() {dtype=DT_FLOAT}
n = Placeholder() {dtype=DT_INT64}
s = Placeholder() {dtype=DT_STRING}
b = Placeholder() {dtype=DT_BOOL}
sum = Neg(a)
count = Neg(n)
text_bytes = Identity(s)
not = LogicalNot(b)
`, "serving_default: a n -> sum count", "texts: s -> text_bytes", "flags: b -> not", "mixed: a s -> sum text_bytes")
	write(t, filepath.Join(dir, "types"), `
f64 = Placeholder() {dtype=DT_DOUBLE}
i8 = Placeholder() {dtype=DT_INT8}
u8 = Placeholder() {dtype=DT_UINT8}
i16 = Placeholder() {dtype=DT_INT16}
i32 = Placeholder() {dtype=DT_INT32}
u32 = Placeholder() {dtype=DT_UINT32}
u64 = Placeholder() {dtype=DT_UINT64}
half = Placeholder() {dtype=DT_HALF}
s = Placeholder() {dtype=DT_STRING}
f64_ = Identity(f64)
i8_ = Identity(i8)
u8_ = Identity(u8)
i16_ = Identity(i16)
i32_ = Identity(i32)
u32_ = Identity(u32)
u64_ = Identity(u64)
half_ = Identity(half)
s_ = Identity(s)
`, "f64: f64 -> f64_", "i8: i8 -> i8_", "u8: u8 -> u8_", "i16: i16 -> i16_", "i32: i32 -> i32_", "u32: u32 -> u32_", "u64: u64 -> u64_", "half: half -> half_", "s: s -> s_")
	m := manager(t, Options{})
	for _, name := range []string{"half", "many", "types"} {
		c := Config{Name: name, Path: filepath.Join(dir, name)}
		if name == "half" {
			c.Labels = map[string]int64{"stable": 123}
		}
		if err := m.Add(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestREST sends the requests of testdata/rest: a command is the method, and its
// argument the path; the body follows. The answer is the HTTP status and the body.
func TestREST(t *testing.T) {
	h := Handler(restModels(t), HTTP{MaxBody: 1 << 10})
	datadriven.Walk(t, "testdata/rest", func(t *testing.T, file string) {
		datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
			path := ""
			if len(d.CmdArgs) > 0 {
				path = d.CmdArgs[0].String()
			}
			code, body := ask(h, d.Cmd, path, d.Input)
			return strconv.Itoa(code) + "\n" + body
		})
	})
}

// TestGzip: requests and replies are packed for clients that say so.
func TestGzip(t *testing.T) {
	h := Handler(restModels(t), HTTP{MaxBody: 1 << 16})
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	z.Write([]byte(`{"instances": [` + strings.Repeat("1.5, ", 2000) + `2]}`))
	z.Close()
	r := httptest.NewRequest("POST", "/v1/models/half:predict", strings.NewReader(packed.String()))
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	u, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(u)
	if err != nil || w.Code != 200 || strings.Count(string(text), "0.75") != 2000 {
		t.Errorf("%d %v %.100s", w.Code, err, text)
	}

	packed.Reset() // a bomb
	z.Reset(&packed)
	z.Write(make([]byte, 1<<20))
	z.Close()
	r = httptest.NewRequest("POST", "/v1/models/half:predict", strings.NewReader(packed.String()))
	r.Header.Set("Content-Encoding", "gzip")
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestBodies: what all bodies have together is bounded, and given back.
func TestBodies(t *testing.T) {
	h := Handler(restModels(t), HTTP{MaxBody: 1 << 20, MaxBodies: 1 << 10}).(*rest)
	long := `{"instances": [` + strings.Repeat("1, ", 2000) + `1]}`
	for range 3 {
		if code, text := ask(h, "POST", "/v1/models/half:predict", long); code != http.StatusTooManyRequests {
			t.Errorf("%d %.100s", code, text)
		}
		if code, text := ask(h, "POST", "/v1/models/half:predict", `{"instances": [1]}`); code != http.StatusOK {
			t.Errorf("%d %.100s", code, text)
		}
	}
	if n := h.held.Load(); n != 0 {
		t.Errorf("%d bytes are held", n)
	}
}

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{"gzip": true, "": false, "br, GZIP": true, "gzip;q=0": false, "gzip; q=0.5": true, "gzipped": false} {
		if accepts(header, "gzip") != want {
			t.Errorf("%q: %v", header, !want)
		}
	}
}

// TestHealth: a server is ready when every model has a version.
func TestHealth(t *testing.T) {
	m := restModels(t)
	h := Handler(m, HTTP{})
	if code, _ := ask(h, "GET", "/healthz", ""); code != 200 {
		t.Error(code)
	}
	if code, _ := ask(h, "GET", "/readyz", ""); code != 200 {
		t.Error(code)
	}
	m.models["empty"] = &served{}
	if code, _ := ask(h, "GET", "/readyz", ""); code != http.StatusServiceUnavailable {
		t.Error(code)
	}
	delete(m.models, "empty")
}

// FuzzPredict: whatever the body, there is an answer, and errors are no server's.
func FuzzPredict(f *testing.F) {
	for _, s := range []string{
		`{"instances": [1, 2.5, -3e4]}`, `{"inputs": [[1,2],[3]]}`, `{"inputs": {"a": 1, "n": 2}}`, `{"instances": [{"a": 1, "n": 2}, {"n": 1, "a": 4}]}`,
		`{"signature_name": "texts", "instances": [{"b64": "aGk="}, "x\u00e9"]}`, `{"inputs": NaN}`, `{"instances": [` + strings.Repeat("[", 300), `{"examples": [{"x": [1, 2.5]}]}`,
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	m := New(Options{})
	half(f, filepath.Join(dir, "half"), "0")
	for _, name := range []string{"half"} {
		if err := m.Add(f.Context(), Config{Name: name, Path: filepath.Join(dir, name)}); err != nil {
			f.Fatal(err)
		}
	}
	f.Cleanup(func() { m.Close(f.Context()) })
	h := Handler(m, HTTP{MaxBody: 1 << 16})
	f.Fuzz(func(t *testing.T, body string) {
		for _, verb := range []string{"predict", "classify"} {
			if code, text := ask(h, "POST", "/v1/models/half:"+verb, body); code >= 500 && code != 501 {
				t.Errorf("%d %s", code, text)
			}
		}
	})
}
