package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	invocation   = regexp.MustCompile(`^(.*&& )?(go run \./cmd/)?troupe `)
	shellBlock   = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
)

// documents lists the README and the pages of docs; the working directory is the root
// of the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir("../..")
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range append(names, "README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

// TestDocumentedOutput runs the commands of the documents' console blocks and compares
// what they print. A line … stands for lines left out, times need not agree, and
// numbers only within rounding.
func TestDocumentedOutput(t *testing.T) {
	ran := 0
	for name, text := range documents(t) {
		for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
			for _, session := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				line, want, _ := strings.Cut(session, "\n")
				args := words(line)
				if len(args) == 0 || args[0] != "troupe" {
					t.Errorf("%s: %s: only troupe is run here", name, line)
					continue
				}
				ran++
				var stdout, stderr bytes.Buffer
				code := execute(t.Context(), args[1:], strings.NewReader(""), &stdout, &stderr)
				if code != exitOK && !strings.Contains(want, "troupe: ") {
					t.Errorf("%s: %s: exit code %d: %s", name, line, code, stderr.String())
				}
				got := stdout.String() + stderr.String()
				if missing := printed(got, want); missing != "" {
					t.Errorf("%s: %s does not print %q in its place, but\n%s", name, line, missing, got)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("only %d commands were run", ran)
	}
}

// TestDocumentedCommands parses every command line of the documents' shell blocks.
func TestDocumentedCommands(t *testing.T) {
	checked := 0
	for name, text := range documents(t) {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[1]) {
				line, _, _ = strings.Cut(line, "#")
				at := invocation.FindStringIndex(line)
				if at == nil {
					continue
				}
				args := words(line[at[1]:])
				root := rootCommand()
				cmd, rest, err := root.Find(args)
				if err == nil && cmd == root {
					continue // docker run … troupe and the like
				}
				if err == nil {
					err = cmd.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("%s: troupe %s: %v", name, line, err)
				}
				checked++
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d command lines are checked", checked)
	}
}

// words splits a command line as a shell does, up to a comment or a pipe.
func words(line string) []string {
	var args []string
	for _, m := range regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(line, -1) {
		if m == "|" || m == ">" || m == "&&" || strings.HasPrefix(m, "#") {
			break
		}
		args = append(args, strings.Trim(m, "'"))
	}
	return args
}

// printed returns the first line of want that got lacks in its place, or "".
func printed(got, want string) string {
	lines := strings.Split(strings.TrimRight(got, "\n"), "\n")
	skip := false
	for w := range strings.Lines(strings.TrimRight(want, "\n")) {
		if strings.TrimSpace(w) == "…" {
			skip = true
			continue
		}
		for skip && len(lines) > 0 && !sameLine(lines[0], w) {
			lines = lines[1:]
		}
		if len(lines) == 0 || !sameLine(lines[0], w) {
			return w
		}
		lines, skip = lines[1:], false
	}
	if len(lines) > 0 && !skip {
		return "nothing more"
	}
	return ""
}

var (
	token    = regexp.MustCompile(`[^\s\[\](),]+|[\[\](),]`)
	duration = regexp.MustCompile(`[0-9.]+ ?(ns|µs|ms|s)\b`)
)

// sameLine compares two lines word by word.
func sameLine(got, want string) bool {
	g := token.FindAllString(duration.ReplaceAllString(got, "TIME"), -1)
	w := token.FindAllString(duration.ReplaceAllString(want, "TIME"), -1)
	if len(g) != len(w) {
		return false
	}
	for i := range g {
		if g[i] == w[i] {
			continue
		}
		x, err := strconv.ParseFloat(g[i], 64)
		y, err2 := strconv.ParseFloat(w[i], 64)
		if err != nil || err2 != nil || math.Abs(x-y) > 1e-6+1e-3*math.Abs(y) {
			return false
		}
	}
	return true
}
