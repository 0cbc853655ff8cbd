package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// madeOnce is whether the kernel of TestMadeOnce has been made, which can be done once.
var madeOnce atomic.Bool

func init() {
	registry.Define("TestMadeOnce").Input("x: float").Output("y: float").Stateful()
	shape.Register(shape.Unchanged, "TestMadeOnce")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		if madeOnce.Swap(true) {
			return nil, status.Errorf(status.ResourceExhausted, "no memory for a second kernel")
		}
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error { out[0] = in[0].Share(); return nil }), nil
	}, "TestMadeOnce")
}

// What a tool cannot learn of a run, because the run does not compile again, is an error that
// names the run and the node.
func TestCompileAgainFails(t *testing.T) {
	madeOnce.Store(false)
	b := build(t)
	x := b.placeholder("x", session.Float)
	y := b.add("TestMadeOnce", "y", nil, x).Output(0)
	s := b.open(&session.SessionOptions{Devices: map[string]int{"CPU": 2}})
	call, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, err error, code status.Code, message string) {
		t.Helper()
		if status.CodeOf(err) != code || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", what, err)
		}
	}
	again := "compiling the run of y:0 again: no memory for a second kernel"
	plan, err := call.Plan(t.Context())
	check("Plan", err, status.ResourceExhausted, again)
	if text := plan.String(); len(plan.Loops) > 0 || plan.Form != "" {
		t.Errorf("Plan: %s", text)
	}
	check("EachUnitPass", call.EachUnitPass(t.Context(), func(pass, _ string) { t.Errorf("EachUnitPass: %s", pass) }), status.ResourceExhausted, again)

	// These run the passes again, which make no kernels.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again = "compiling the run of y:0 again"
	placed, err := call.Placement(ended)
	check("Placement", err, status.Canceled, again)
	text, passes, err := call.Rewritten(ended)
	check("Rewritten", err, status.Canceled, again)
	if placed != "" || text != "" || passes != nil {
		t.Errorf("%q, %q, %v", placed, text, passes)
	}
	if out, err := call.Call(t.Context(), tensorOf(t, float32(3))); err != nil || out[0].Value() != float32(3) {
		t.Errorf("the run itself: %v, %v", out, err)
	}
}
