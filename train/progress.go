package train

import (
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// Progress forwards steps and, if w is a terminal, shows a progress bar with the loss.
// total is the number of the last step, 0 if unknown.
//
//	for step, err := range train.Progress(os.Stderr, 1000, t.Steps(ctx, goal, batches)) {
func Progress(w io.Writer, total int64, steps iter.Seq2[Step, error]) iter.Seq2[Step, error] {
	if f, ok := w.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return steps
	}
	return func(yield func(Step, error) bool) {
		var loss atomic.Uint64
		p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
		bar := p.AddBar(total, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(
			decor.CountersNoUnit("%d of %d"),
			decor.AverageSpeed(0, " %.0f/s"),
			decor.Any(func(decor.Statistics) string {
				return fmt.Sprintf(" loss %.4g", math.Float64frombits(loss.Load()))
			})))
		defer func() {
			bar.Abort(true)
			p.Wait()
		}()
		for step, err := range steps {
			if err == nil {
				loss.Store(math.Float64bits(step.Loss))
				bar.SetCurrent(step.N)
			}
			if !yield(step, err) {
				return
			}
		}
	}
}
