package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func opsCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "ops [NAME]",
		Short: "List operations, or tell all about one",
		Long: `Ops lists the operations that graphs may hold, one a line: what Troupe has of
each, its name and what it does. The marks are

  k  nodes of it can run: it has kernels, or needs none
  s  the shapes of its outputs are inferred
  g  it can be differentiated

With NAME it shows one operation: the definition with its inputs, outputs,
attributes and documentation; the kernels, by device, and the types that each
takes; whether there are a shape function and a gradient. Internal operations,
whose names begin with an underscore, are shown only by name.

Format json is what a definition says, as an object or a list of objects;
format pb is a serialized OpList, as TensorFlow's tools read it.`,
		Example: `  troupe ops
  troupe ops MatMul
  troupe ops | grep -i conv
  troupe ops --format json | jq -r '.[] | select(.is_stateful) | .name'
  troupe ops --format pb > ops.pb`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json", "pb"}, format) {
				return fmt.Errorf("--format %s: text, json and pb are known", format)
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			if err := writeOps(w, format, args); err != nil {
				return failure{err}
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "print `FORMAT`: text, json or pb")
	return cmd
}

// writeOps writes the operation that is named, or all.
func writeOps(w io.Writer, format string, names []string) error {
	var content any
	var defs []*registry.OpDef
	if len(names) > 0 {
		def, err := registry.Global.Lookup(names[0])
		if err != nil {
			return err
		}
		content, defs = def, []*registry.OpDef{def}
	} else {
		defs = registry.Global.Defs(false)
		content = defs
	}
	switch {
	case format == "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(content)
	case format == "pb":
		list, err := registry.MarshalOpList(defs)
		if err != nil {
			return err
		}
		_, err = w.Write(list)
		return err
	case len(names) > 0:
		writeOp(w, defs[0])
		return nil
	}
	return listOps(w, defs)
}

// listOps writes a line for each operation.
func listOps(w io.Writer, defs []*registry.OpDef) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, def := range defs {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", marks(def.Name), def.Name, def.Summary)
	}
	return tw.Flush()
}

// marks says in three letters what there is of an operation.
func marks(op string) string {
	gradient, _ := graph.LookupGradient(op)
	m := []byte("---")
	for i, have := range []bool{nodes.Plays(op) || len(kernel.Registered(op)) > 0, shape.Lookup(op) != nil, gradient != nil} {
		if have {
			m[i] = "ksg"[i]
		}
	}
	return string(m)
}

// writeOp tells all about an operation.
func writeOp(w io.Writer, def *registry.OpDef) {
	fmt.Fprint(w, def.Text(), "\n")
	kernels := kernelLines(kernel.Registered(def.Name))
	switch {
	case nodes.Plays(def.Name):
		fmt.Fprintln(w, "  kernels: none needed, the executor itself does its work")
	case len(kernels) == 0:
		fmt.Fprintln(w, "  kernels: none yet")
	default:
		fmt.Fprintln(w, "  kernels:")
		for _, line := range kernels {
			fmt.Fprintln(w, "    "+line)
		}
	}
	has := "none, the shapes of its outputs are unknown"
	if shape.Lookup(def.Name) != nil {
		has = "yes"
	}
	fmt.Fprintln(w, "  shape function:", has)
	switch f, known := graph.LookupGradient(def.Name); {
	case f != nil:
		has = "yes"
	case known:
		has = "none flows through it"
	default:
		has = "none yet"
	}
	fmt.Fprintln(w, "  gradient:", has)
}

// A kernelGroup is kernels that differ only in the types they take. It stands
// for every combination of its types.
type kernelGroup struct {
	device, notes string
	types         map[string][]tensor.DType // sorted
}

// kernelLines describes kernels, such as "CPU  T in {float, double}". Kernels
// that differ in one attribute's types alone share a line.
func kernelLines(kernels []*kernel.Registration) []string {
	var groups []kernelGroup
	attrs := map[string]bool{}
	for _, r := range kernels {
		g := kernelGroup{device: r.Device, notes: notes(r), types: map[string][]tensor.DType{}}
		for name, types := range r.Types {
			g.types[name] = slices.Compact(slices.Sorted(slices.Values(types)))
			attrs[name] = true
		}
		groups = append(groups, g)
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		groups = mergeBy(name, groups)
	}
	var lines []string
	for _, g := range groups {
		lines = append(lines, g.String())
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// mergeBy makes one group of those that differ in attribute name alone.
func mergeBy(name string, groups []kernelGroup) []kernelGroup {
	var merged []kernelGroup
	at := map[string]int{}
	for _, g := range groups {
		types, ok := g.types[name]
		if !ok {
			merged = append(merged, g)
			continue
		}
		rest := maps.Clone(g.types)
		rest[name] = nil
		key := kernelGroup{g.device, g.notes, rest}.String()
		if i, ok := at[key]; ok {
			union := append(slices.Clone(merged[i].types[name]), types...)
			slices.Sort(union)
			merged[i].types[name] = slices.Compact(union)
			continue
		}
		at[key] = len(merged)
		merged = append(merged, g)
	}
	return merged
}

func (g kernelGroup) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(g.types)) {
		var types []string
		for _, t := range g.types[name] {
			types = append(types, t.String())
		}
		parts = append(parts, fmt.Sprintf("%s in {%s}", name, strings.Join(types, ", ")))
	}
	if parts == nil {
		parts = []string{"any types"}
	}
	return g.device + "  " + strings.Join(parts, ", ") + g.notes
}

// notes is what a registration says besides device and types.
func notes(r *kernel.Registration) string {
	var s string
	if len(r.HostMemory) > 0 {
		s += "; in host memory: " + strings.Join(r.HostMemory, ", ")
	}
	if r.Label != "" {
		s += fmt.Sprintf("; for nodes with _kernel=%q", r.Label)
	}
	if r.Priority != 0 {
		s += fmt.Sprintf("; priority %d", r.Priority)
	}
	return s
}
