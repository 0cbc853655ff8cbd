package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model/typed/generate"
)

// TestGenerate: files are written, and written anew, but not over what was written by hand.
func TestGenerate(t *testing.T) {
	const model = "../../examples/serve/digits"
	dir := filepath.Join(t.TempDir(), "new")
	file := filepath.Join(dir, "digits_troupe.go")
	if text := command(t, "generate", model, "--package", "digits", "-o", dir); text != "" {
		t.Error(text)
	}
	first, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(first), generate.Header+"\n\npackage digits\n") {
		t.Fatalf("%s, %v", first, err)
	}
	if text := command(t, "generate", model, "--package", "digits", "-o", dir, "--signature", "serve"); text != "" {
		t.Error(text)
	}
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "ServingDefault") || !strings.Contains(string(text), "Serve(") {
		t.Errorf("%s", text)
	}
	os.WriteFile(file, []byte("package digits // by hand\n"), 0o644)
	if text := command(t, "generate", model, "--package", "digits", "-o", dir); !strings.Contains(text, "was not generated, and is left as it is") {
		t.Error(text)
	}
	if text, _ := os.ReadFile(file); string(text) != "package digits // by hand\n" {
		t.Errorf("%s", text)
	}
	t.Setenv("GOPACKAGE", "")
	if text := command(t, "generate", model, "-o", dir); !strings.Contains(text, "--package is missing") {
		t.Error(text)
	}
	t.Setenv("GOPACKAGE", "other") // as in "go generate"
	if text := command(t, "generate", model, "-o", dir); text != "" {
		t.Error(text)
	}
	other, err := os.ReadFile(filepath.Join(dir, "other_troupe.go"))
	if err != nil || strings.Replace(string(first), "package digits", "package other", 1) != string(other) {
		t.Errorf("%s, %v", other, err)
	}
	printed, _ := served(t, model, "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--quiet")
	for _, at := range addresses(t, printed, "digits") {
		flags := []string{"--package", "digits", "--output", "-", "--signature", "serving_default"}
		want := command(t, append([]string{"generate", model}, flags...)...)
		if got := command(t, append([]string{"generate", at}, flags...)...); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	for line, want := range map[string]string{
		"--package 1":                    `"1" is not the name of a Go package`,
		"--package x --tags a,b":         "no graph with the tags a,b; the model has serve",
		"--package x --signature srve":   `no signature "srve" (did you mean 'serve'`,
		"--package x --ca y":             "--ca needs a MODEL at an address",
		"--package x --output " + file:   "digits_troupe.go",
		"--package x --tags serve -o -":  "package x",
		"--package x -o - --signature x": "no signature",
	} {
		if text := command(t, append([]string{"generate", model}, strings.Fields(line)...)...); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
	if text := command(t, "generate", "testdata/affine.pbtxt", "--package", "x"); !strings.Contains(text, "has no signatures") {
		t.Error(text)
	}
}

// TestGeneratedExample: the packages of examples/service are what its lines for "go generate"
// write.
func TestGeneratedExample(t *testing.T) {
	source, err := os.ReadFile("../../examples/service/main.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	lines := 0
	for line := range strings.Lines(string(source)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate go -C ../.. run ./cmd/troupe ")
		if !ok {
			continue
		}
		lines++
		list := strings.Fields(args)
		folder := list[len(list)-1]
		list[len(list)-1] = "-"
		want, err := os.ReadFile(filepath.Join(folder, filepath.Base(folder)+"_troupe.go"))
		if err != nil {
			t.Fatal(err)
		}
		if got := command(t, list...); got != string(want) {
			t.Errorf("%s: run go generate: %s, want %s", folder, got, want)
		}
	}
	if lines != 2 {
		t.Errorf("%d lines", lines)
	}
}
