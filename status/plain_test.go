package status

import (
	"strings"
	"testing"
)

// An error's text may be printed on a terminal by whoever gets it.
func TestErrorIsPlain(t *testing.T) {
	e := Errorf(Internal, "no \x1b[2J")
	e.Node, e.Op, e.Tag, e.Device = "n\u202e", "o\a", "t\r", "d\u009b"
	const want = `INTERNAL: no \x1b[2J [node "n\u202e" (o\x07) at t\r on d\u009b]`
	if e.Error() != want {
		t.Errorf("%q", e.Error())
	}
	e.Node = ""
	e.Report = &Report{At: "a\x1b", Running: 1, Kernels: []string{"k\x1b"}}
	for _, text := range []string{e.Error(), e.Report.String()} {
		if strings.Contains(text, "\x1b") || !strings.Contains(text, `\x1b`) {
			t.Errorf("%q", text)
		}
	}
}
