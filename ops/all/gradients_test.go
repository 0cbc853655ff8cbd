package all

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

// recordedGradients returns what testdata/gradients.txt says of operations: true of those
// that have a gradient function, false of those that are not differentiable.
func recordedGradients(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open("testdata/gradients.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	differentiable, has := map[string]bool{}, true
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); strings.HasPrefix(line, "#") {
			has = !strings.Contains(line, "not differentiable")
		} else {
			for _, op := range strings.Fields(line) {
				differentiable[op] = has
			}
		}
	}
	return differentiable
}

// beyond are operations that TensorFlow registers as not differentiable, through which
// second derivatives flow here: they name arrays of gradients.
var beyond = map[string]bool{"TensorArrayGrad": true, "TensorArrayGradV2": true, "TensorArrayGradV3": true}

// Of every operation the same is said as by TensorFlow: that it has a gradient, that
// nothing flows through it, or nothing.
func TestGradientsAreTensorFlows(t *testing.T) {
	recorded := recordedGradients(t)
	with, without := 0, 0
	known := map[string]bool{}
	for _, d := range registry.Global.Defs(false) {
		known[d.Name] = true
		has, said := recorded[d.Name]
		has = has || beyond[d.Name]
		f, ok := gradient.Lookup(d.Name)
		switch {
		case said != ok:
			t.Errorf("%s: something is said of its gradient: %v, by TensorFlow: %v", d.Name, ok, said)
		case has != (f != nil):
			t.Errorf("%s: it has a gradient: %v, in TensorFlow: %v", d.Name, f != nil, has)
		case has:
			with++
		case said:
			without++
		}
	}
	if with < 346 || without < 148 {
		t.Errorf("%d operations have a gradient and %d have none, want at least 346 and 148", with, without)
	}
	for _, op := range append(gradient.Ops(), gradient.Nones()...) {
		if !known[op] && !strings.HasPrefix(op, "_") {
			t.Errorf("%s: it has a gradient, and no definition", op)
		}
	}
}
