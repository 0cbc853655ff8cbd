package plan

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/status"
)

// A Pass is one change of a program. It has either Run or Edit.
type Pass struct {
	Name string
	// When reports whether the pass has anything to do with a program; nil: it always has.
	When func(*Program) bool
	// Run changes a program that must be changed to be run.
	Run func(context.Context, *Program) error
	// Edit is an optional pass, which only makes a program faster. It may be switched off, and
	// where it fails the program is run as it was before all such passes.
	Edit func(*Edit) error
}

// Optional reports whether a program can be run without the pass.
func (p *Pass) Optional() bool { return p.Edit != nil }

// Options says how passes run.
type Options struct {
	// Verify checks the program after each pass. A pass after which it is none, and an optional
	// pass that fails, are errors of code INTERNAL. With the build tag invariants it is always
	// set.
	Verify bool
	// After is called with the program after each pass, which it must not keep or change; nil:
	// nobody is.
	After func(pass string, p *Program)
}

// A Stat is the effect of one pass on a program.
type Stat struct {
	Pass   string
	Before int // nodes, without feeds
	After  int
	Time   time.Duration
}

// Run runs passes in their order. It takes time linear in the size of the program, beside
// that of the kernels that an optional pass runs, and fails soon after ctx has ended with its
// error. For what is wrong with the program, other than what a required pass says, it does
// not fail: that is told when the program runs.
func Run(ctx context.Context, p *Program, passes []Pass, o Options) ([]Stat, error) {
	var stats []Stat
	o.Verify = o.Verify || invariants
	given := false // the optional passes are given up
	for i := range passes {
		pass := &passes[i]
		if pass.Optional() && given || pass.When != nil && !pass.When(p) {
			continue
		}
		begin := time.Now()
		s := Stat{Pass: pass.Name, Before: p.Size()}
		if len(stats) == 0 {
			s.Before = p.Graph.NumNodes() - p.fedAway()
		}
		if !pass.Optional() {
			if err := p.Finish(); err != nil {
				return nil, err
			}
			if err := pass.Run(ctx, p); err != nil {
				return nil, err
			}
		} else if ok, err := p.rewrite(ctx, pass, o.Verify); err != nil {
			return nil, err
		} else if !ok {
			given, stats = true, required(stats, passes)
			continue
		}
		if o.Verify {
			if err := p.Verify(); err != nil {
				return nil, status.Within(err, "after the pass %s", pass.Name)
			}
		}
		s.After = p.Size()
		if o.After != nil {
			o.After(pass.Name, p)
		}
		if last := i == len(passes)-1 || !passes[i+1].Optional(); last {
			if err := p.Finish(); err != nil {
				return nil, err
			}
		}
		s.Time = time.Since(begin)
		stats = append(stats, s)
	}
	return stats, p.Finish()
}

// rewrite runs an optional pass. It reports whether the program is worth going on with: it is
// not where the program cannot be edited, as where it does not link placeholders.
func (p *Program) rewrite(ctx context.Context, pass *Pass, strict bool) (bool, error) {
	e, err := p.Edit(ctx)
	if err == nil {
		strict := strict
		if err = pass.Edit(e); err == nil {
			err = e.sweep()
		}
		if err != nil && strict && ctx.Err() == nil {
			return false, status.Errorf(status.Internal, "the pass %s fails: %v", pass.Name, err)
		}
	}
	if err == nil {
		return true, nil
	}
	p.edit = nil
	if ended := status.FromContext(ctx); ended != nil {
		return false, ended
	}
	return false, nil
}

// required returns the stats of passes that are not optional.
func required(stats []Stat, passes []Pass) (kept []Stat) {
	for _, s := range stats {
		for i := range passes {
			if passes[i].Name == s.Pass && !passes[i].Optional() {
				kept = append(kept, s)
			}
		}
	}
	return kept
}
