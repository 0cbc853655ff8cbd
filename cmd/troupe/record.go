package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/view"
)

// A recordFlag is the flags --record, the file that the page of a run goes to, and
// --compare, an earlier such page.
type recordFlag struct{ path, compare string }

func (f *recordFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "record", "", "write the run to `FILE`, an HTML page that plays it on the graph; the run is by tokens, without units")
	cmd.Flags().StringVar(&f.compare, "compare", "", "show the run of an earlier page, `FILE`, next to the one of --record")
}

// around records a run, if that was asked for, and writes the page; also of a run that
// failed.
func (f *recordFlag) around(cmd *cobra.Command, model string, run func() error) error {
	if f.path == "" {
		if f.compare != "" {
			return fmt.Errorf("--compare needs --record")
		}
		return run()
	}
	p := view.New(filepath.Base(model))
	if f.compare != "" {
		file, err := os.Open(f.compare)
		if err != nil {
			return failure{err}
		}
		err = p.Compare(file)
		file.Close()
		if err != nil {
			return failure{fmt.Errorf("--compare %s: %w", f.compare, err)}
		}
	}
	r := recording.New()
	cmd.SetContext(recording.With(cmd.Context(), r))
	err := run()
	if runs, _ := r.Runs(); len(runs) == 0 {
		return err // it has not come as far as a step
	}
	written := p.AddRecording(filepath.Base(model), r)
	if written == nil {
		written = writeFile(f.path, p.Write)
	} else {
		written = failure{written}
	}
	return cmp.Or(err, written)
}

// writeSchedules writes the page of the first two outcomes of schedules, or of the one that
// there is.
func writeSchedules(ctx context.Context, file, model string, s *explore.System, found *explore.Result) error {
	p := view.New(filepath.Base(model))
	for i, a := range found.Answers[:min(2, len(found.Answers))] {
		r := recording.New()
		recorded := *s
		recorded.Prepare = func(k *kernel.Step) {
			if s.Prepare != nil {
				s.Prepare(k)
			}
			if k.Depth == 0 { // not of a function that a kernel calls
				k.Record = r.Begin(cmp.Or(a.Order.String(), "first come, first served"))
			}
		}
		if _, _, err := explore.Replay(ctx, &recorded, a.Order); err != nil {
			return failure{err}
		}
		if err := p.AddRecording(fmt.Sprintf("outcome %d", i+1), r); err != nil {
			return failure{err}
		}
	}
	return writeFile(file, p.Write)
}
