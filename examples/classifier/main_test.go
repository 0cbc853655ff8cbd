package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestClassifier posts images to a server, with the network that the example digits
// trains.
func TestClassifier(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	if out, err := exec.Command("go", "run", "../digits", "-export", model).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c, err := newClassifier(model)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	server := httptest.NewServer(c)
	defer server.Close()

	file, err := os.Open("../handwritten/testdata/digits.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const shown = 100
	right := 0
	for _, row := range rows[:shown] {
		r, err := http.Post(server.URL, "image/png", drawn(t, row[:64]))
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if strconv.Itoa(a.Digit) == row[64] && a.Sure > 0.1 && a.Sure <= 1 {
			right++
		}
	}
	if right < shown*95/100 {
		t.Errorf("%d of %d are read right", right, shown)
	}
	r, err := http.Post(server.URL, "image/png", strings.NewReader("no image"))
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusBadRequest {
		t.Errorf("what is no image is answered with %s", r.Status)
	}
}

// drawn returns a PNG of 80 by 80 of a row of the data, whose pixels go from 0 to 16.
func drawn(t *testing.T, pixels []string) *bytes.Buffer {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 80, 80))
	for y := range 80 {
		for x := range 80 {
			ink, err := strconv.Atoi(pixels[y/10*8+x/10])
			if err != nil {
				t.Fatal(err)
			}
			img.SetGray(x, y, color.Gray{Y: uint8(255 - ink*255/16)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return &b
}
