package playground_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/view/playground"
)

// Each example runs, and comes to what its first lines say.
func TestExamples(t *testing.T) {
	wants := map[string]string{
		"01-a-loop":                       "exit:0 = 4\n",
		"02-a-dead-branch":                "merge:0 = [1. 2.]\nmerge:1 = 0\n",
		"03-a-dead-fetch":                 "yes:0 was on a branch not taken",
		"04-nested-frames":                "total:0 = 3\n",
		"05-a-race":                       "read:0 = 5\n",
		"07-gradients-of-a-loop":          "y:0 = 25.628906\ndx:0 = 136.6875\n",
		"08-iterations-that-overlap":      "sum:0 = 30\n",
		"09-a-function-that-calls-itself": "y:0 = 24\n",
		"10-an-error-in-a-loop":           "Integer division by zero [node \"part\" (FloorDiv) at L[2]",
	}
	names := playground.Examples()
	if len(names) != 10 {
		t.Errorf("%d examples", len(names))
	}
	for _, name := range names {
		text, err := playground.Example(name)
		if err != nil {
			t.Fatal(err)
		}
		if want, ok := wants[name]; ok {
			r := playground.Run(t.Context(), text)
			if !strings.Contains(r.Text, want) || r.Page == "" {
				t.Errorf("%s comes to\n%s\nwant %s", name, r.Text, want)
			}
		}
	}
}

func TestExplore(t *testing.T) {
	for name, wants := range map[string][]string{
		"01-a-loop":     {"one outcome", "exit:0 = 4"},
		"05-a-race":     {"outcomes", "first comes before second", "afterwards v holds 7", "afterwards v holds 5"},
		"06-a-deadlock": {"A deadlock", "take.a"},
	} {
		text, err := playground.Example(name)
		if err != nil {
			t.Fatal(err)
		}
		r := playground.Explore(t.Context(), text)
		for _, want := range wants {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, r.Text)
			}
		}
		if r.Page == "" {
			t.Errorf("%s has no page", name)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "no node to run",
		"x = Nothing()":              "Nothing",
		"# fetch: y\nx = NoOp()":     `no node "y"`,
		"# seed: a\nx = NoOp()":      "not a number",
		"# gradients: x\nx = NoOp()": "y by x",
		"\x00\x01not a graph":        "GraphDef",
		"x = NoOp(":                  "line 1",
	} {
		if r := playground.Run(t.Context(), text); !strings.Contains(r.Text, want) || r.Page != "" {
			t.Errorf("%q comes to %q, want %q", text, r.Text, want)
		}
	}
}
