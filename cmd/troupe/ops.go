package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

func opsCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "ops [NAME]",
		Short: "List operations, or describe one",
		Long: `Ops lists the operations that graphs may contain, one a line: what Troupe has for it,
its name, and what it does. The marks are

  k  it can run: it has kernels, or needs none
  s  the shapes of its outputs are inferred
  g  it can be differentiated

With NAME it describes one operation: its definition with inputs, outputs, attributes
and documentation; its kernels by device, with the types that each takes, and the types
for which TensorFlow has a kernel and Troupe does not; its shape function and gradient.
Internal operations, whose names begin with an underscore, are shown by name only.

--format json prints the same as one object or a list of objects, with the field names
of an OpDef; pb a serialized OpList, and kernels a serialized KernelList, both for
TensorFlow's tools.

It exits with 0, or with 1 if there is no operation NAME.`,
		Example: `  troupe ops
  troupe ops MatMul
  troupe ops | grep -i conv
  troupe ops --format json | jq -r '.[] | select(.is_stateful) | .name'
  troupe ops --format json | jq -r '.[] | select(.kernels == [] and (.played_by_executor | not)) | .name'
  troupe ops --format pb > ops.pb`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json", "pb", "kernels"}, format) {
				return fmt.Errorf("unknown --format %s: use text, json, pb or kernels", format)
			}
			w := bufio.NewWriter(raw(cmd.OutOrStdout())) // nothing of a model is in it
			if err := writeOps(w, format, args); err != nil {
				return failure{err}
			}
			return w.Flush()
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "print `FORMAT`: text, json, pb or kernels")
	return cmd
}

// writeOps writes the operation that is named, or all.
func writeOps(w io.Writer, format string, names []string) error {
	var defs []*registry.OpDef
	if len(names) > 0 {
		def, err := lookup(names[0])
		if err != nil {
			return err
		}
		defs = []*registry.OpDef{def}
	} else {
		defs = registry.Global.Defs(false)
	}
	switch {
	case format == "json":
		list := make([]knowledge, len(defs))
		for i, def := range defs {
			list[i] = knowledge{def}
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		if len(names) > 0 {
			return enc.Encode(list[0])
		}
		return enc.Encode(list)
	case format == "pb":
		list, err := registry.MarshalOpList(defs)
		if err != nil {
			return err
		}
		_, err = w.Write(list)
		return err
	case format == "kernels":
		var kernels []*kernel.Registration
		for _, def := range defs {
			kernels = append(kernels, kernel.Registered(def.Name)...)
		}
		list, err := kernel.MarshalKernelList(kernels)
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

// lookup finds a definition, or suggests others.
func lookup(name string) (*registry.OpDef, error) {
	def, err := registry.Global.Lookup(name)
	if err == nil {
		return def, nil
	}
	hint := "`troupe ops` lists those that are"
	if near := registry.Global.Nearest(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, status.Errorf(status.NotFound, "Op type not registered '%s': %s", name, hint)
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
	differentiate, _ := gradient.Lookup(op)
	m := []byte("---")
	for i, have := range []bool{compile.Plays(op) || len(kernel.Registered(op)) > 0, shape.Lookup(op) != nil, differentiate != nil} {
		if have {
			m[i] = "ksg"[i]
		}
	}
	return string(m)
}

// writeOp tells all about an operation.
func writeOp(w io.Writer, def *registry.OpDef) {
	fmt.Fprint(w, def.Text(), "\n")
	switch kernels := kernelsOf(def); {
	case compile.Plays(def.Name):
		fmt.Fprintln(w, "  kernels: none needed, the executor runs it")
	case len(kernels) == 0:
		fmt.Fprintln(w, "  kernels: none yet")
	default:
		fmt.Fprintln(w, "  kernels:")
		for _, g := range kernels {
			fmt.Fprintln(w, "    "+g.String())
		}
		if missing := kernel.Missing(def); len(missing) > 0 {
			fmt.Fprintln(w, "    missing, which TensorFlow has:", typeSets(names(missing)))
		}
	}
	has := "none, the shapes of its outputs are unknown"
	if shape.Lookup(def.Name) != nil {
		has = "yes"
	}
	fmt.Fprintln(w, "  shape function:", has)
	fmt.Fprintln(w, "  gradient:", map[string]string{
		"yes": "yes", "none": "none flows through it", "missing": "none yet",
	}[gradientOf(def.Name)])
}

// gradientOf is "yes"; "none" if no gradient flows through an operation; or
// "missing".
func gradientOf(op string) string {
	switch f, known := gradient.Lookup(op); {
	case f != nil:
		return "yes"
	case known:
		return "none"
	}
	return "missing"
}
