package function_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	_ "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// write returns a function y = x + x of any type T, or with another operation.
func write(op string) (*function.Function, error) {
	w := &function.Writer{Returns: []function.Entry{{Name: "y", From: "sum:z:0"}}}
	w.Signature.Name = "Double"
	if err := errors.Join(
		w.Signature.AddAttr("T: type"), w.Signature.AddInput("x: T"), w.Signature.AddOutput("y: T"),
		w.Node("sum", op, []string{"x", "x"}, "", registry.Attrs{{Name: "T", Value: registry.AttrValue{Placeholder: "T"}}}),
	); err != nil {
		return nil, err
	}
	return w.Function()
}

func double(t *testing.T, op string) *function.Function {
	t.Helper()
	f, err := write(op)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLayOut(t *testing.T) {
	l := function.NewLibrary(registry.Global)
	f := double(t, "AddV2")
	attrs, err := f.Resolve(registry.Attrs{{Name: "T", Value: registry.TypeAttr(tensor.Float)}, {Name: "other", Value: registry.IntAttr(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if key := function.Key(f, attrs); key != "Double[T=DT_FLOAT]" {
		t.Errorf("the function is called %s", key)
	}
	body, err := l.LayOut(f, attrs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range body.Nodes {
		n := &body.Nodes[i]
		entries, err := body.Entries(n)
		if err != nil {
			t.Fatal(err)
		}
		attrs, err := body.Decode(new(registry.AttrDecoder), entries)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s = %s(", body.Text(n.Name), body.Text(n.Op))
		for _, in := range body.Inputs[n.Input : n.Input+n.NumInputs] {
			fmt.Fprintf(&b, "%s,", body.Text(in.Text))
		}
		fmt.Fprintf(&b, ") %v\n", attrs.Find("T"))
	}
	const want = `x = _Arg() DT_FLOAT
sum = AddV2(x,x,) DT_FLOAT
y_RetVal = _Retval(sum,) DT_FLOAT
`
	if b.String() != want || body.Args != 1 || body.Results != 1 {
		t.Errorf("the body has %d arguments, %d results and\n%s", body.Args, body.Results, &b)
	}
	if _, err := f.Resolve(nil); err == nil || !strings.Contains(err.Error(), "Attr T is not found") {
		t.Errorf("a type is missing: %v", err)
	}
}

// A staged library is one with that under it, and joins it whole or not at all.
func TestStage(t *testing.T) {
	l := function.NewLibrary(registry.Global)
	f := double(t, "AddV2")
	one, two := l.Stage(), l.Stage()
	if one.Add(f) != nil || one.AddGradient("Double", "Double") != nil || one.Find("Double") != f || l.Find("Double") != nil {
		t.Fatal("a function was not staged")
	}
	if two.Add(double(t, "Mul")) != nil {
		t.Fatal("a library knows what is staged for it")
	}
	if one.Commit() != nil || l.Find("Double") != f || l.Gradient("Double") != "Double" {
		t.Error("a function was not committed")
	}
	if err := two.Commit(); err == nil || l.Find("Double") != f || l.Len() != 1 {
		t.Errorf("another function of the name was committed: %v", err)
	}
	if l.Commit() != nil {
		t.Error("a library that is not staged has something to commit")
	}
	c := l.Clone()
	if err := c.Add(double(t, "Mul")); err == nil {
		t.Error("a function was replaced")
	}
	if !bytes.Equal(c.Append(nil), l.Append(nil)) {
		t.Error("a clone is written otherwise")
	}
	if c.AddGradient("Double", "Other") == nil || c.AddGradient("Other", "Double") != nil || l.Gradient("Other") != "" {
		t.Error("a clone's gradient is its original's")
	}
	if l.AddGradient("More", "Double") != nil || c.Gradient("More") != "" || c.Gradient("Double") != "Double" {
		t.Error("an original's gradient is its clone's")
	}
}

func ExampleUnmarshal() {
	f, err := write("AddV2")
	if err != nil {
		log.Fatal(err)
	}
	again, err := function.Unmarshal(f.Def)
	fmt.Println(again.Signature, err)
	_, err = function.Unmarshal(f.Def[:len(f.Def)-1])
	fmt.Println(err)
	// Output:
	// Op<name=Double; signature=x:T -> y:T; attr=T:type> <nil>
	// INVALID_ARGUMENT: FunctionDef is malformed at byte 68: field 4: a length of 12 points past the end of the message at byte 80
}
