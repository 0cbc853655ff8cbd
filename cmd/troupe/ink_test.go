package main

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

func TestInk(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"│   y = Const(^a/x) 1 int32 @ /cpu:0", "<33>│   </>y = <36>Const</>(<2>^a/x</>)<32> 1 int32</><2> @ /cpu:0</>\n"},
		{"│ ┌─ frame loop", "<33>│ ┌─ frame loop</>\n"},
		{"│ while/", "<33>│ </><1>while/</>\n"},
		{"\t%7 int32 = AddV2(%4, 1)  # add", "  %7 int32 = <36>AddV2</>(%4, 1)<2>  # add</>\n"},
		{"  LAYER  OUTPUT", "<1>  LAYER  OUTPUT</>\n"},
		{"evil\x1b[31m = Neg(x) float", `evil\x1b[31m = <36>Neg</>(x)<32> float</>` + "\n"},
		{"", "\n"},
	} {
		got := (&ink{width: 80, colour: true}).line(c.line)
		marked := strings.NewReplacer("\x1b[0m", "</>", "\x1b[1m", "<1>", "\x1b[2m", "<2>", "\x1b[32m", "<32>", "\x1b[33m", "<33>", "\x1b[36m", "<36>").Replace(got)
		if marked != c.want {
			t.Errorf("%q is %q, want %q", c.line, marked, c.want)
		}
	}
}

// Lines are continued below, further in, and nothing of them is lost.
func TestInkFolds(t *testing.T) {
	k := ink{width: 24}
	if got, want := k.line("│ sum = AddN(first, second, third) float"), "│ sum = AddN(first, \n│     second, third) \n│     float\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, line := range []string{strings.Repeat("x", 100), strings.Repeat("数", 40), strings.Repeat("│ ", 40) + "a = Neg(b)", strings.Repeat("a b ", 30)} {
		got := k.line(line)
		for row := range strings.Lines(got) {
			if n := runewidth.StringWidth(strings.TrimSuffix(row, "\n")); n > 24 {
				t.Errorf("%d columns: %s", n, row)
			}
		}
		bare := strings.NewReplacer(" ", "", "│", "", "\n", "")
		if bare.Replace(got) != bare.Replace(line) {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// What is written in parts are lines all the same.
func TestInkParts(t *testing.T) {
	var b strings.Builder
	k := ink{w: &b, width: 80}
	for _, part := range []string{"a = N", "eg(b)\nc", "\n", "d"} {
		if n, err := k.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := b.String(); got != "a = Neg(b)\nc\n" {
		t.Errorf("%q", got)
	}
}
