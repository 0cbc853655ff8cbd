package registry

import (
	"errors"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestArgs(t *testing.T) {
	b := &Builder{def: OpDef{Name: "Op"}}
	d, err := b.Input("a: float").Input("b: N * T").Input("c: L").Input("d: T").
		Attr("N: int >= 0").Attr("T: type").Attr("L: list(type) >= 0").Build()
	if err != nil {
		t.Fatal(err)
	}
	attrs, err := ParseAttrs("N=2, L=[DT_INT32, DT_STRING, DT_BOOL], T=DT_HALF")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		start, stop int
	}{{"a", 0, 1}, {"b", 1, 3}, {"c", 3, 6}, {"d", 6, 7}} {
		start, stop, ok := ArgRange(d.Inputs, attrs, c.name)
		if start != c.start || stop != c.stop || !ok {
			t.Errorf("%s is at %d to %d, %t", c.name, start, stop, ok)
		}
		for i := start; i < stop; i++ {
			if a, place := ArgAt(d.Inputs, attrs, i); a == nil || a.Name != c.name || place != i-start {
				t.Errorf("input %d belongs to %v at %d", i, a, place)
			}
		}
	}
	if _, _, ok := ArgRange(d.Inputs, attrs, "none"); ok {
		t.Error("an input that is not there was found")
	}
	if a, _ := ArgAt(d.Inputs, attrs, 7); a != nil {
		t.Error("an eighth input was found")
	}
}

func TestDeprecation(t *testing.T) {
	d := &OpDef{Name: "TopK", Deprecation: &Deprecation{7, "Use TopKV2"}}
	if err := CheckDeprecation(d, 6); err != nil {
		t.Error(err)
	}
	err := CheckDeprecation(d, 7)
	want := "Op TopK is not available in GraphDef version 7. It has been removed in version 7. Use TopKV2."
	if !errors.Is(err, &status.Error{Code: status.Unimplemented}) || status.From(err).Message != want {
		t.Errorf("got %v", err)
	}
	if err := CheckDeprecation(&OpDef{}, 1000); err != nil {
		t.Error(err)
	}
}

// A node that gives every attribute is resolved with one allocation, for its
// types.
func TestResolveAllocations(t *testing.T) {
	b := &Builder{def: OpDef{Name: "Op"}}
	d, err := b.Input("x: T").Output("y: T").Attr("T: {float, int32}").Attr("n: int = 1").Build()
	if err != nil {
		t.Fatal(err)
	}
	attrs, err := ParseAttrs("T=DT_INT32, n=3")
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { Resolve(d, attrs) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestLookup(t *testing.T) {
	r, err := New(&OpDef{Name: "A", Summary: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := r.Lookup("A"); err != nil || d.Summary != "a" {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := r.Lookup("B"); status.CodeOf(err) != status.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := New(&OpDef{Name: "bad"}); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("got %v", err)
	}
}
