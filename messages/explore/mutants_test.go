package explore_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mutants = flag.String("mutants", "", "plant the mistakes in the protocol's sources whose names match this `PATTERN`, one after another: all must be found")

// Mistakes in package protocol, each with the text that it takes the place of.
var mistakes = []struct{ name, file, old, new string }{
	{"shares do not add up", "credit.go", "if i < 1<<m-n {", "if i <= 1<<m-n {"},
	{"two parts are less than one of twice the size", "credit.go", "p.parts[e/64] &^= bit", ""},
	{"a Merge takes the last", "merge.go", "taken := lowest(in)", "taken := lowest(in)\n\tfor i := range in {\n\t\tif !in[i].IsZero() {\n\t\t\ttaken = i\n\t\t}\n\t}"},
	{"a Merge waits for NextIterations in the first iteration", "merge.go", "n.Later += min(nexts, 1)", "n.Later += min(nexts, 1)\n\tn.First += min(nexts, 1)"},
	{"a Switch takes the other side", "switch.go", "if o != taken {", "if o == taken {"},
	{"a trigger dies", "control_trigger.go", "out.control(n.Spec, a.Tag, false)", "out.control(n.Spec, a.Tag, a.Dead)"},
	{"a dead NextIteration goes on", "next_iteration.go", "if a.Dead {\n\t\treturn\n\t}", "if a.Dead {\n\t\tout.Sent = append(out.Sent, Message{Verb: Iterate, Node: n.Number, Tag: a.Tag})\n\t\treturn\n\t}"},
	{"a dead Exit leaves at once", "exit.go", "out.notice(a.Tag, n.Number, None, Lingers)", "out.Sent = append(out.Sent, Message{Verb: Leave, Node: n.Number, Tag: a.Tag})"},
	{"dead Exits of earlier iterations are kept", "frame.go", "f.lingers = f.lingers[:0]\n\treturn it", "return it"},
	{"constants are not replayed", "frame.go", "for _, h := range f.consts {\n\t\tf.deliver(it, h, out)\n\t}\n\treturn it", "return it"},
	{"one iteration too many", "frame.go", "f.living() >= f.Parallel", "f.living() > f.Parallel"},
	{"a value that waits is forgotten", "frame.go", "if len(f.queued) > 0 {", "if false {"},
	{"the first iteration does not wait for Enters", "frame.go", "(it.Index > 0 || f.enters == 0)", "true"},
	{"an iteration does not wait for frames below", "frame.go", "it.full() && it.waiting == 0 &&", "it.full() &&"},
	{"a frame ends before its first Enter's credit is divided", "frame.go", "if out.divide(from, f.credits[last]+1) {", "if out.divide(from, f.credits[last]) {"},
	{"a frame that waits keeps its credit", "frame.go", "f.suspended = true\n\t\tf.repay(news, out)", "f.suspended = news != 0 || true"},
	{"a frame that waited does not tell that it has ended", "frame.go", "news = Ended", "news = 0"},
	{"an Exit may have two values", "frame.go", "if f.left[n.Aux] {", "if false {"},
	{"nobody hears that an iteration is over", "frame.go", "f.dismiss(f.oldest(), out)", ""},
	{"a node tells too late that it keeps something", "node.go", "a, news = n.open(m.Tag), Opened", "a = n.open(m.Tag)"},
	{"a node acts with one token missing", "node.go", "if a.Left--; a.Left > 0 {", "if a.Left--; a.Left > 1 {"},
	{"a node acts on death as on life", "kernel.go", "if a.Dead && !n.Transfer {\n\t\tout.die(n.Spec, a.Tag)\n\t\treturn false\n\t}", ""},
	{"a step does not take its credit back", "step.go", "s.purse.Add(m.Credit)", ""},
}

// found is what a failing test says of a graph: its name, and what must not be.
var found = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: ([^{]*?)(?:, after)?$`)

// TestMutants holds the mistakes against the sources. With -mutants it plants each, and
// expects an exploration to find it.
func TestMutants(t *testing.T) {
	dir, err := filepath.Abs("../protocol")
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := regexp.Compile(*mutants)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes {
		path := filepath.Join(dir, m.file)
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(source), m.old) != 1 {
			t.Errorf("%s: %q is not in %s once", m.name, m.old, m.file)
			continue
		}
		if *mutants == "" || !pattern.MatchString(m.name) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			scratch := t.TempDir()
			mutant, overlay := filepath.Join(scratch, "mutant.go"), filepath.Join(scratch, "overlay.json")
			text, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
			if err == nil {
				err = os.WriteFile(overlay, text, 0o600)
			}
			if err == nil {
				err = os.WriteFile(mutant, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("go", "test", "-overlay", overlay, ".", "-run", "EveryOrder|LateNews", "-limit", "9000", "-failfast").CombinedOutput()
			switch {
			case err == nil:
				t.Error("is not found")
			case strings.Contains(string(out), "build failed"):
				t.Errorf("does not build:\n%s", out)
			default:
				if f := found.FindSubmatch(out); f != nil {
					out = f[1]
				}
				t.Logf("%.500s", out)
			}
		})
	}
}
