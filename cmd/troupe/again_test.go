package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// onceMade is whether the kernel of ExampleOnce has been made, which can be done once.
var onceMade atomic.Bool

func init() {
	registry.Define("ExampleOnce").Output("y: float").Stateful().Doc("Is 1.")
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, shape.Scalar); return nil }, "ExampleOnce")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		if onceMade.Swap(true) {
			return nil, status.Errorf(status.ResourceExhausted, "no memory for a second kernel")
		}
		return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
			tensor.SetScalar(&out[0], tensor.Float, float32(1))
			return nil
		}), nil
	}, "ExampleOnce")
}

// Where a run does not compile again for a page or a plan, the command says so and leaves no
// file; what it ran is printed.
func TestCompileAgainFails(t *testing.T) {
	dir := t.TempDir()
	model, page := filepath.Join(dir, "once.pbtxt"), filepath.Join(dir, "run.html")
	if err := os.WriteFile(model, []byte(`node { name: "y" op: "ExampleOnce" }`), 0o600); err != nil {
		t.Fatal(err)
	}
	const failed = "! troupe: RESOURCE_EXHAUSTED: compiling the run of y:0 again: no memory for a second kernel"
	for line, printed := range map[string]string{
		"run " + model + " --fetch y --record " + page: "y = 1.0\n",
		"show " + model + " --fetch y --units":         "",
	} {
		onceMade.Store(false)
		out := command(t, strings.Fields(line)...)
		if !strings.HasPrefix(out, printed+failed) || !strings.Contains(out, `[node "y" `) || !strings.HasSuffix(out, "exit 1\n") {
			t.Errorf("troupe %s prints\n%s", line, out)
		}
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("there is a page of half a run")
	}
}
