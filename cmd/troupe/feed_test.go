package main

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/tensor"
)

// TestSpaced: texts with blanks that lost their quotes to the shell are not taken apart.
func TestSpaced(t *testing.T) {
	for value, want := range map[string]bool{
		"[one text,another]": true, "[one text, another]": true, "[[a b],[c,d]]": true, "[it's here, x]": true,
		`["one text","another"]`: false, `["a, b" "c d"]`: false, "[a b c]": false, "[a, b, c]": false, "[ a , b ]": false,
		"[[a b] [c d]]": false, "[[a b], [c d]]": false, "one text, another": false, "[`a b`, 'c d', d]": false, `["a\" b c", d]`: false, "": false, "[": false,
	} {
		if got := spaced(value); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
	if _, err := parseValue("text", "[one text,another]", tensor.String, troupe.Shape{}); err == nil || !strings.Contains(err.Error(), "need quotes") {
		t.Error(err)
	}
	if x, err := parseValue("text", "[a b]", tensor.String, troupe.Shape{}); err != nil || x.NumElements() != 2 {
		t.Errorf("%v, %v", x, err)
	}
}
