package all

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/registry"
)

// Every definition that TensorFlow 2.21 exports is registered, with equal
// inputs, outputs, attributes, defaults, constraints and flags, and is documented.
func TestDefinitionsEqualTensorFlow(t *testing.T) {
	b, err := os.ReadFile("../../registry/testdata/ops.pb")
	if err != nil {
		t.Fatal(err)
	}
	defs, err := registry.UnmarshalOpList(b)
	if err != nil {
		t.Fatal(err)
	}
	equal := 0
	var missing []string
	for _, want := range defs {
		got, err := registry.Global.Lookup(want.Name)
		if err != nil {
			missing = append(missing, want.Name)
			continue
		}
		if diff := cmp.Diff(undocumented(want), undocumented(got)); diff != "" {
			t.Errorf("%s (-TensorFlow +registered):\n%s", want.Name, diff)
			continue
		}
		equal++
	}
	if len(missing) > 0 {
		t.Errorf("%d operations are not registered: %s", len(missing), strings.Join(missing, " "))
	}
	if equal != 835 {
		t.Errorf("%d of %d definitions are equal, want 835 of 835", equal, len(defs))
	}
}

// undocumented returns a definition without what people read.
func undocumented(d *registry.OpDef) *registry.OpDef {
	c := *d
	c.Summary, c.Description, c.Traits = "", "", 0
	c.Inputs, c.Outputs, c.Attrs = slices.Clone(d.Inputs), slices.Clone(d.Outputs), slices.Clone(d.Attrs)
	for i := range c.Inputs {
		c.Inputs[i].Description, c.Inputs[i].Access = "", registry.AccessUndeclared
	}
	for i := range c.Outputs {
		c.Outputs[i].Description = ""
	}
	for i := range c.Attrs {
		c.Attrs[i].Description = ""
	}
	if d.Deprecation != nil {
		c.Deprecation = &registry.Deprecation{Version: d.Deprecation.Version}
	}
	return &c
}
