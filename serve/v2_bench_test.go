package serve

import (
	"bytes"
	"io"
	"net/http/httptest"
	"path/filepath"
	"testing"
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
		for b.Loop() {
			if _, _, err := m.Predict(b.Context(), Spec{Model: "half"}, in); err != nil {
				b.Fatal(err)
			}
		}
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
		for b.Loop() {
			q := httptest.NewRequest("POST", "/v2/models/half/infer", bytes.NewReader(body))
			q.Header = r.Header
			w := nowhere{httptest.NewRecorder()}
			if h.ServeHTTP(w, q); w.Code != 200 {
				b.Fatal(w.Code, w.Body)
			}
		}
	})
}

// nowhere forgets large writes.
type nowhere struct{ *httptest.ResponseRecorder }

func (n nowhere) Write(b []byte) (int, error) {
	if len(b) > 1<<10 {
		return len(b), nil
	}
	return n.ResponseRecorder.Write(b)
}
