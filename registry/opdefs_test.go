package registry

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tensorflowDefs returns the definitions that TensorFlow 2.21 exports.
func tensorflowDefs(t testing.TB) []*OpDef {
	t.Helper()
	b, err := os.ReadFile("testdata/ops.pb")
	if err != nil {
		t.Fatal(err)
	}
	defs, err := UnmarshalOpList(b)
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

// spell writes a definition in the definition language.
func spell(d *OpDef) *Builder {
	b := &Builder{def: OpDef{Name: d.Name}}
	for i := range d.Inputs {
		b.Input(d.Inputs[i].Name + ": " + d.Inputs[i].Spec())
		if d.Inputs[i].object() {
			b.Leaves(d.Inputs[i].Name)
		}
	}
	for i := range d.Outputs {
		b.Output(d.Outputs[i].Name + ": " + d.Outputs[i].Spec())
	}
	for i := range d.Attrs {
		b.Attr(d.Attrs[i].Name + ": " + d.Attrs[i].Spec())
	}
	to := &b.def
	to.Stateful, to.Commutative, to.Aggregate = d.Stateful, d.Commutative, d.Aggregate
	to.AllowsUninitializedInput, to.DistributedCommunication = d.AllowsUninitializedInput, d.DistributedCommunication
	to.Deprecation = d.Deprecation
	return b
}

// Every definition of TensorFlow can be spelled in the language, and the
// language means the definition.
func TestLanguageSpellsTensorFlow(t *testing.T) {
	defs := tensorflowDefs(t)
	if len(defs) != 835 {
		t.Fatalf("%d definitions, want 835", len(defs))
	}
	for _, d := range defs {
		if err := d.Validate(); err != nil {
			t.Error(err)
			continue
		}
		for i := range d.Inputs {
			if d.Inputs[i].object() {
				d.Inputs[i].Access = AccessNone // as spell has it
			}
		}
		got, err := spell(d).Build()
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%s (-TensorFlow +language):\n%s", d.Name, diff)
		}
	}
}

// The message form of the whole list is the file, byte for byte.
func TestOpListRoundTrip(t *testing.T) {
	want, err := os.ReadFile("testdata/ops.pb")
	if err != nil {
		t.Fatal(err)
	}
	got, err := MarshalOpList(tensorflowDefs(t))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("the list that was decoded does not encode as the file")
	}
}

func TestDefsOfARegistry(t *testing.T) {
	r, err := New(tensorflowDefs(t)...)
	if err != nil {
		t.Fatal(err)
	}
	all, public := r.Defs(true), r.Defs(false)
	if len(all) != 835 || len(public) == 835 {
		t.Errorf("%d definitions, %d without internal ones", len(all), len(public))
	}
	for _, d := range public {
		if strings.HasPrefix(d.Name, "_") {
			t.Errorf("%s is internal", d.Name)
		}
	}
	if _, err := New(all[0], all[0]); err == nil {
		t.Error("a registry took an op twice")
	}
}
