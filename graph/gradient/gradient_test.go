package gradient

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func TestRegistry(t *testing.T) {
	Register(func(*Context) {}, "TestSmooth")
	None("TestFlat")
	if f, ok := Lookup("TestSmooth"); f == nil || !ok {
		t.Error("TestSmooth has no gradient")
	}
	if f, ok := Lookup("TestFlat"); f != nil || !ok {
		t.Error("TestFlat has a gradient, or nobody said that it has none")
	}
	if _, ok := Lookup("TestOther"); ok {
		t.Error("something was said of TestOther")
	}
	Refuse(status.Unimplemented, "no", "TestRefused")
	if ops := Ops(); !slices.Equal(ops, []string{"TestRefused", "TestSmooth"}) {
		t.Errorf("operations with a gradient: %v", ops)
	}
	if ops := Nones(); !slices.Equal(ops, []string{"TestFlat"}) {
		t.Errorf("operations without: %v", ops)
	}
	defer func() {
		if recover() == nil {
			t.Error("an operation may have two gradients")
		}
	}()
	None("TestSmooth")
}

// What is summed up, by the shapes of an operand and of the result.
func TestSpread(t *testing.T) {
	const u = shape.Unknown
	for _, c := range []struct {
		x, z shape.Shape
		axes []int32
		ok   bool
	}{
		{shape.Of(2, 3), shape.Of(2, 3), nil, true},
		{shape.Of(3), shape.Of(2, 3), []int32{0}, true},
		{shape.Of(2, 1), shape.Of(2, 3), []int32{1}, true},
		{shape.Scalar, shape.Of(2, u), []int32{0, 1}, true},
		{shape.Of(1, 3), shape.Of(4, 2, 3), []int32{0, 1}, true},
		{shape.Of(1), shape.Of(0), []int32{0}, true},
		{shape.Of(5), shape.Of(u), nil, true},
		{shape.Of(u), shape.Of(1), nil, true},
		{shape.Of(u), shape.Of(5), nil, false},
		{shape.Of(1), shape.Of(u), nil, false},
		{shape.Of(u), shape.Of(u), nil, false},
		{shape.Shape{}, shape.Of(2), nil, false},
		{shape.Of(2), shape.Shape{}, nil, false},
	} {
		axes, ok := spread(c.x, c.z)
		if ok != c.ok || ok && !slices.Equal(axes, c.axes) {
			t.Errorf("%v in %v: along %v, %v, want %v, %v", c.x, c.z, axes, ok, c.axes, c.ok)
		}
	}
}
