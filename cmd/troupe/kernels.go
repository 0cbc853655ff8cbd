package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// A kernelGroup is kernels that differ only in the types they take. It stands
// for every combination of its types.
type kernelGroup struct {
	Device     string                `json:"device"`
	Types      map[string][]typeName `json:"types"` // in the order of dtypes
	HostMemory []string              `json:"host_memory,omitempty"`
	Label      string                `json:"label,omitempty"`
	Priority   int                   `json:"priority,omitempty"`
}

// kernelsOf groups an operation's kernels. Those that differ in one
// attribute's types alone are one group.
func kernelsOf(def *registry.OpDef) []kernelGroup {
	groups := []group{}
	attrs := map[string]bool{}
	for _, r := range kernel.Registered(def.Name) {
		g := group{r, map[string][]tensor.DType{}}
		for name, types := range r.Types {
			g.types[name] = allowed(def.Attr(name), types)
			attrs[name] = true
		}
		groups = append(groups, g)
	}
	for _, name := range sorted.Keys(attrs) {
		groups = mergeBy(name, groups)
	}
	out := make([]kernelGroup, len(groups))
	for i, g := range groups {
		out[i] = kernelGroup{g.Device, names(g.types), g.HostMemory, g.Label, g.Priority}
	}
	sorted.By(out, func(a, b kernelGroup) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// allowed returns those of types, sorted, that an attribute may have.
func allowed(attr *registry.AttrDef, types []tensor.DType) []tensor.DType {
	var out []tensor.DType
	for _, t := range types {
		if attr == nil || len(attr.AllowedTypes) == 0 || slices.Contains(attr.AllowedTypes, t) {
			out = append(out, t)
		}
	}
	sorted.By(out, cmp.Compare)
	return slices.Compact(out)
}

// A group is a kernelGroup while it grows.
type group struct {
	*kernel.Registration
	types map[string][]tensor.DType // sorted
}

// mergeBy makes one group of those that differ in attribute name alone.
func mergeBy(name string, groups []group) []group {
	var merged []group
	for _, g := range groups {
		at := slices.IndexFunc(merged, func(m group) bool { return m.mergesWith(g, name) })
		if at < 0 {
			merged = append(merged, group{g.Registration, maps.Clone(g.types)})
			continue
		}
		union := slices.Concat(merged[at].types[name], g.types[name])
		sorted.By(union, cmp.Compare)
		merged[at].types[name] = slices.Compact(union)
	}
	return merged
}

func (g group) mergesWith(o group, name string) bool {
	if _, ok := g.types[name]; !ok || len(g.types) != len(o.types) {
		return false
	}
	for attr, types := range o.types {
		if have, ok := g.types[attr]; !ok || attr != name && !slices.Equal(types, have) {
			return false
		}
	}
	return g.Device == o.Device && g.Label == o.Label && g.Priority == o.Priority && slices.Equal(g.HostMemory, o.HostMemory)
}

// A typeName is a dtype that JSON spells as in "DT_FLOAT".
type typeName tensor.DType

// MarshalText returns the name in the protocol buffers.
func (t typeName) MarshalText() ([]byte, error) { return []byte(tensor.DType(t).ProtoName()), nil }

func names(types map[string][]tensor.DType) map[string][]typeName {
	out := make(map[string][]typeName, len(types))
	for attr, list := range types {
		for _, t := range list {
			out[attr] = append(out[attr], typeName(t))
		}
	}
	return out
}

// String is such as "CPU  T in {float, double}; priority 1".
func (g kernelGroup) String() string {
	s := g.Device + "  "
	if len(g.Types) == 0 {
		s += "any types"
	}
	s += typeSets(g.Types)
	if len(g.HostMemory) > 0 {
		s += "; in host memory: " + strings.Join(g.HostMemory, ", ")
	}
	if g.Label != "" {
		s += fmt.Sprintf("; for nodes with _kernel=%q", g.Label)
	}
	if g.Priority != 0 {
		s += fmt.Sprintf("; priority %d", g.Priority)
	}
	return s
}

// typeSets is such as "S in {float}, T in {float, double}".
func typeSets(types map[string][]typeName) string {
	var parts []string
	for _, attr := range sorted.Keys(types) {
		var list []string
		for _, t := range types[attr] {
			list = append(list, tensor.DType(t).String())
		}
		parts = append(parts, fmt.Sprintf("%s in {%s}", attr, strings.Join(list, ", ")))
	}
	return strings.Join(parts, ", ")
}

// A knowledge is all that there is of an operation, for JSON.
type knowledge struct{ *registry.OpDef }

// MarshalJSON adds to the definition's object what Troupe has of the operation.
func (k knowledge) MarshalJSON() ([]byte, error) {
	def, err := json.Marshal(k.OpDef)
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(struct {
		Plays    bool                  `json:"played_by_executor"`
		Kernels  []kernelGroup         `json:"kernels"`
		Missing  map[string][]typeName `json:"missing_types"` // that TensorFlow's kernels take
		Shapes   bool                  `json:"shape_function"`
		Gradient string                `json:"gradient"`
	}{
		compile.Plays(k.Name), kernelsOf(k.OpDef), names(kernel.Missing(k.OpDef)),
		shape.Lookup(k.Name) != nil, gradientOf(k.Name),
	})
	if err != nil {
		return nil, err
	}
	return append(append(def[:len(def)-1], ','), more[1:]...), nil // one object of the two
}
