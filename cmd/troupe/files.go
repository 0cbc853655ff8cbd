package main

import (
	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/files"
)

// fileFlags are the flags that say which files a graph may use.
type fileFlags struct{ read, write []string }

func (f *fileFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.read, "read", nil, "let the graph read files below `DIR` in addition to the model's folder (repeatable)")
	fl.StringArrayVar(&f.write, "write", nil, "let the graph write files below `DIR` (repeatable)")
}

// policy returns what the graph of a model may use.
func (f *fileFlags) policy(m *model) *files.Policy {
	p := &files.Policy{Read: f.read, Write: f.write}
	if m.dir != "" {
		p.Read = append([]string{m.dir}, p.Read...)
	}
	return p
}
