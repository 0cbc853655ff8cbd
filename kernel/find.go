package kernel

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// labelAttr is the attribute that asks for kernels with a label.
const labelAttr = "_kernel"

// Find returns the kernel for a node on a device type: among those that fit, the one
// of highest priority. It fails
//
//   - with UNIMPLEMENTED if the operation has no kernel at all, or if none fits
//     a node that TensorFlow's CPU kernels would run: a gap of Troupe;
//   - with INVALID_ARGUMENT if none fits a node that TensorFlow would refuse as
//     well, as it has no kernel for these types either;
//   - with INTERNAL if a registration contradicts the definition or another one.
//
// The first two list what is registered, in TensorFlow's words.
func Find(deviceType string, c *Construction) (*Registration, error) {
	e := global.entry(c.Op.Name)
	if e == nil {
		return nil, status.Errorf(status.Unimplemented, "operation %s is known but has no kernel yet", c.Op.Name)
	}
	if err := e.check(c.Op); err != nil {
		return nil, err
	}
	if best := e.find(deviceType, c.Attrs); best != nil {
		return best, nil
	}
	return nil, e.misfit(deviceType, c)
}

// Make finds the kernel of a node and makes it.
func Make(deviceType string, c *Construction) (Kernel, error) {
	r, err := Find(deviceType, c)
	if err != nil {
		return nil, err
	}
	k, err := r.New(c)
	if err != nil {
		return nil, err
	}
	if !r.Holders {
		k = sharing(k, c.Inputs)
	}
	return weighing(k, c.Outputs), nil
}

// find returns the best kernel that fits, nil if none does.
func (e *entry) find(deviceType string, attrs registry.Attrs) *Registration {
	label := labelOf(attrs)
	var best *Registration
	for i := range e.kernels {
		k := &e.kernels[i]
		if k.Device == deviceType && k.Label == label && (best == nil || k.Priority > best.Priority) && k.fits(attrs) {
			best = k.Registration
		}
	}
	return best
}

// labelOf returns the label that a node asks for, "" as a rule.
func labelOf(attrs registry.Attrs) string {
	if v := attrs.Find(labelAttr); v != nil {
		return v.S
	}
	return ""
}

// Supported returns those of deviceTypes, given with the preferred one first, that
// have a kernel for the node: by the priority of that kernel, then in the given
// order. An operation without kernels anywhere is supported by all, as what
// calls a function or is executed by the engine itself needs none.
func Supported(deviceTypes []string, c *Construction) []string {
	e := global.entry(c.Op.Name)
	if e == nil {
		return slices.Clone(deviceTypes)
	}
	type device struct {
		kind     string
		priority int
	}
	var found []device
	for _, t := range deviceTypes {
		if r := e.find(t, c.Attrs); r != nil {
			found = append(found, device{t, r.Priority})
		}
	}
	sorted.Stably(found, func(a, b device) int { return cmp.Compare(b.priority, a.priority) })
	kinds := make([]string, len(found))
	for i := range found {
		kinds[i] = found[i].kind
	}
	return kinds
}

// misfit returns the error for a node that none of the kernels takes.
func (e *entry) misfit(deviceType string, c *Construction) error {
	code, gap := status.InvalidArgument, ""
	if e.gap(deviceType, c) {
		code, gap = status.Unimplemented, "; TensorFlow has kernels for these types"
	}
	lines := make([]string, len(e.kernels))
	for i := range e.kernels {
		lines[i] = e.kernels[i].String()
	}
	sort.Strings(lines)
	return status.Errorf(code, "No OpKernel was registered to support Op '%s' used by {{node %s}} with these attrs: [%s]%s\nRegistered devices: [%s]\nRegistered kernels:\n  %s",
		c.Op.Name, c.Node, telling(c), gap, deviceType, strings.Join(slices.Compact(lines), "\n  "))
}

// gap reports whether TensorFlow's CPU kernels would take the node and Troupe has
// none for one of its types. Where there are kernels for each, but not for all
// together, TensorFlow has none either. Another device or a label that no kernel
// has is the graph's own wish.
func (e *entry) gap(deviceType string, c *Construction) bool {
	if deviceType != "CPU" || labelOf(c.Attrs) != "" {
		return false
	}
	missing := false
	for i := range c.Op.Attrs {
		attr := &c.Op.Attrs[i]
		v := c.Attrs.Find(attr.Name)
		if v == nil || attr.Kind != registry.KindType {
			missing = missing || attr.Kind.Elem() == registry.KindType // lists are not told of
			continue
		}
		if types, limited := TensorFlowTypes(c.Op.Name, attr.Name); limited && !slices.Contains(types, v.Type) {
			return false
		}
		missing = missing || !e.takes(attr.Name).has(v.Type)
	}
	return missing
}

// telling returns the attributes that a kernel may be registered for: types, and the
// label.
func telling(c *Construction) string {
	var b []string
	for _, a := range c.Attrs {
		if a.Value.Kind.Elem() == registry.KindType || a.Name == labelAttr {
			b = append(b, a.Name+"="+shorten(a.Value.String()))
		}
	}
	return strings.Join(b, ", ")
}

// shorten keeps a value from filling a message.
func shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
