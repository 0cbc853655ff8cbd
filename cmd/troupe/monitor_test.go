package main

import (
	"testing"
	"time"
)

func TestOutermost(t *testing.T) {
	now := time.Now()
	for place, want := range map[string]iteration{
		"add at while/ctx[12]":          {"while/ctx", 12, now},
		"add at while[7]/inner[3]":      {"while", 7, now},
		"a at b[1]":                     {"b", 1, now},
		"add":                           {"", 0, now},
		"":                              {"", 0, now},
		"add at a loop with no number]": {"", 0, now},
	} {
		if got := outermost(place, now); got != want {
			t.Errorf("%q: %v, want %v", place, got, want)
		}
	}
	for x, want := range map[float64]string{0.5: "0.5", 123.4: "123", 45678: "45.7k", 21.5e6: "21.5M"} {
		if got := rounded(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	before := iteration{"while", 100, now}
	for text, it := range map[string]iteration{
		"while iteration 600, 1k a second": {"while", 600, now.Add(500 * time.Millisecond)},
		"other iteration 3":                {"other", 3, now.Add(time.Second)},
		"":                                 {"", 0, now.Add(time.Second)},
	} {
		if got := it.since(before); got != text {
			t.Errorf("%v: %q, want %q", it, got, text)
		}
	}
}
