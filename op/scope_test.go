package op_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

func TestScopeNames(t *testing.T) {
	s := op.NewScope()
	sub1, sub2, sub3 := s.SubScope("x"), s.SubScope("x"), s.SubScope("y")
	var got []string
	for _, s := range []*op.Scope{s, sub1, sub2, sub3, sub1.SubScope("x"), sub1.SubScope("x"), sub2.SubScope("x"), s.WithDevice("/cpu:0").SubScope("x")} {
		got = append(got, op.Const(s, int64(1)).Op.Name())
	}
	want := []string{"Const", "x/Const", "x_1/Const", "y/Const", "x/x/Const", "x/x_1/Const", "x_1/x/Const", "x_2/Const"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A suffix is not given out twice.
func TestScopeNamesWithSuffix(t *testing.T) {
	s := op.NewScope()
	var got []string
	for _, name := range []string{"x", "x_1", "x", "x_1", "x"} {
		got = append(got, op.NoOp(s.SubScope(name)).Name())
	}
	want := []string{"x/NoOp", "x_1/NoOp", "x_2/NoOp", "x_1_1/NoOp", "x_3/NoOp"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScopeNameTwice(t *testing.T) {
	s := op.NewScope()
	op.Placeholder(s, tf.Float)
	op.Placeholder(s, tf.Float)
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "'Placeholder'") {
		t.Errorf("got error %v", err)
	}
}

func TestScopeUniqueNames(t *testing.T) {
	s := op.NewScope()
	op.NoOp(s)
	s = s.WithUniqueNames()
	got := []string{op.NoOp(s).Name(), op.NoOp(s).Name(), op.NoOp(s.SubScope("NoOp")).Name(), s.AddOperation(tf.OpSpec{Type: "NoOp", Name: "NoOp_2"}).Name()}
	want := []string{"NoOp_1", "NoOp_2", "NoOp_3/NoOp", "NoOp_2_1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestScopeErrorIsShared(t *testing.T) {
	root := op.NewScope()
	sub := root.SubScope("x")
	c := op.Const(root, int(1)) // no tensor holds an int
	for name, s := range map[string]*op.Scope{"root": root, "sub": sub, "derived later": sub.WithDevice("/cpu:0").SubScope("y")} {
		if s.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if c != (tf.Output{}) {
		t.Errorf("got the output %v", c)
	}
	if op.Const(sub, int32(1)) != (tf.Output{}) || op.NoOp(sub) != nil || op.Split(sub, c, c, 2) != nil {
		t.Error("something was added after an error")
	}
	if g, err := sub.Finalize(); g != nil || err != root.Err() {
		t.Errorf("Finalize: got %v, %v", g, err)
	}
}

func TestScopeUpdateErr(t *testing.T) {
	s := op.NewScope()
	s.UpdateErr("Nothing", nil)
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	first := errors.New("the first")
	s.UpdateErr("One", first)
	s.UpdateErr("Two", errors.New("the second"))
	err := s.Err()
	if !errors.Is(err, first) || !strings.Contains(err.Error(), `failed to add operation "One" (scope_test.go:`) {
		t.Errorf("got error %v", err)
	}
}

func TestScopeFinalize(t *testing.T) {
	root := op.NewScope()
	sub1 := root.SubScope("x")
	sub2 := sub1.SubScope("y")
	if _, err := sub1.Finalize(); err != nil {
		t.Fatal(err)
	}
	for i, s := range []*op.Scope{root, sub1, sub2} {
		if s.Err() == nil {
			t.Errorf("scope %d has no error", i)
		}
	}
	if _, err := root.Finalize(); tf.CodeOf(err) != tf.FailedPrecondition {
		t.Errorf("the second Finalize: %v", err)
	}
}

func TestScopeOfGraph(t *testing.T) {
	s := op.NewScope()
	op.Const(s.SubScope("x"), "hello")
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	op.Const(op.NewScopeWithGraph(g).SubScope("y"), "again")
	if g.Operation("x/Const") == nil || g.Operation("y/Const") == nil {
		t.Error("the graph has not both constants")
	}
}

func TestControlDependencies(t *testing.T) {
	s := op.NewScope()
	zero, one := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1))
	variable := op.VarHandleOp(s, tf.Int32, tf.ScalarShape())
	init := op.AssignVariableOp(s, variable, zero)
	add := op.AssignAddVariableOp(s, variable, one)
	read := op.ReadVariableOp(s.WithControlDependencies(add), variable, tf.Int32)
	sess := session(t, s)
	if _, err := sess.Run(nil, nil, []*tf.Operation{init}); err != nil {
		t.Fatal(err)
	}
	for i := int32(1); i <= 10; i++ {
		out, err := sess.Run(nil, []tf.Output{read}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := out[0].Value(); got != i {
			t.Errorf("read %d: got %v", i, got)
		}
	}
}

// Dependencies add up, and the caller's slice stays the caller's.
func TestControlDependenciesAddUp(t *testing.T) {
	s := op.NewScope()
	a, b, c := op.NoOp(s.SubScope("a")), op.NoOp(s.SubScope("b")), op.NoOp(s.SubScope("c"))
	deps := make([]*tf.Operation, 1, 2)
	deps[0] = a
	s1 := s.WithControlDependencies(deps...)
	s2, s3 := s1.WithControlDependencies(b), s1.WithControlDependencies(c)
	deps[0] = c
	got := func(s *op.Scope, name string) string {
		var names []string
		for _, c := range op.NoOp(s.SubScope(name)).Controls() {
			names = append(names, c.Name())
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	for _, test := range []struct{ got, want string }{
		{got(s1, "s1"), "a/NoOp"},
		{got(s2, "s2"), "a/NoOp b/NoOp"},
		{got(s3, "s3"), "a/NoOp c/NoOp"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestDevice(t *testing.T) {
	s := op.NewScope()
	on := s.WithDevice("/device:GPU:0")
	for _, test := range []struct {
		scope *op.Scope
		want  string
	}{
		{s, ""},
		{on.SubScope("x"), "/device:GPU:0"},
		{on.WithDevice("/device:CPU:1").SubScope("y"), "/device:CPU:1"},
		{on.WithDevice("").SubScope("z"), ""},
	} {
		if got := op.Const(test.scope, int32(1)).Op.Device(); got != test.want {
			t.Errorf("got device %q, want %q", got, test.want)
		}
	}
}

func TestAddOperationFailure(t *testing.T) {
	s := op.NewScope()
	image := op.Placeholder(s.SubScope("image"), tf.Float, op.PlaceholderShape(tf.MakeShape(1, 2, 2, 3)))
	size := op.Const(s.SubScope("size"), []int64{4, 4}) // it takes int32 only
	resized := op.ResizeArea(s, image, size)
	err := s.Err()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`failed to add operation "ResizeArea" (scope_test.go:`, "int64", "int32"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
	if got := tf.CodeOf(err); got != tf.InvalidArgument {
		t.Errorf("got code %v", got)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "see Scope.Err() for details") {
			t.Errorf("got panic %s", text)
		}
	}()
	_ = resized.Shape()
}

func TestShapeAttribute(t *testing.T) {
	s := op.NewScope()
	for i, test := range []struct {
		shape tf.Shape
		want  string
	}{
		{tf.Shape{}, "?"},
		{tf.ScalarShape(), "[]"},
		{tf.MakeShape(-1, 3), "[?, 3]"},
	} {
		x := op.Placeholder(s.SubScope(fmt.Sprint("x", i)), tf.Int32, op.PlaceholderShape(test.shape))
		if got := x.Shape().String(); got != test.want {
			t.Errorf("got shape %s, want %s", got, test.want)
		}
	}
	if err := s.Err(); err != nil {
		t.Error(err)
	}
}

// A list output is a slice; several outputs are several results.
func TestOutputLists(t *testing.T) {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), []float32{3, 1, 2, 0})
	parts := op.Split(s, op.Const(s.SubScope("axis"), int32(0)), x, 2)
	y, idx := op.Unique(s, x, op.UniqueOutIdx(tf.Int64))
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(parts) != 2 || y.DataType() != tf.Float || idx.DataType() != tf.Int64 {
		t.Fatalf("got %d parts, values of type %v and indices of type %v", len(parts), y.DataType(), idx.DataType())
	}
	want := []any{[]float32{3, 1}, []float32{2, 0}}
	if diff := cmp.Diff(want, run(t, s, parts)); diff != "" {
		t.Error(diff)
	}
}

func TestGradientsRefused(t *testing.T) {
	for name, derive := range map[string]func(*op.Scope, *tf.Operation) *op.Scope{
		"control dependencies": func(s *op.Scope, n *tf.Operation) *op.Scope { return s.WithControlDependencies(n) },
		"a device":             func(s *op.Scope, n *tf.Operation) *op.Scope { return s.WithDevice("/device:CPU:0") },
	} {
		s := op.NewScope()
		x := op.Const(s, float32(3))
		y := op.Square(s, x)
		dy := op.Gradients(derive(s, x.Op), []tf.Output{y}, []tf.Output{x})
		if err := s.Err(); dy != nil || err == nil || !strings.Contains(err.Error(), "does not support "+name) {
			t.Errorf("%s: got %v, %v", name, dy, err)
		}
	}
}
