package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
)

// A traceFlag is the flag --trace: the file that a run's trace goes to.
type traceFlag struct{ path string }

func (f *traceFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "trace", "", "write a timeline to `FILE`, for ui.perfetto.dev and chrome://tracing")
}

func (f *traceFlag) asked() bool { return f.path != "" }

// write writes the trace of a run, if one was asked for; also of one that failed.
func (f *traceFlag) write(m *troupe.RunMetadata) error {
	if !f.asked() || m.Stats == nil {
		return nil
	}
	return writeFile(f.path, m.Stats.WriteTrace)
}

// writeFile writes a file as a whole; after an error it is unchanged.
func writeFile(path string, write func(w io.Writer) error) error {
	if err := files.WriteFile(path, write); err != nil {
		return failure{err}
	}
	return nil
}
