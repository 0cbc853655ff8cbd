package conformance

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/registry"
)

func loadOpDefs(files fs.FS, group string) ([]*Case, error) {
	data, err := fs.ReadFile(files, "ops.pb")
	if err != nil {
		return nil, err
	}
	defs, err := registry.UnmarshalOpList(data)
	if err != nil {
		return nil, fmt.Errorf("ops.pb: %w", err)
	}
	cases := make([]*Case, len(defs))
	for i, def := range defs {
		cases[i] = &Case{
			Name:  group + "/" + def.Name,
			About: "The definition of " + def.Name + ".",
			Ops:   []string{def.Name},
			run:   func(context.Context, Config) error { return compareDefs(def) },
		}
	}
	return cases, nil
}

// compareDefs compares the definition registered under want's name with want:
// arguments, attributes with their constraints and defaults, flags and
// deprecation, not the documentation.
func compareDefs(want *registry.OpDef) error {
	got, err := registry.Global.Lookup(want.Name)
	if err != nil {
		return gapOr(err)
	}
	g, w := parts(got), parts(want)
	var diffs []error
	for _, part := range g {
		if !slices.Contains(w, part) {
			diffs = append(diffs, fmt.Errorf("has %s", part))
		}
	}
	for _, part := range w {
		if !slices.Contains(g, part) {
			diffs = append(diffs, fmt.Errorf("lacks %s", part))
		}
	}
	if len(diffs) == 0 && !slices.Equal(g, w) {
		diffs = append(diffs, fmt.Errorf("order %q, want %q", g, w))
	}
	return inOneLine(diffs)
}

// parts returns what a definition says: its signature, then each attribute and flag.
func parts(d *registry.OpDef) []string {
	list := strings.Split(strings.TrimSuffix(d.String(), ">"), "; ")
	for _, c := range d.ControlOutputs {
		list = append(list, "control output "+c)
	}
	if d.Deprecation != nil {
		list = append(list, fmt.Sprintf("deprecated in version %d", d.Deprecation.Version))
	}
	return list
}
