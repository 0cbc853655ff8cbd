package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/tensor"
)

// runs is a model whose result is wrong where a pass is on.
func runs(t *testing.T, wrong func(passes []string, engine string) float32) func(manner) ([]string, []*troupe.Tensor, error) {
	return func(how manner) ([]string, []*troupe.Tensor, error) {
		passes, err := rewrite.Parse(how.rewrite)
		if err != nil {
			return nil, nil, err
		}
		units, err := form.ParsePasses(how.units)
		if err != nil {
			return nil, nil, err
		}
		names := passes.Names()
		for _, name := range units.Names() {
			names = append(names, "units/"+name)
		}
		x, err := tensor.NewTensor([]float32{-100, float32(math.Inf(1)), 1 + wrong(names, how.engine)})
		return []string{"scores"}, []*troupe.Tensor{x}, err
	}
}

func TestBlame(t *testing.T) {
	usual := manner{"actors", "", ""}
	by := func(pass string) func([]string, string) float32 {
		return func(passes []string, _ string) float32 {
			if slices.Contains(passes, pass) {
				return 1
			}
			return 0
		}
	}
	calls := float32(0)
	for what, c := range map[string]struct {
		wrong func([]string, string) float32
		want  string // the last line
		fails bool
	}{
		"nothing":  {func([]string, string) float32 { return 0 }, "no result differs from that of the graph as it is written by more than 0.0001 of its largest number", false},
		"rounding": {func(p []string, _ string) float32 { return float32(len(p)) * 1e-4 }, "no result differs from that of the graph as it is written by more than 0.0001 of its largest number", false},
		"rewrite":  {by("hoist"), "pass hoist makes it differ", true},
		"units":    {by("units/chain"), "pass units/chain makes it differ", true},
		"engine": {func(_ []string, engine string) float32 {
			if engine == "actors" {
				return 1
			}
			return 0
		}, "no pass: engine actors differs without optional passes, too", true},
		"random": {func([]string, string) float32 { calls++; return calls }, "two runs of the graph as it is written differ", true},
	} {
		t.Run(what, func(t *testing.T) {
			var out strings.Builder
			err := blame(&out, usual, 1e-4, runs(t, c.wrong))
			var f failure
			if c.fails != errors.As(err, &f) || !c.fails && err != nil {
				t.Fatalf("%v", err)
			}
			if f.error != nil {
				out.WriteString(f.Error())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, c.want) {
				t.Errorf("%q, want %q", last, c.want)
			}
			if what == "rewrite" && !strings.HasPrefix(lines[0], "scores: element [2] is 2.0, want 1.0") {
				t.Errorf("%q", lines[0])
			}
		})
	}
	if err := blame(new(strings.Builder), manner{"actors", "nothing", ""}, 1e-4, nil); err == nil {
		t.Error("a pass that there is not")
	}
}
