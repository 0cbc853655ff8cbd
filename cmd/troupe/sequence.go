package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/profile/sequence"
)

// A sequenceFlag is the flag --sequence: the file that the page of a run's messages
// goes to.
type sequenceFlag struct{ path string }

func (f *sequenceFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "sequence", "", "write every message of the run to `FILE`, an HTML page to step through; the engine is messages or messages:N")
}

// around lets a run be recorded, if that was asked for, and writes the page; also of a run
// that failed.
func (f *sequenceFlag) around(cmd *cobra.Command, model string, engine *string, run func() error) error {
	if f.path == "" {
		return run()
	}
	if !cmd.Flags().Changed("engine") {
		*engine = "messages"
	}
	if name, _, _ := strings.Cut(*engine, ":"); name != "messages" {
		return fmt.Errorf("--sequence needs --engine messages or messages:N, not %s", *engine)
	}
	r := &sequence.Recording{}
	cmd.SetContext(sequence.Record(cmd.Context(), r))
	err := run()
	if s, _ := r.Step(); s == nil {
		return err // it has not come as far as a step
	}
	write := func(w io.Writer) error { return r.WritePage(w, filepath.Base(model)) }
	if written := writeFile(f.path, write); written != nil && err == nil {
		return written
	}
	return err
}
