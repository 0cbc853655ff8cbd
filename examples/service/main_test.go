package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/examples/service/models/digits"
	"github.com/troupe-go/troupe/examples/service/models/doubt"
	"github.com/troupe-go/troupe/serve/client"
	"github.com/troupe-go/troupe/tensor/npy"
)

// two is a picture of a two.
func two(t *testing.T) (d [8][8]float32) {
	f, err := os.Open("../serve/two.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	image, err := npy.Read(f, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	v := image.Value().([][][][]float32)
	for y := range d {
		for x := range d[y] {
			d[y][x] = v[0][y][x][0]
		}
	}
	return d
}

func TestService(t *testing.T) {
	s, err := load(t.Context(), "../serve/digits", "doubt")
	if err != nil {
		t.Fatal(err)
	}
	defer s.models.Close(context.Background())
	h := s.handler()
	ask := func(method, path string, body any) (int, string) {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, bytes.NewReader(b)))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	d := two(t)
	var smudge [8][8]float32 // nothing is on it
	for i, c := range []struct {
		digits [][8][8]float32
		code   int
		want   string
	}{
		{[][8][8]float32{d, d}, 200, `{"look":[],"number":22}`},
		{nil, 400, "a number has 1 to 18 digits, not 0"},
	} {
		if code, text := ask("POST", "/number", map[string]any{"digits": c.digits}); code != c.code || text != c.want {
			t.Errorf("%d: %d %s", i, code, text)
		}
	}
	_, text := ask("POST", "/number", map[string]any{"digits": [][8][8]float32{d, smudge, d}})
	if !strings.Contains(text, `"look":[1]`) {
		t.Errorf("a smudge is not doubtful: %s", text)
	}
	if code, text := ask("GET", "/v1/models/doubt/metadata", nil); code != http.StatusOK || !strings.Contains(text, "scores") {
		t.Error(code, text)
	}
	_, text = ask("GET", "/metrics", nil)
	for _, name := range []string{"digits", "doubt"} {
		if !strings.Contains(text, fmt.Sprintf("troupe_serve_run_seconds_count{model=%q} ", name)) {
			t.Errorf("the metrics have no runs of %s", name)
		}
	}
}

// TestElsewhere: the digits may be another server's model.
func TestElsewhere(t *testing.T) {
	s, err := load(t.Context(), "../serve/digits", "doubt")
	if err != nil {
		t.Fatal(err)
	}
	defer s.models.Close(context.Background())
	other := httptest.NewServer(s.handler())
	defer other.Close()
	m, err := client.Open(t.Context(), other.URL+"/v1/models/digits", client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s.digits = digits.New(m)
	if number, look, err := s.read(t.Context(), [][8][8]float32{two(t), two(t)}); number != 22 || len(look) != 0 || err != nil {
		t.Errorf("%d, %v, %v", number, look, err)
	}
}

// A judge has made up its mind.
type judge struct{ doubt.ServingDefaultOutputs }

func (j judge) ServingDefault(context.Context, doubt.ServingDefaultInputs) (doubt.ServingDefaultOutputs, error) {
	return j.ServingDefaultOutputs, nil
}

// TestDoubt: what is looked at depends on the doubt alone.
func TestDoubt(t *testing.T) {
	s, err := load(t.Context(), "../serve/digits", "doubt")
	if err != nil {
		t.Fatal(err)
	}
	defer s.models.Close(context.Background())
	s.doubt = judge{doubt.ServingDefaultOutputs{Digit: []int64{3, 1, 4}, Doubt: []float32{0.3, 0.2, 0.9}}}
	if number, look, err := s.read(t.Context(), make([][8][8]float32, 3)); number != 314 || fmt.Sprint(look) != "[0 2]" || err != nil {
		t.Errorf("%d, %v, %v", number, look, err)
	}
}
