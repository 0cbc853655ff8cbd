package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Traits are what rewriting, compiling and gradients may take for granted about an
// operation. They are part of its definition ([Builder.Traits]) and are not written to
// serialized ones.
type Traits uint16

const (
	// Elementwise: the one output has the shape to which the inputs broadcast, and each of
	// its elements depends on the elements at its place alone. Of scalars it is a scalar.
	Elementwise Traits = 1 << iota
	// Scalar: the one output is a scalar, whatever the inputs are.
	Scalar
	// Total: it never fails, provided that the shapes of its inputs broadcast.
	Total
	// Fusible: it can be computed as a part of a chain of elementwise operations
	// (_FusedElementwise) if its only attribute is a floating-point type.
	Fusible
	// Activation: it can be applied to a matrix product as that is written.
	Activation
	// Addition: it adds its second input to its first, and could do so in place.
	Addition
	// Cheap: a backward graph computes it again rather than keeping its result.
	Cheap
	// Impure: it depends on more than its inputs and attributes, or writes into an input,
	// although it is not stateful.
	Impure
	// Forwards: the output is the first input itself, not a copy of it.
	Forwards
	// Synchronizes: it may wait for another operation of the same session, and for nothing
	// outside.
	Synchronizes
)

// Is reports whether the operation has all of the traits.
func (d *OpDef) Is(t Traits) bool { return d.Traits&t == t }

// An Access is what an operation does to the object behind an input that is a resource
// or a reference.
type Access uint8

const (
	AccessUndeclared Access = iota
	AccessNone              // it leaves the state alone
	AccessRead              // it looks at the state
	AccessAdd               // it adds to the state, and does not tell what comes of it
	AccessWrite             // it changes the state
	AccessPut               // it appends an element
	AccessTake              // it removes an element
	AccessClose             // it ends appending
)

// Traits adds traits.
//
//go:noinline
func (b *Builder) Traits(t Traits) *Builder { b.def.Traits |= t; return b }

// Leaves declares that the operation does not touch the state behind these inputs. Of
// every input that is a resource or a reference, a definition says what the operation
// does to it: by Leaves, Reads, AddsTo, Writes, Puts, Takes or Closes.
//
//go:noinline
func (b *Builder) Leaves(inputs ...string) *Builder { return b.access(AccessNone, inputs) }

// Reads declares that the operation looks at the state behind these inputs.
//
//go:noinline
func (b *Builder) Reads(inputs ...string) *Builder { return b.access(AccessRead, inputs) }

// AddsTo declares that the operation adds to the state behind these inputs, in an order
// that does not matter.
//
//go:noinline
func (b *Builder) AddsTo(inputs ...string) *Builder { return b.access(AccessAdd, inputs) }

// Writes declares that the operation changes the state behind these inputs.
//
//go:noinline
func (b *Builder) Writes(inputs ...string) *Builder { return b.access(AccessWrite, inputs) }

// Puts declares that the operation appends elements to the objects behind these inputs.
//
//go:noinline
func (b *Builder) Puts(inputs ...string) *Builder { return b.access(AccessPut, inputs) }

// Takes declares that the operation removes elements from the objects behind these inputs.
//
//go:noinline
func (b *Builder) Takes(inputs ...string) *Builder { return b.access(AccessTake, inputs) }

// Closes declares that the operation ends the appending to the objects behind these inputs.
//
//go:noinline
func (b *Builder) Closes(inputs ...string) *Builder { return b.access(AccessClose, inputs) }

func (b *Builder) access(a Access, inputs []string) *Builder {
	for _, name := range inputs {
		b.accesses = append(b.accesses, namedAccess{name, a})
	}
	return b
}

type namedAccess struct {
	input  string
	access Access
}

// declareAccesses sets the accesses of the inputs. Each input that is a resource or a
// reference must have one, and no other may.
func (d *OpDef) declareAccesses(list []namedAccess) error {
	for _, n := range list {
		i := d.input(n.input)
		switch {
		case i < 0:
			return status.Invalid("it says what it does to input '%s', which it does not have", n.input)
		case !d.Inputs[i].object():
			return status.Invalid("it says what it does to input '%s', which is neither a resource nor a reference", n.input)
		case d.Inputs[i].Access != AccessUndeclared:
			return status.Invalid("it says twice what it does to input '%s'", n.input)
		}
		d.Inputs[i].Access = n.access
	}
	var missing []string
	for i := range d.Inputs {
		if a := &d.Inputs[i]; a.object() && a.Access == AccessUndeclared {
			missing = append(missing, "'"+a.Name+"'")
		}
	}
	if missing != nil {
		return status.Invalid("it does not say what it does to %s, a resource or a reference: add Leaves, Reads, AddsTo, Writes, Puts, Takes or Closes", strings.Join(missing, ", "))
	}
	return nil
}

// input returns the number of an input; -1 if there is none of that name.
func (d *OpDef) input(name string) int {
	for i := range d.Inputs {
		if d.Inputs[i].Name == name {
			return i
		}
	}
	return -1
}

// object reports whether the argument is a handle or a reference of an object.
func (a *ArgDef) object() bool { return a.IsRef || a.Type == tensor.Resource }
