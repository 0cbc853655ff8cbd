package main

import (
	"bytes"
	"io"
	"testing"
)

func TestShorten(t *testing.T) {
	for _, c := range [][2]string{
		{"  7.1µs  2.8%  a/b (Relu)", "  7.1µs  2.8%  a/b (Relu)"},
		{"  7.1µs  2.8%  model/encoder/conv (Conv2D) of function __inference_7563", "  7.1µs  2.8%  …ncoder/conv (Conv2D)"},
		{"  7.1µs  2.8%  conv (Conv2D) of function __inference_7563", "  7.1µs  2.8%  conv (Conv2D)"},
		{"one unit: the whole program, executed once a run", "one unit: the whole program, executed once a run"},
	} {
		var out bytes.Buffer
		w := &shortener{w: &out, width: 36}
		for _, part := range []string{c[0][:5], c[0][5:], "\n"} {
			if _, err := io.WriteString(w, part); err != nil {
				t.Fatal(err)
			}
		}
		if got := out.String(); got != c[1]+"\n" {
			t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
		}
	}
}
