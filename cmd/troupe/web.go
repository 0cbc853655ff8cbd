package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/view"
)

// web writes the page of a model, and of the run that the flags name, to a file.
func (f *plannedFlags) web(cmd *cobra.Command, path, file string) error {
	m, err := loadModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	p := view.New(filepath.Base(path))
	p.AddGraph("graph", m.graph)
	return writeFile(file, p.Write)
}
