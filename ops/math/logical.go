package math

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("LogicalAnd").
		Input("x: bool").Input("y: bool").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Commutative().
		Doc("Says where x and y are both true, with broadcasting.")
	registry.Define("LogicalOr").
		Input("x: bool").Input("y: bool").Output("z: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Commutative().
		Doc("Says where x or y is true, with broadcasting.")
	registry.Define("LogicalNot").
		Input("x: bool").Output("y: bool").
		Traits(registry.Elementwise | registry.Total | registry.Cheap).
		Doc("Turns true into false and false into true.")

	logical := func(op string, create func(tensor.DType) kernel.Kernel) {
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return create(tensor.Bool), nil }, op)
	}
	logical("LogicalAnd", newAnd)
	logical("LogicalOr", newOr)
	logical("LogicalNot", newNot)

	gradient.None("LogicalAnd", "LogicalOr", "LogicalNot")
}

func and[T elementwise.Bool](x, y T) T { return x && y }
func or[T elementwise.Bool](x, y T) T  { return x || y }
func not[T elementwise.Bool](x T) T    { return !x }
