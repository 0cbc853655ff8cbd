//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance/hostile"
	savedmodel "github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

var attacks = flag.String("attacks", "^(function_chain|graph_frames_deep)$", "read the graphs of the attacks that match `PATTERN`")

// Whatever a file holds, the commands that describe it end, within their limits.
func TestHostileFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's account of a process differs")
	}
	if testing.Short() {
		t.Skip("limits of time and memory, which the race detector does not keep")
	}
	dir, match := t.TempDir(), regexp.MustCompile(*attacks)
	for _, a := range hostile.Attacks() {
		if !match.MatchString(a.Name) {
			continue
		}
		def, err := a.GraphDef()
		if err != nil {
			t.Fatal(err)
		}
		if len(def) == 0 {
			continue // no graph
		}
		path := filepath.Join(dir, a.Name+".pb")
		if err := os.WriteFile(path, def, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"show", "check", "shapes"} {
			text := readHostile(t, 512<<20, command, path, "--max-memory", "512MiB", "--max-time", "1s")
			if a.Name == "function_chain" && command == "show" && !strings.Contains(text, "(--max-time)") {
				t.Errorf("%s %s: %s", command, a.Name, text)
			}
		}
	}
	for _, command := range []string{"show", "check", "shapes", "run", "bench", "profile", "race", "explore"} { // a file without an end
		text := readHostile(t, 64<<20, command, "/dev/zero", "--max-memory", "64MiB", "--max-time", "20s")
		if !strings.Contains(text, "64MiB of memory (--max-memory)") {
			t.Errorf("%s: %s", command, text)
		}
	}
	endless := filepath.Join(dir, "endless") // a SavedModel that is never initialized
	if err := savedmodel.Write(endless, neverReady(t)); err != nil {
		t.Fatal(err)
	}
	if text := readHostile(t, 64<<20, "run", endless, "--feed", "x=1", "--max-time", "300ms"); !strings.Contains(text, "300ms (--max-time)") {
		t.Error(text)
	}
	fifo := filepath.Join(dir, "fifo") // one that nobody writes to
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	feeds := filepath.Join(dir, "feeds.pbtxt")
	if err := os.WriteFile(feeds, []byte(`node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "s" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s", "x"} {
		if text := readHostile(t, 64<<20, "run", feeds, "--feed", name+"=@/dev/zero", "--fetch", name, "--max-memory", "64MiB"); !strings.Contains(text, "(--max-memory)") {
			t.Errorf("--feed %s=@/dev/zero: %s", name, text)
		}
	}
	if text := readHostile(t, 64<<20, "run", feeds, "--feed", "s=@"+fifo, "--fetch", "s", "--max-time", "100ms"); !strings.Contains(text, "100ms (--max-time)") {
		t.Error(text)
	}
	if text := readHostile(t, 64<<20, "conformance", fifo, "--max-time", "100ms"); !strings.Contains(text, "100ms (--max-time)") {
		t.Error(text)
	}
}

// neverReady returns a model whose initialization is a loop without end.
func neverReady(t *testing.T) savedmodel.Export {
	t.Helper()
	s := op.NewScope()
	yes := op.Const(s.SubScope("yes"), true)
	out := op.While(s, []tf.Output{op.Const(s.SubScope("from"), float32(0))},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Identity(s, yes) },
		func(s *op.Scope, v []tf.Output) []tf.Output { return []tf.Output{op.Cos(s, v[0])} })
	x := op.Placeholder(s.SubScope("x"), tf.Float)
	y := op.Neg(s, x)
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	return savedmodel.Export{
		Graph: g, Init: out[0].Op,
		Signatures: map[string]savedmodel.ExportSignature{"serving_default": {Inputs: map[string]tf.Output{"x": x}, Outputs: map[string]tf.Output{"y": y}}},
	}
}

// readHostile runs a command in a process of its own, which must end and stay within its memory, and
// gives what it said to standard error.
func readHostile(t *testing.T, memory int64, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	report := filepath.Join(t.TempDir(), "status")
	cmd.Env, cmd.Stderr = append(os.Environ(), asCommand+"="+report), &stderr
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code < exitOK || code > exitUsage {
		t.Errorf("%v: %v: %s", args, err, stderr.String()[:min(stderr.Len(), 1000)])
	}
	const program = 256 << 20 // the program itself, and what it touches between two looks
	status, _ := os.ReadFile(report)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(peak, &kib); err != nil || kib<<10 > memory+program {
		t.Errorf("%v: it took %d MiB (%v)", args, kib>>10, err)
	}
	return stderr.String()
}

func TestBytesFlag(t *testing.T) {
	for text, want := range map[string]string{"0": "0B", "1000": "1000B", "1024": "1KiB", "512MiB": "512MiB", "2048MiB": "2GiB", "1TiB": "1TiB"} {
		var b bytesFlag
		if err := b.Set(text); err != nil || b.String() != want {
			t.Errorf("%s: %v, %v", text, &b, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5GiB", "9999999TiB", "1iB", "1GB", "1 MiB"} {
		if b := bytesFlag(7); b.Set(text) == nil || b != 7 {
			t.Errorf("%q: %v", text, &b)
		}
	}
}
