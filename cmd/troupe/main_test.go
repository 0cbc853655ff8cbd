package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"
)

// asCommand tells the test binary to be the command, and to leave what the kernel
// says of the process in the file that it names.
const asCommand = "TROUPE_COMMAND"

// The test binary is also the command itself, for what starts it again.
func TestMain(m *testing.M) {
	report := os.Getenv(asCommand)
	if len(os.Args) > 1 && os.Args[1] == workerName || report != "" {
		code := process()
		if report != "" {
			status, _ := os.ReadFile("/proc/self/status")
			_ = os.WriteFile(report, status, 0o600)
		}
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// command runs a command line and gives what it printed: what went to standard
// error is marked, and the exit code is told unless it is 0.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	text := stdout.String()
	for line := range strings.Lines(stderr.String()) {
		text += "! " + line
	}
	if code != exitOK {
		text += fmt.Sprintf("exit %d\n", code)
	}
	return text
}

// TestCommands plays the command lines in testdata and compares what they
// print; -rewrite writes it down.
func TestCommands(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			return command(t, strings.Fields(d.Input)...)
		})
	})
}
