package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/view"
)

// web writes the page of a model, and of the run that the flags name, to a file.
func (f *plannedFlags) web(cmd *cobra.Command, path, file string) error {
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
		run, err := compile.Make(cmd.Context(), m.graph, spec)
		if err != nil {
			return failure{err}
		}
		program, err := run.Layout(cmd.Context(), true)
		if err != nil {
			return failure{err}
		}
		p.AddRun("run, rewritten", run.Graph, run.Nodes, passesText(run.Passes)+"\n"+planText(program.Plan()))
	} else if f.named() || f.rewrite != "" {
		return fmt.Errorf("--feed and --rewrite need --fetch or --target")
	}
	return writeFile(file, p.Write)
}
