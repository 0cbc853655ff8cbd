package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// checkpointAt reports whether a path is a checkpoint: its index, the prefix that its files
// have in common, or a folder with nothing but checkpoints in it, of which it is the one
// that the file "checkpoint" names, or else the only one.
func checkpointAt(path string) (prefix string, ok bool) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return checkpointIn(path)
	}
	if prefix, ok := strings.CutSuffix(path, ".index"); ok {
		_, err := os.Stat(path)
		return prefix, err == nil
	}
	if _, err := os.Stat(path); err == nil {
		return "", false
	}
	_, err := os.Stat(bundle.IndexName(path))
	return path, err == nil
}

// checkpointIn returns the checkpoint of a folder that is no model.
func checkpointIn(dir string) (prefix string, ok bool) {
	for _, file := range []string{savedModelFile, savedModelFile + "txt", "case.json"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return "", false
		}
	}
	if last := lastCheckpoint(dir); last != "" {
		return last, true
	}
	var found []string
	for _, e := range readDir(dir) {
		if prefix, ok := strings.CutSuffix(e.Name(), ".index"); ok && !e.IsDir() {
			found = append(found, filepath.Join(dir, prefix))
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// lastCheckpoint returns the checkpoint that a folder's file "checkpoint" says is the last, if
// it is there; else "".
func lastCheckpoint(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		value, ok := strings.CutPrefix(strings.TrimSpace(line), "model_checkpoint_path:")
		if !ok {
			continue
		}
		prefix, err := strconv.Unquote(strings.TrimSpace(value))
		if err != nil {
			return ""
		}
		if !filepath.IsAbs(prefix) {
			prefix = filepath.Join(dir, prefix)
		}
		if _, err := os.Stat(bundle.IndexName(prefix)); err == nil {
			return prefix
		}
	}
	return ""
}

// writeCheckpoint lists the tensors of a checkpoint.
func writeCheckpoint(w io.Writer, prefix string) error {
	r, err := bundle.Open(nil, prefix)
	if err != nil {
		return err
	}
	defer r.Close()
	names, err := r.Names()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "checkpoint %s: %s, no graph\n", plain.Line(filepath.Base(prefix)), count(len(names), "tensor"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range names {
		e, err := r.Entry(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "  %s\t%v\t%s\n", plain.Line(name), e.DType, tensor.FormatDims(e.Shape))
	}
	return t.Flush()
}

// checkCheckpoint looks whether the files are there from which a SavedModel's variables
// are restored. What is in them is not read. A model that restores nothing gives its
// variables their values in another way.
func (v *verdict) checkCheckpoint(m *model) {
	if m.folder == "" || !slices.ContainsFunc(m.graph.Nodes(), isVariable) || !restores(m.graph) {
		return
	}
	r, err := bundle.Open(nil, filepath.Join(m.folder, "variables", "variables"))
	if err == nil {
		defer r.Close()
		err = r.Verify()
	}
	if err == nil {
		return
	}
	for _, n := range m.graph.Nodes() {
		if isVariable(n) {
			e := status.From(err)
			v.add(n.Type(), n.Name(), e.Code, e.Message)
		}
	}
}

// isVariable reports whether a node is a variable, which a checkpoint gives its value.
func isVariable(n *graph.Node) bool {
	switch n.Type() {
	case "VarHandleOp", "VariableV2", "Variable":
		return true
	}
	return false
}

// restores reports whether a graph, or a function that it may call, reads a checkpoint.
func restores(g *troupe.Graph) bool {
	reads := func(n *graph.Node) bool { return n.Type() == "RestoreV2" || n.Type() == "Restore" }
	return slices.ContainsFunc(g.Nodes(), reads) || slices.ContainsFunc(instancesOf(g), func(in instance) bool {
		return in.err == nil && slices.ContainsFunc(in.body.Graph.Nodes(), reads)
	})
}
