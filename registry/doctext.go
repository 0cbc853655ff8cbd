package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// parseDoc splits the documentation: its first line is the summary; a line
// "name: text" with the name of an argument or attribute describes that one,
// together with the indented lines that follow; the rest is the description.
func (d *OpDef) parseDoc(doc string) error {
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
	return nil
}

// describes is the description of the argument or attribute called name, nil if
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
