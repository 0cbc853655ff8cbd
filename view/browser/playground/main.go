// Playground builds the page of package view/playground: one HTML file with the core as
// WebAssembly.
//
//	go -C view/browser run ./playground -o playground.html
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/view/playground"
)

func main() {
	out := flag.String("o", "playground.html", "the `FILE` to write")
	flag.Parse()
	if err := build(*out); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func build(file string) error {
	folder, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	wasm := filepath.Join(folder, "playground.wasm")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", wasm, "github.com/troupe-go/troupe/cmd/playground")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	program, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	start, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	page, err := playground.Page(program, string(start))
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, the program %d before it is compressed\n", file, len(page), len(program))
	return os.WriteFile(file, page, 0o666)
}
