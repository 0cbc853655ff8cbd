package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/tensor"
)

// defaultSignature is the signature that is run unless another is named.
const defaultSignature = "serving_default"

// runSignature runs a signature of a SavedModel: feeds and results go by its names.
func (f *runFlags) runSignature(cmd *cobra.Command, m *model) error {
	loaded, err := troupe.LoadSavedModel(m.folder, m.tags, f.options(m))
	if err != nil {
		return failure{err}
	}
	defer loaded.Session.Close()
	key := f.signature
	if key == "" {
		key = defaultSignature
	}
	sig, ok := loaded.Signatures[key]
	if !ok {
		return fmt.Errorf("there is no signature %q; the model has %s", key, strings.Join(sortedKeys(loaded.Signatures), ", "))
	}
	inputs := map[string]*troupe.Tensor{}
	for _, arg := range f.feeds {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("--feed %s: NAME=VALUE or NAME=@FILE is asked for", arg)
		}
		info, ok := sig.Inputs[name]
		if !ok {
			return fmt.Errorf("--feed %s: signature %s has the inputs %s", name, key, strings.Join(sortedKeys(sig.Inputs), ", "))
		}
		if inputs[name] != nil {
			return fmt.Errorf("--feed %s: it is fed twice", name)
		}
		if inputs[name], err = parseValue(value, info.DType); err != nil {
			return fmt.Errorf("--feed %s: %w", name, err)
		}
	}
	defer monitor(cmd.Context(), loaded.Session, cmd.ErrOrStderr())()
	call, err := loaded.Prepare(cmd.Context(), key)
	if err != nil {
		return failure{err}
	}
	var meta troupe.RunMetadata
	out, err := call.RunWithOptions(cmd.Context(), troupe.RunOptions{Metadata: &meta, Profile: f.trace.asked()}, inputs)
	if traced := f.trace.write(&meta); traced != nil {
		return traced
	}
	if err != nil {
		return failure{err}
	}
	for _, name := range sortedKeys(out) {
		printValue(cmd.OutOrStdout(), name, "=", out[name])
	}
	return nil
}

// parseValue reads "VALUE" or "@FILE" as a tensor of a type. A file that is neither an
// array nor a message is the bytes of a string.
func parseValue(value string, dt troupe.DataType) (*troupe.Tensor, error) {
	file, ok := strings.CutPrefix(value, "@")
	if !ok {
		return tensor.Parse(value, dt)
	}
	switch filepath.Ext(file) {
	case ".npy", ".pb", ".tensor":
	default:
		if dt == troupe.String {
			return readText(file)
		}
	}
	return tensor.ReadFile(file, 0)
}

// writeSignatures lists the graphs of a SavedModel by their tags, with what each may
// be asked.
func writeSignatures(w io.Writer, all []troupe.SavedGraph) {
	for _, g := range all {
		fmt.Fprintf(w, "tags %s: %s\n", strings.Join(g.Tags, ","), count(len(g.Signatures), "signature"))
		for _, key := range sortedKeys(g.Signatures) {
			s := g.Signatures[key]
			fmt.Fprintf(w, "  %s\n", strings.TrimSpace(key+"  "+s.MethodName))
			t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			for _, side := range []struct {
				name  string
				infos map[string]troupe.TensorInfo
			}{{"input", s.Inputs}, {"output", s.Outputs}} {
				for _, name := range sortedKeys(side.infos) {
					info := side.infos[name]
					at := info.Name
					if at == "" {
						at = "of several tensors"
					}
					fmt.Fprintf(t, "    %s\t%s\t%v %v\t%s\n", side.name, name, info.DType, info.Shape, at)
				}
			}
			t.Flush()
		}
	}
	if len(all) > 0 {
		fmt.Fprintln(w)
	}
}
