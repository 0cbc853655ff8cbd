package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/view"
)

// web writes the page of a model, and of the run that the flags name, to a file.
func (f *plannedFlags) web(cmd *cobra.Command, path, file string, values bool) error {
	if f.places.given() {
		return fmt.Errorf("--web excludes --devices")
	}
	if f.signature != "" && f.named() {
		return fmt.Errorf("--signature %s is a run of its own: it excludes --feed, --fetch and --target", f.signature)
	}
	passes, err := rewrite.Parse(f.rewrite)
	if err != nil {
		return fmt.Errorf("--rewrite %s: %w", f.rewrite, err)
	}
	m, err := loadModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	p := view.New(filepath.Base(path))
	p.AddGraph("graph", m.graph)
	if err := m.addSignatures(p); err != nil {
		return err
	}
	if len(f.fetches)+len(f.targets) > 0 || f.signature != "" {
		feeds, fetches, targets, err := f.findIn(m)
		if err != nil {
			return err
		}
		spec := compile.Spec{Feeds: feeds, Fetches: fetches, Targets: targets, Rewrite: rewrite.Options{Passes: passes}}
		// The graph after each pass that changed it, as long as they are not too many nodes.
		type stage struct {
			pass  string
			graph *troupe.Graph
			nodes []*troupe.Operation
		}
		var stages []stage
		total := 0
		spec.After = func(pass string, p *plan.Program) {
			same := len(stages) > 0 && slices.Equal(stages[len(stages)-1].nodes, p.Nodes)
			if total += len(p.Nodes); !same && total <= mostStaged {
				stages = append(stages, stage{pass, p.Graph, slices.Clone(p.Nodes)})
			}
		}
		run, err := compile.Make(cmd.Context(), m.graph, spec)
		if err != nil {
			return failure{err}
		}
		program, err := run.Layout(cmd.Context(), true)
		if err != nil {
			return failure{err}
		}
		how := program.Plan()
		p.AddRun("run, rewritten", run.Graph, run.Nodes, passesText(run.Passes)+"\n"+planText(how))
		p.AddLoops(how)
		if total <= mostStaged {
			for i, s := range stages {
				if i == 0 {
					p.AddRun("after "+s.pass, s.graph, s.nodes, "")
				} else {
					p.AddPass("after "+s.pass, s.graph, s.nodes, "Marked are the nodes that this pass has added.")
				}
			}
		}
	} else if f.named() || f.rewrite != "" {
		return fmt.Errorf("--feed and --rewrite need --fetch, --target or --signature")
	}
	if values {
		if m.folder == "" {
			return fmt.Errorf("--values needs a SavedModel, whose variables have values")
		}
		sess, err := m.open(cmd, &troupe.SessionOptions{Files: new(fileFlags).policy(m)})
		if err != nil {
			return err
		}
		defer sess.Close()
		p.AddValues(sess.Variables())
	}
	return writeFile(file, p.Write)
}

// findIn returns the run that the flags name in a model: a signature's, or that of tensors
// and nodes.
func (f *plannedFlags) findIn(m *model) (feeds, fetches []troupe.Output, targets []*troupe.Operation, err error) {
	if f.signature == "" {
		return f.find(m.graph)
	}
	signatures := m.signatures()
	if signatures == nil {
		return nil, nil, nil, fmt.Errorf("--signature %s needs a SavedModel", f.signature)
	}
	key, err := shownSignature(signatures, f.signature)
	if err != nil {
		return nil, nil, nil, err
	}
	feeds, fetches, err = runOf(m.graph, key, signatures[key])
	if err == nil && len(fetches) == 0 {
		err = fmt.Errorf("--signature %s has no output that is one tensor", key)
	}
	if err != nil {
		return nil, nil, nil, failure{err}
	}
	return feeds, fetches, nil, nil
}

// signatures returns those of the model's graph, nil if it is no SavedModel's.
func (m *model) signatures() map[string]troupe.Signature {
	for _, g := range m.saved {
		if slices.Equal(g.Tags, m.tags) {
			return g.Signatures
		}
	}
	return nil
}

// addSignatures lists the model's signatures on its page, the one that is shown first first.
func (m *model) addSignatures(p *view.Page) error {
	signatures := m.signatures()
	first, err := shownSignature(signatures, "")
	if err != nil {
		return failure{err}
	}
	keys := sorted.Keys(ofUser(signatures))
	if i := slices.Index(keys, first); i > 0 {
		keys = slices.Insert(slices.Delete(keys, i, i+1), 0, first)
	}
	for _, key := range keys {
		var ports [2][]view.Port
		for k, infos := range []map[string]troupe.TensorInfo{signatures[key].Inputs, signatures[key].Outputs} {
			for name, t := range tensorsOf(infos) {
				ports[k] = append(ports[k], view.Port{Name: name, Tensor: t.Tensor, Type: t.text})
			}
			sorted.By(ports[k], func(a, b view.Port) int { return cmp.Compare(a.Name, b.Name) })
		}
		p.AddSignature(key, ports[0], ports[1])
	}
	return nil
}

// mostStaged is how many nodes the page has of graphs after single passes.
const mostStaged = 50_000
