package plain_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/plain"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, text, line string }{
		{"", "", ""},
		{"conv1/kernel:0", "conv1/kernel:0", "conv1/kernel:0"},
		{"a\tb\nc", "a\tb\nc", `a\tb\nc`},
		{"\x1b]0;title\a", `\x1b]0;title\x07`, `\x1b]0;title\x07`},
		{"50%\r60%", `50%\r60%`, `50%\r60%`},
		{"\u009b2J\x7f\u0085", `\u009b2J\u007f\u0085`, `\u009b2J\u007f\u0085`},
		{"\u202egnp.exe\u2066\u200f", `\u202egnp.exe\u2066\u200f`, `\u202egnp.exe\u2066\u200f`},
		{"a\xff\xc3(", `a\xff\xc3(`, `a\xff\xc3(`},
		{"\ufffd", "\ufffd", "\ufffd"}, // the character itself
		{"\u2028\ufeff", `\u2028\ufeff`, `\u2028\ufeff`},
		{"\U000e0041", `\udb40\udc41`, `\udb40\udc41`},
		{"naïve 学习 می\u200cخواهم 👩\u200d🔬", "naïve 学习 می\u200cخواهم 👩\u200d🔬", "naïve 学习 می\u200cخواهم 👩\u200d🔬"},
	} {
		if got := plain.Text(c.in); got != c.text {
			t.Errorf("Text(%q) = %q, not %q", c.in, got, c.text)
		}
		if got := plain.Line(c.in); got != c.line {
			t.Errorf("Line(%q) = %q, not %q", c.in, got, c.line)
		}
	}
}

// A JSON text that is escaped is JSON of the same value.
func TestJSONStays(t *testing.T) {
	in := "\x00\x1b\x7f\u009b\u202e\u2028\U000e0041 ü"
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := json.Unmarshal([]byte(plain.Text(string(b))), &out); err != nil || out != in {
		t.Errorf("%q: %v", out, err)
	}
}

// Writers give what Text gives, however the text is cut.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1b[2J \u202e👩\u200d🔬\xff\xf0\x9f")
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		w := plain.NewWriter(&b)
		if _, err := io.Copy(w, iotest.OneByteReader(strings.NewReader(s))); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != plain.Text(s) {
			t.Errorf("%q is written as %q, not as %q", s, b.String(), plain.Text(s))
		}
		if !utf8.ValidString(b.String()) {
			t.Errorf("%q is no text", b.String())
		}
		for _, r := range plain.Line(s) {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%q holds %U", plain.Line(s), r)
			}
		}
	})
}

func TestNothingIsMade(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { plain.Text("while/body/add_1:0") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
