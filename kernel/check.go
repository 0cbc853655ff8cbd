package kernel

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// Validate checks every registered kernel against the definitions of a
// registry. It fails with INTERNAL on the first mistake: an operation that is
// not defined; an attribute that the definition lacks, or that is not of
// types; a type that no attribute can have; an argument in host memory
// that the operation does not have; two kernels that fit the same node.
//
// A program need not call it, as each look-up makes these checks for its
// operation. It is for the tests of packages that register kernels.
func Validate(ops *registry.Registry) error {
	for _, op := range Ops() {
		def, err := ops.Lookup(op)
		if err != nil {
			return status.Errorf(status.Internal, "a kernel is registered for operation %s, which is not defined", op)
		}
		if err := global.entry(op).check(def); err != nil {
			return err
		}
	}
	return nil
}

// check reports whether the kernels agree with the definition and each other. It
// remembers that they do.
func (e *entry) check(def *registry.OpDef) error {
	if e.checked.Load() == def {
		return nil
	}
	for i := range e.kernels {
		k := &e.kernels[i]
		if err := k.check(def); err != nil {
			return err
		}
		for j := range i {
			if other := &e.kernels[j]; k.overlaps(other) {
				return mistake(k.Registration, "another of equal priority fits the same nodes: %v", other.Registration)
			}
		}
	}
	e.checked.Store(def)
	return nil
}

func mistake(r *Registration, format string, args ...any) error {
	return status.Errorf(status.Internal, "kernel of operation %s (%v): %s", r.Op, r, fmt.Sprintf(format, args...))
}

// check compares one registration with the definition.
func (c *candidate) check(def *registry.OpDef) error {
	for _, con := range c.constraints {
		attr := def.Attr(con.attr)
		if attr == nil {
			return mistake(c.Registration, "the operation has no attribute %s", con.attr)
		}
		if attr.Kind != registry.KindType && attr.Kind != registry.KindType|registry.ListOf {
			return mistake(c.Registration, "attribute %s is of kind %v, and only types can be asked for", con.attr, attr.Kind)
		}
		for _, t := range c.Types[con.attr] {
			if !t.Valid() || t.IsRef() {
				return mistake(c.Registration, "attribute %s can never be %v", con.attr, t)
			}
		}
	}
	for _, name := range c.HostMemory {
		named := func(a registry.ArgDef) bool { return a.Name == name }
		if !slices.ContainsFunc(def.Inputs, named) && !slices.ContainsFunc(def.Outputs, named) {
			return mistake(c.Registration, "host memory is asked for '%s', which is neither an input nor an output", name)
		}
	}
	return nil
}

// overlaps reports whether some node fits both, and neither goes before the other.
func (c *candidate) overlaps(o *candidate) bool {
	if c.Device != o.Device || c.Label != o.Label || c.Priority != o.Priority {
		return false
	}
	for _, a := range c.constraints {
		for _, b := range o.constraints {
			if a.attr == b.attr && a.types&b.types == 0 {
				return false
			}
		}
	}
	return true
}
