package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/serve/internal/cost"
)

// BenchmarkREST is the cost of the server for a request of 1 KB: that of the handler
// less that of SavedModel.Run, which BenchmarkRun measures. Over a connection it is that
// of client and server, next to a handler of net/http that does nothing with equal texts.
func BenchmarkREST(b *testing.B) {
	m := New(Options{})
	dir := filepath.Join(b.TempDir(), "half")
	half(b, dir, "0")
	if err := m.Add(b.Context(), Config{Name: "half", Path: dir}); err != nil {
		b.Fatal(err)
	}
	defer m.Close(b.Context())
	h := Handler(m, HTTP{})
	for _, c := range []struct {
		name string
		text []string
	}{
		{"short", []string{"0.25"}},
		{"scores", []string{"0.73105857", "7.4301667e-06", "0.016993256"}}, // as networks return them
	} {
		b.Run(c.name, func(b *testing.B) {
			body := `{"instances": [` + c.text[0]
			for i := 1; len(body) < 1020; i++ {
				body += "," + c.text[i%len(c.text)]
			}
			body += "]}"
			read := strings.NewReader(body)
			r := httptest.NewRequest("POST", "/v1/models/half:predict", read)
			b.Run("handler", func(b *testing.B) {
				b.ReportAllocs()
				cost.Loop(b, func() {
					read.Reset(body)
					w := reply200{header: http.Header{}}
					if h.ServeHTTP(&w, r); w.code != 200 {
						b.Fatal(w.code)
					}
				})
			})
			for _, over := range []struct {
				name string
				h    http.Handler
			}{{"echo", echo(b, h, body)}, {"predict", h}} {
				b.Run("connection/"+over.name, func(b *testing.B) {
					s := httptest.NewServer(over.h)
					defer s.Close()
					b.ReportAllocs()
					cost.Loop(b, func() {
						r, err := s.Client().Post(s.URL+"/v1/models/half:predict", "application/json", strings.NewReader(body))
						if err != nil {
							b.Fatal(err)
						}
						if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != 200 {
							b.Fatal(r.StatusCode, err)
						}
						r.Body.Close()
					})
				})
			}
		})
	}
}

// echo returns a handler that reads requests and writes the reply that h has for one.
func echo(b *testing.B, h http.Handler, body string) http.Handler {
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/models/half:predict", strings.NewReader(body))); w.Code != 200 {
		b.Fatal(w.Code)
	}
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			b.Error(err)
		}
		to.Header().Set("Content-Type", "application/json")
		to.Write(w.Body.Bytes())
	})
}

// A reply200 forgets a reply.
type reply200 struct {
	header http.Header
	code   int
	bytes  int
}

func (r *reply200) Header() http.Header              { return r.header }
func (r *reply200) WriteHeader(code int)             { r.code = code }
func (r *reply200) Write(b []byte) (int, error)      { r.bytes += len(b); return len(b), nil }
func (r *reply200) SetReadDeadline(time.Time) error  { return nil }
func (r *reply200) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkRun is the run of a model of two operations, by itself and by a manager.
func BenchmarkRun(b *testing.B) {
	m := New(Options{})
	dir := filepath.Join(b.TempDir(), "half")
	half(b, dir, "0")
	if err := m.Add(b.Context(), Config{Name: "half", Path: dir}); err != nil {
		b.Fatal(err)
	}
	defer m.Close(b.Context())
	in := floats(b, make([]float32, 200)...)
	u, err := m.Use(Spec{Model: "half"})
	if err != nil {
		b.Fatal(err)
	}
	defer u.Close()
	b.Run("SavedModel", func(b *testing.B) {
		b.ReportAllocs()
		cost.Loop(b, func() {
			if _, err := u.Model().Run(b.Context(), "serving_default", in); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("Manager", func(b *testing.B) {
		b.ReportAllocs()
		cost.Loop(b, func() {
			if _, _, err := m.Predict(b.Context(), Spec{Model: "half"}, in); err != nil {
				b.Fatal(err)
			}
		})
	})
}
