package main

import (
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// request returns the JSON of an image file.
func request(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	var image [8][8][1]uint32
	for y := range image {
		for x := range image[y] {
			gray, _, _, _ := img.At(x, y).RGBA()
			image[y][x][0] = gray >> 8
		}
	}
	text, err := json.Marshal(map[string]any{"image": [][8][8][1]uint32{image}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestServe posts an image of a two, and requests that are wrong.
func TestServe(t *testing.T) {
	s, err := load("digits")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	web := httptest.NewServer(s)
	defer web.Close()
	for _, c := range []struct {
		name, body string
		status     int
		contains   string
	}{
		{"a two", request(t, "two.png"), http.StatusOK, `"output_0"`},
		{"no JSON", "two", http.StatusBadRequest, "invalid character"},
		{"another shape", `{"image": [[[[1], [2]]]]}`, http.StatusBadRequest, "shape"},
		{"no image", `{}`, http.StatusBadRequest, ""},
	} {
		r, err := http.Post(web.URL, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != c.status || !strings.Contains(string(text), c.contains) {
			t.Errorf("%s: %s: %s", c.name, r.Status, text)
		}
		if c.status == http.StatusOK {
			var response struct {
				Output [][]float32 `json:"output_0"`
			}
			if err := json.Unmarshal(text, &response); err != nil {
				t.Fatal(err)
			}
			if p := response.Output[0][2]; p < 0.99 {
				t.Errorf("the image of a two is one with probability %g", p)
			}
		}
	}
}
