package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/view"
)

// web writes the page of a model, and of the run that the flags name, to a file.
func (f *plannedFlags) web(cmd *cobra.Command, path, file string, values bool) error {
	if f.signature != "" || f.places.given() {
		return fmt.Errorf("--web excludes --signature and --devices: name a run by --feed, --fetch and --target")
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
	if len(f.fetches)+len(f.targets) > 0 {
		feeds, fetches, targets, err := f.find(m.graph)
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
		return fmt.Errorf("--feed and --rewrite need --fetch or --target")
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

// mostStaged is how many nodes the page has of graphs after single passes.
const mostStaged = 50_000
