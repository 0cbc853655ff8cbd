package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// parseDoc splits the documentation: its first line is the summary; a line
// "name: text" with the name of an argument or attribute describes that one,
// together with the indented lines that follow; the rest is the description.
// Attributes that are left get their common description, unless doc is empty.
func (d *OpDef) parseDoc(doc string) error {
	if doc == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	d.Summary = strings.TrimSpace(lines[0])
	var rest []string
	var open *string // the description that indented lines continue
	for _, line := range lines[1:] {
		trimmed := strings.TrimSpace(line)
		if open != nil && trimmed != "" && trimmed != strings.TrimRight(line, " \t") {
			*open += "\n" + trimmed
			continue
		}
		open = nil
		name, text, ok := strings.Cut(line, ":")
		if of := d.describes(name); ok && of != nil {
			if *of != "" {
				return status.Invalid("Doc describes '%s' twice", name)
			}
			*of = strings.TrimSpace(text)
			open = of
			continue
		}
		rest = append(rest, strings.TrimRight(line, " \t"))
	}
	d.Description = strings.TrimSpace(strings.Join(rest, "\n"))
	for i := range d.Attrs {
		if a := &d.Attrs[i]; a.Description == "" {
			a.Description = common[a.Name]
		}
	}
	return nil
}

// describes returns the description of the argument or attribute called name, nil if
// there is none.
func (d *OpDef) describes(name string) *string {
	for _, args := range [][]ArgDef{d.Inputs, d.Outputs} {
		for i := range args {
			if args[i].Name == name {
				return &args[i].Description
			}
		}
	}
	if a := d.Attr(name); a != nil {
		return &a.Description
	}
	return nil
}

// common describes attributes that mean the same wherever they occur.
var common = map[string]string{
	"allowed_devices":          "The devices that may hold the resource; all if empty.",
	"bad_indices_policy":       `What to do about an index that is out of range: "ERROR" fails, "IGNORE" passes over it; empty or "DEFAULT" for the device's way, which is to fail on a CPU.`,
	"container":                "The container that holds the resource; empty for the default one.",
	"dtype":                    "The type of the elements.",
	"grad_a":                   "Whether a is itself a gradient; a hint to compilers.",
	"grad_b":                   "Whether b is itself a gradient; a hint to compilers.",
	"grad_x":                   "Whether x is itself a gradient; a hint to compilers.",
	"grad_y":                   "Whether y is itself a gradient; a hint to compilers.",
	"incompatible_shape_error": "Whether shapes that do not broadcast are an error; else the result is the scalar that says that the tensors differ.",
	"key_dtype":                "The type of the keys.",
	"metadata":                 "Text for tools that show the graph.",
	"parallel_iterations":      "The most iterations that may be under way at once.",
	"seed":                     "Together with seed2, where the sequence of draws begins. If both are 0, it begins elsewhere in each session.",
	"seed2":                    "The second part of the seed.",
	"shared_name":              "The name by which others find the resource; empty for the node's own.",
	"use_locking":              "Whether to lock the variable; an update is atomic without it, too.",
	"use_node_name_sharing":    "Whether others find the resource by the node's name if shared_name is empty.",
	"value_dtype":              "The type of the values.",
}
