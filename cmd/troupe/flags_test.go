package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a flag is told by the flag's name, its value and what it takes.
func TestWrongFlags(t *testing.T) {
	run := []string{"run", "testdata/affine.pbtxt", "--fetch", "layer/y", "--feed", "x=1", "--feed", "b=1"}
	for line, want := range map[string]string{
		"--threads x":            "--threads x: give a whole number",
		"--threads=-3":           "--threads -3 is negative: give a whole number",
		"--timeout x":            "--timeout x: give a duration, such as 1.5s",
		"--timeout=-1s":          "--timeout -1s is negative: give a duration",
		"--max-time=-1s":         "--max-time -1s is negative: give a duration",
		"--max-memory x":         "--max-memory x: not a number of bytes such as 512MiB",
		"--device-memory=-1":     "--device-memory -1: not a number of bytes such as 512MiB",
		"--devices x":            `--devices x: "x" is neither a number of CPU devices nor of the form TYPE=NUMBER`,
		"--feed @nothing.npz":    "--feed @nothing.npz: NOT_FOUND",
		"--feed z=1":             "--feed z",
		"--format x":             "unknown --format x: use text, json",
		"-o x.y":                 "--output x.y: the extension selects no format",
		"-o missing/x.npy":       "missing/x.npy cannot be written: there is no folder missing",
		"--trace missing/x":      "missing/x cannot be written: there is no folder missing",
		"--sequence missing/x":   "missing/x cannot be written: there is no folder missing",
		"--engine x":             `--engine x: unknown engine "x"`,
		"--engine seeded:x":      `--engine seeded:x: engine "seeded:x": a seed is a number`,
		"--units x":              `--units x: unknown pass "x"`,
		"--rewrite x":            `--rewrite x: unknown rewriting pass "x"`,
		"--thread 3":             "did you mean '--threads'",
		"--signature serve":      "--signature and --tags need a SavedModel",
		"--fetch missing/output": "missing/output",
	} {
		var out, errs bytes.Buffer
		code := execute(t.Context(), append(run[:len(run):len(run)], strings.Fields(line)...), strings.NewReader(""), &out, &errs)
		if code == exitOK || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %s, want %q", line, code, &errs, want)
		}
	}
}

// All commands end with the same code where their line is wrong, and where the model is not there
// or is none.
func TestUsageCodes(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.pb")
	if err := os.WriteFile(other, []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{
		"worker --engine x": `--engine x: unknown "x": use actors, tokens or sequential`,
		"worker --x":        "unknown flag: --x",
		"nothing":           `unknown command "nothing"`,
		"help nothing":      `unknown command "nothing"`,
		"worker --listen x": `--listen "x": address x: missing port`,
		"serve --config x":  "file x does not exist",
	}
	for _, name := range []string{"bench", "check", "explore", "profile", "race", "run", "shapes", "show"} {
		lines[name+" missing.pb"] = "NOT_FOUND: missing.pb"
		lines[name+" "+other] = "INVALID_ARGUMENT: " + other
		lines[name+" --x"] = "unknown flag: --x"
	}
	for line, want := range lines {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %s, want %q", line, code, &errs, want)
		}
	}
}
