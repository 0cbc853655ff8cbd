package serve

import (
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkREST is the cost of the server for a request of 1 KB: that of the handler
// less that of the model's own run, which BenchmarkRun measures.
func BenchmarkREST(b *testing.B) {
	m := New(Options{})
	dir := filepath.Join(b.TempDir(), "half")
	half(b, dir, "0")
	if err := m.Add(b.Context(), Config{Name: "half", Path: dir}); err != nil {
		b.Fatal(err)
	}
	defer m.Close(b.Context())
	h := Handler(m, HTTP{})
	body := `{"instances": [` + strings.TrimSuffix(strings.Repeat("0.25,", 200), ",") + `]}`
	b.ReportAllocs()
	for b.Loop() {
		if code, text := ask(h, "POST", "/v1/models/half:predict", body); code != 200 {
			b.Fatal(text)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	m := New(Options{})
	dir := filepath.Join(b.TempDir(), "half")
	half(b, dir, "0")
	if err := m.Add(b.Context(), Config{Name: "half", Path: dir}); err != nil {
		b.Fatal(err)
	}
	defer m.Close(b.Context())
	in := floats(b, make([]float32, 200)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := m.Predict(b.Context(), Spec{Model: "half"}, in); err != nil {
			b.Fatal(err)
		}
	}
}
