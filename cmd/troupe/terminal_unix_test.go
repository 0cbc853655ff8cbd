//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/troupe-go/troupe/plain"
)

// A terminal runs a command on a pseudo-terminal and knows what that shows.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File
	text chan string
	left string // of an escape sequence that has begun
	rows []string
	row  int
	col  int
}

func newTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := &terminal{t: t, cmd: exec.Command(self, args...), text: make(chan string), rows: []string{""}}
	e.cmd.Env = append(os.Environ(), asCommand+"="+os.DevNull)
	if e.file, err = pty.StartWithSize(e.cmd, &pty.Winsize{Rows: 40, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(e.text)
		b := make([]byte, 4096)
		for {
			n, err := e.file.Read(b)
			if n > 0 {
				e.text <- string(b[:n])
			}
			if err != nil { // on Linux, EIO when the command has ended
				return
			}
		}
	}()
	t.Cleanup(func() {
		e.cmd.Process.Kill()
		for range e.text {
		}
		e.file.Close()
		e.cmd.Wait()
	})
	return e
}

// until waits until the screen is as asked for.
func (e *terminal) until(what string, seen func(screen string) bool) {
	e.t.Helper()
	limit := time.After(time.Minute)
	for !seen(e.screen()) {
		select {
		case text, ok := <-e.text:
			if !ok {
				e.t.Fatalf("the command ended before %s; the screen:\n%s", what, e.screen())
			}
			e.draw(text)
		case <-limit:
			e.t.Fatalf("no %s; the screen:\n%s", what, e.screen())
		}
	}
}

// end waits for the end of the command and gives its exit code.
func (e *terminal) end() int {
	e.t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case text, ok := <-e.text:
			if ok {
				e.draw(text)
				continue
			}
		case <-limit:
			e.t.Fatalf("it does not end; the screen:\n%s", e.screen())
		}
		err := e.cmd.Wait()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			e.t.Fatal(err)
		}
		return e.cmd.ProcessState.ExitCode()
	}
}

func (e *terminal) screen() string { return strings.Join(e.rows, "\n") }

var escapeSequence = regexp.MustCompile(`^\x1b\[([0-9;?]*)([A-Za-z])`)

// draw shows text: of a terminal's language what the command uses, and what it does not
// know is an error.
func (e *terminal) draw(text string) {
	text, e.left = e.left+text, ""
	for text != "" {
		switch c := text[0]; c {
		case '\r':
			e.col, text = 0, text[1:]
		case '\n':
			if e.row++; e.row == len(e.rows) {
				e.rows = append(e.rows, "")
			}
			text = text[1:]
		case 0x1b:
			m := escapeSequence.FindStringSubmatch(text)
			if m == nil && len(text) < 16 {
				e.left = text
				return
			}
			if m == nil {
				e.t.Fatalf("an unknown sequence %q", text[:16])
			}
			text = text[len(m[0]):]
			n, err := strconv.Atoi(m[1])
			if err != nil {
				n = 1
			}
			switch m[2] {
			case "A":
				e.row = max(0, e.row-n)
			case "J":
				e.rows[e.row] = cut(e.rows[e.row], e.col)
				e.rows = e.rows[:e.row+1]
			case "K":
				e.rows[e.row] = cut(e.rows[e.row], e.col)
			case "m", "h", "l":
			default:
				e.t.Fatalf("an unknown sequence %q", m[0])
			}
		default:
			n := strings.IndexAny(text, "\r\n\x1b")
			if n < 0 {
				n = len(text)
			}
			if i, found := obeyed(text[:n]); found {
				e.t.Fatalf("a character that a terminal obeys: %q", text[i:n])
			}
			line := []rune(e.rows[e.row])
			for len(line) < e.col {
				line = append(line, ' ')
			}
			put := []rune(text[:n])
			line = slices.Concat(line[:e.col], put, line[min(len(line), e.col+len(put)):])
			e.rows[e.row], e.col, text = string(line), e.col+len(put), text[n:]
		}
	}
}

func cut(line string, at int) string {
	if runes := []rune(line); len(runes) > at {
		return string(runes[:at])
	}
	return line
}

// While a loop runs, a terminal shows how fast it is. Every SIGQUIT prints what the
// step is doing, which stays to be read, and an interrupt ends the command at once.
func TestTerminal(t *testing.T) {
	e := newTerminal(t, "run", "../../benchmarks/graphs/while_vars20.pb", "--feed", "limit=2000000000", "--fetch", "while/Exit", "--engine", "tokens")
	e.until("progress", func(s string) bool {
		return strings.Contains(s, "while_context iteration ") && strings.Contains(s, " a second")
	})
	for i := range 4 {
		e.file.Write([]byte{0x1c}) // ctrl-\
		e.until("report", func(s string) bool { return strings.Count(s, "step session") == i+1 })
	}
	e.until("progress after the reports", func(s string) bool {
		last := s[strings.LastIndexByte(strings.TrimRight(s, "\n"), '\n')+1:]
		return strings.Contains(last, " a second")
	})
	e.file.Write([]byte{3}) // ctrl-c
	if code := e.end(); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	s := e.screen()
	if n := strings.Count(s, "step session"); n < 4 || !strings.Contains(s, "waits for") {
		t.Errorf("%d reports are left:\n%s", n, s)
	}
	if !strings.Contains(s, "troupe: CANCELLED: interrupt signal received") || strings.Contains(s, " a second") {
		t.Errorf("the end:\n%s", s)
	}
}

// An interrupt ends all of bench, and is told once.
func TestInterruptedBench(t *testing.T) {
	e := newTerminal(t, "bench", "../../benchmarks/graphs", "const_fetch", "while_vars20", "while_nested")
	e.until("result", func(s string) bool { return strings.Contains(s, "s per run") })
	e.file.Write([]byte{3})
	if code := e.end(); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	if s := e.screen(); strings.Count(s, "CANCELLED") != 1 || strings.Contains(s, "while_nested") {
		t.Error(s)
	}
}

// What a model needs to be loaded may take long: a terminal shows that it goes on.
func TestLoadingIsShown(t *testing.T) {
	pipe := t.TempDir() + "/model.pb"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	e := newTerminal(t, "show", pipe)
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	e.until("progress", func(s string) bool { return strings.Contains(s, "loading "+pipe) })
	text, err := os.ReadFile("testdata/affine.pbtxt")
	if err != nil {
		t.Fatal(err)
	}
	w.Write(text)
	w.Close()
	if code := e.end(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	if s := e.screen(); !strings.HasPrefix(s, "6 nodes") || strings.Contains(s, "loading") {
		t.Error(s)
	}
}

// A line of progress has the names of files and loops, whatever is in them.
func TestHostileProgress(t *testing.T) {
	shown := func(e *terminal, want string) {
		t.Helper()
		e.until("progress", func(s string) bool { return strings.Contains(s, want) })
		e.file.Write([]byte{3}) // ctrl-c, also where nobody writes to the pipe
		if code := e.end(); code == exitOK || !strings.Contains(e.screen(), "CANCELLED: interrupt signal received") {
			t.Errorf("exit %d:\n%s", code, e.screen())
		}
	}
	dir := t.TempDir()
	pipe := dir + "/" + evilText
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	shown(newTerminal(t, "show", pipe), "loading "+dir+"/"+plain.Line(evilText))

	int32s := `attr { key: "T" value { type: DT_INT32 } }`
	number := func(name, value string) string {
		return `node { name: "` + name + `" op: "Const" input: "^merge" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: ` + value + ` } } } }
`
	}
	loop := `node { name: "begin" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "enter" op: "Enter" input: "begin" ` + int32s + ` attr { key: "frame_name" value { s: "\033[2J\007\r\302\233A\342\200\256" } } }
node { name: "merge" op: "Merge" input: "enter" input: "next" ` + int32s + ` attr { key: "N" value { i: 2 } } }
` + number("most", "2000000000") + number("one", "1") + `node { name: "less" op: "Less" input: "merge" input: "most" ` + int32s + ` }
node { name: "go" op: "LoopCond" input: "less" }
node { name: "switch" op: "Switch" input: "merge" input: "go" ` + int32s + ` }
node { name: "add" op: "Add" input: "switch:1" input: "one" ` + int32s + ` }
node { name: "next" op: "NextIteration" input: "add" ` + int32s + ` }
node { name: "exit" op: "Exit" input: "switch" ` + int32s + ` }
`
	model := dir + "/loop.pbtxt"
	if err := os.WriteFile(model, []byte(loop), 0o600); err != nil {
		t.Fatal(err)
	}
	shown(newTerminal(t, "run", model, "--feed", "begin=0", "--fetch", "exit", "--engine", "tokens"), plain.Line("\x1b[2J\a\r\u009bA\u202e")+" iteration ")
}
