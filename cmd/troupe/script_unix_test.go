//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts plays what a user would type, in an empty folder with a few models: the
// scripts in testdata/script say what is met.
func TestScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "troupe")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv(asCommand, os.DevNull)
			return models(env.WorkDir)
		},
	})
}

// models puts into a folder: vocabulary/, a SavedModel that TensorFlow wrote; loop.pb, a
// loop that counts, and loop.pb.gz; cases.zip, recorded cases; small.png and wide.png.
func models(dir string) error {
	if err := os.CopyFS(filepath.Join(dir, "vocabulary"), os.DirFS("../../model/testdata/vocabulary")); err != nil {
		return err
	}
	loop, err := os.ReadFile("../../benchmarks/graphs/while_counter_p10.pb")
	if err != nil {
		return err
	}
	cases, err := os.ReadFile("../../conformance/testdata/control.zip")
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(loop); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	for name, width := range map[string]int{"small.png": 2, "wide.png": 3} {
		img := image.NewNRGBA(image.Rect(0, 0, width, 2))
		for i := range width * 2 {
			img.SetNRGBA(i%width, i/width, color.NRGBA{R: 1, G: 2, B: 3, A: 255})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	for name, b := range map[string][]byte{"loop.pb": loop, "loop.pb.gz": packed.Bytes(), "cases.zip": cases} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}
