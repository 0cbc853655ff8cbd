package serve

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/serve/internal/cost"
)

// BenchmarkV2Binary is the cost of the server for a picture of 600 KB both ways, and of the
// model's own run, which adds a number to each element.
func BenchmarkV2Binary(b *testing.B) {
	m := New(Options{})
	dir := filepath.Join(b.TempDir(), "half")
	half(b, dir, "0")
	if err := m.Add(b.Context(), Config{Name: "half", Path: dir}); err != nil {
		b.Fatal(err)
	}
	defer m.Close(b.Context())
	x := make([]float32, 150_000)
	b.Run("run", func(b *testing.B) {
		in := floats(b, x...)
		b.SetBytes(int64(8 * len(x)))
		cost.Loop(b, func() {
			if _, _, err := m.Predict(b.Context(), Spec{Model: "half"}, in); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("server", func(b *testing.B) {
		h := Handler(m, HTTP{})
		r, _ := binaryInput(x, nil)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(8 * len(x)))
		b.ReportAllocs()
		read := bytes.NewReader(nil)
		q := httptest.NewRequest("POST", "/v2/models/half/infer", read)
		q.Header, q.ContentLength = r.Header, int64(len(body))
		cost.Loop(b, func() {
			read.Reset(body)
			w := reply200{header: http.Header{}}
			if h.ServeHTTP(&w, q); w.code != 200 {
				b.Fatal(w.code)
			}
		})
	})
}
