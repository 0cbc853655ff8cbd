package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/prototext"
)

// evil is what a terminal would obey, in the text form of protocol buffers: it sets the
// title, clears the screen, goes back in its line, sends the same by C1 controls, and
// reverses the direction of text; the last byte is no text.
const evil = `\033]0;title\007\033[2J\r\302\233 2J\302\205\177\342\200\256\342\201\246`

// evilText is the same, unquoted.
const evilText = "\x1b]0;title\a\x1b[2J\r\u009b 2J\u0085\x7f\u202e\u2066"

// hostileModels are files by name, with EVIL for evil.
var hostileModels = map[string]string{
	// Nothing in it is known.
	"unknown.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "_aEVIL" value { s: "EVIL" } } }
node { name: "bad" op: "Op\nforged: EVIL" }
library { function { signature { name: "fEVIL" } } }`,
	"name.pbtxt": `node { name: "xEVIL" op: "NoOp" }`,
	"attr.pbtxt": `node { name: "x" op: "NoOp" device: "/EVIL" attr { key: "EVIL" value { s: "EVIL" } } }`,
	"function.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "c" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "gEVIL" } } } }
library { function { signature { name: "gEVIL" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "rEVIL" type: DT_FLOAT } } node_def { name: "nEVIL" op: "EVIL" input: "a" } ret { key: "rEVIL" value: "n:y:0" } } }`,
	// All of it can be loaded; what it computes with is hostile.
	"strings.pbtxt": `node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { } string_val: "EVIL\377" } } } }
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_STRING } } attr { key: "shape" value { shape { } } } attr { key: "shared_name" value { s: "EVIL" } } }
node { name: "w" op: "AssignVariableOp" input: "v" input: "c" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "w2" op: "AssignVariableOp" input: "v" input: "x" attr { key: "dtype" value { type: DT_STRING } } }
node { name: "read" op: "ReadFile" input: "c" }
node { name: "number" op: "StringToNumber" input: "c" attr { key: "out_type" value { type: DT_FLOAT } } }
node { name: "image" op: "DecodePng" input: "c" }
node { name: "false" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: false } } } }
node { name: "assert" op: "Assert" input: "false" input: "c" attr { key: "T" value { list { type: DT_STRING } } } }
node { name: "print" op: "Print" input: "c" input: "c" attr { key: "T" value { type: DT_STRING } } attr { key: "U" value { list { type: DT_STRING } } } attr { key: "message" value { s: "EVIL" } } }
node { name: "err" op: "PrintV2" input: "c" attr { key: "end" value { s: "EVIL\n" } } }
node { name: "out" op: "PrintV2" input: "c" attr { key: "output_stream" value { s: "stdout" } } }
node { name: "log" op: "PrintV2" input: "c" attr { key: "output_stream" value { s: "log(info)" } } }
node { name: "q" op: "FIFOQueueV2" attr { key: "component_types" value { list { type: DT_STRING } } } attr { key: "shared_name" value { s: "EVIL" } } attr { key: "capacity" value { i: 1 } } }
node { name: "put" op: "QueueEnqueueV2" input: "q" input: "c" attr { key: "Tcomponents" value { list { type: DT_STRING } } } }
node { name: "put2" op: "QueueEnqueueV2" input: "q" input: "x" attr { key: "Tcomponents" value { list { type: DT_STRING } } } }
node { name: "shut" op: "QueueCloseV2" input: "q" }`,
	"saved EVIL/saved_model.pbtxt": `saved_model_schema_version: 1
meta_graphs { meta_info_def { tags: "serveEVIL" }
signature_def { key: "keyEVIL" value { method_name: "mEVIL"
inputs { key: "inEVIL" value { name: "x:0" dtype: DT_STRING tensor_shape { } } }
outputs { key: "outEVIL" value { name: "y:0" dtype: DT_STRING tensor_shape { } } } } }
graph_def { node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } } } node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_STRING } } } } }`,
}

// hostileCommands are what is tried, with a word for each argument; EVIL stands for
// evilText.
var hostileCommands = []string{
	"check unknown.pbtxt", "show unknown.pbtxt", "shapes unknown.pbtxt", "run unknown.pbtxt --fetch y", "profile unknown.pbtxt --fetch y", "race unknown.pbtxt --fetch y", "explore unknown.pbtxt --fetch y", "bench unknown.pbtxt --fetch y", "check unknown.pbtxt --json",
	"check name.pbtxt", "show name.pbtxt", "check attr.pbtxt", "show attr.pbtxt", "check function.pbtxt", "show function.pbtxt", "shapes function.pbtxt", "run function.pbtxt --feed x=1 --fetch c",
	"check strings.pbtxt", "show strings.pbtxt", "show strings.pbtxt --format dot", "show strings.pbtxt --units --fetch c", "show strings.pbtxt --rewritten --fetch c", "show strings.pbtxt --devices 2 --fetch c", "show strings.pbtxt --picture --fetch c", "shapes strings.pbtxt",
	"run strings.pbtxt --fetch c", "run strings.pbtxt --fetch c --format json", "run strings.pbtxt --fetch c --format npy", "run strings.pbtxt --fetch read", "run strings.pbtxt --fetch number", "run strings.pbtxt --fetch image",
	"run strings.pbtxt --target assert", "run strings.pbtxt --fetch print", "run strings.pbtxt --target err", "run strings.pbtxt --target out", "run strings.pbtxt --target log", "run strings.pbtxt --target put --target put2 --feed x=EVIL --timeout 100ms", "run strings.pbtxt --fetch x --feed x=EVIL --stats",
	"race strings.pbtxt --target w --target w2 --feed x=EVIL", "race strings.pbtxt --target w --target w2 --feed x=EVIL --json", "race strings.pbtxt --target put --target put2 --target shut --feed x=EVIL", "explore strings.pbtxt --target w --target w2 --feed x=EVIL", "explore strings.pbtxt --target w --target w2 --feed x=EVIL --dot", "explore strings.pbtxt --target w --target w2 --feed x=EVIL --json", "profile strings.pbtxt --fetch print --runs 1", "bench strings.pbtxt --fetch read",
	"show SAVED", "show SAVED --nodes", "check SAVED", "check SAVED --json", "shapes SAVED", "run SAVED", "run SAVED --signature keyEVIL", "run SAVED --signature keyEVIL --feed inEVIL=a", "run SAVED --signature keyEVIL --feed inEVIL=a --format json", "run SAVED --signature keyEVIL --feed EVIL=a", "run SAVED --tags EVIL", "race SAVED", "explore SAVED --signature keyEVIL", "bench SAVED --signature keyEVIL", "profile SAVED",
	"EVIL", "run EVIL", "run --EVIL", "run --EVIL=1 strings.pbtxt", "show SAVED/EVIL", "check .", "run strings.pbtxt --fetch EVIL", "run strings.pbtxt --target EVIL", "run strings.pbtxt --feed EVIL=1 --fetch c", "run strings.pbtxt --feed x=@EVIL --fetch x", "run strings.pbtxt --fetch c --engine EVIL", "run strings.pbtxt --fetch c --rewrite EVIL", "run strings.pbtxt --fetch c --format EVIL", "run strings.pbtxt --fetch c --output EVIL.npy", "run strings.pbtxt --fetch c --device EVIL",
	"explore strings.pbtxt --fetch c --schedule a<EVIL", "conformance EVIL", "conformance . --run EVIL(", "ops EVIL", "bench . EVIL", "help EVIL", "__complete run SAVED --signature ",
}

// Whatever a model, a name of a file or a flag holds, no command prints a character that
// a terminal obeys. Print writes to the streams of the process, so each command is one.
func TestHostileText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names of files cannot hold the characters")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, saved := t.TempDir(), ""
	for name, text := range hostileModels {
		path := filepath.Join(dir, strings.ReplaceAll(name, "EVIL", evilText))
		if strings.HasPrefix(name, "saved") {
			saved = filepath.Dir(path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "EVIL", evil)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	escaped := 0
	for _, line := range hostileCommands {
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.NewReplacer("EVIL", evilText, "SAVED", saved).Replace(args[i])
		}
		cmd := exec.CommandContext(t.Context(), self, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatalf("%s: %v", line, err)
		}
		if bytes.Contains(out, []byte("goroutine ")) {
			t.Errorf("%s panics:\n%s", line, out)
		}
		if bytes.Contains(out, []byte("\nforged: ")) {
			t.Errorf("%s lets a name begin a line:\n%s", line, out)
		}
		if at, ok := obeyed(string(out)); ok {
			t.Errorf("%s prints %q:\n%q", line, out[at:min(at+8, len(out))], out)
		}
		if bytes.Contains(out, []byte(`\x1b`)) || bytes.Contains(out, []byte(`\u001b`)) {
			escaped++
		}
	}
	if escaped < 60 {
		t.Errorf("only %d of %d commands printed hostile text at all", escaped, len(hostileCommands))
	}
}

// obeyed finds a character that is more than a sign on a terminal.
func obeyed(s string) (at int, found bool) {
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n' || r == '\t':
		case r == utf8.RuneError && n == 1, unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return i, true
		}
	}
	return 0, false
}

// Logs are printed on terminals, too, and a line of one is one event.
func TestHostileLog(t *testing.T) {
	g := troupe.NewGraph()
	text := strings.ReplaceAll(hostileModels["strings.pbtxt"], "EVIL", `forged\n`+evil)
	def, err := prototext.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	for name, writer := range map[string]func(w *bytes.Buffer) zerolog.Logger{
		"console": func(w *bytes.Buffer) zerolog.Logger {
			return zerolog.New(zerolog.ConsoleWriter{Out: w, NoColor: true})
		},
		"json": func(w *bytes.Buffer) zerolog.Logger { return zerolog.New(w) },
	} {
		var out bytes.Buffer
		log := writer(&out)
		sess, err := troupe.NewSession(g, &troupe.SessionOptions{Logger: &log, Name: evilText})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sess.Run(nil, nil, []*troupe.Operation{g.Operation("log")}); err != nil {
			t.Fatal(err)
		}
		if err := sess.Close(); err != nil {
			t.Fatal(err)
		}
		if at, ok := obeyed(out.String()); ok {
			t.Errorf("%s: %q", name, out.String()[at:])
		}
		if strings.Contains(out.String(), "\nforged") || !strings.Contains(out.String(), `x1b`) {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}
