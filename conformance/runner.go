package conformance

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan/rewrite"
)

// Limits of a hostile case.
const (
	HostileMemory  = 1 << 30          // bytes, of its process
	HostileTimeout = 10 * time.Second // of its load and of each step
)

// A Runner runs many cases, several at a time.
type Runner struct {
	Config
	// Jobs is how many cases run at the same time; less than 1 is 1.
	Jobs int
	// Command starts a child process that calls [Serve], with the memory limit
	// as one more argument where there is one. All cases then run in children,
	// hostile ones under their limits, so that a crash is one case's failure.
	// Empty: everything runs in this process, without limits of memory.
	Command []string
}

// Run runs the cases and hands their results to took, in the order of cases,
// on the calling goroutine. When ctx ends, the cases that have not ended are
// failures.
func (r *Runner) Run(ctx context.Context, cases []*Case, took func(*Case, Result)) {
	results := make([]chan Result, len(cases))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	defer wg.Wait()
	for range max(r.Jobs, 1) {
		wg.Go(func() {
			tame, hostile := &worker{command: r.Command}, &worker{command: r.Command, memory: HostileMemory}
			defer tame.close()
			defer hostile.close()
			for i := range next {
				results[i] <- r.one(ctx, cases[i], tame, hostile)
			}
		})
	}
	go func() {
		defer close(next)
		for i := range cases {
			next <- i
		}
	}()
	for i, c := range cases {
		took(c, <-results[i])
	}
}

// Bisect reports which optional pass makes a case fail: the first of those of r.Rewrite, then of
// r.Units, with which it does. The pass is "" where it fails without any; found is false where it
// does not fail. An error says that r.Rewrite or r.Units names no passes, or that ctx has ended.
func (r *Runner) Bisect(ctx context.Context, c *Case) (pass string, found bool, err error) {
	all, err := rewrite.Parse(r.Rewrite)
	if err != nil {
		return "", false, err
	}
	units, err := form.ParsePasses(r.Units)
	if err != nil {
		return "", false, err
	}
	tame, hostile := &worker{command: r.Command}, &worker{command: r.Command, memory: HostileMemory}
	defer tame.close()
	defer hostile.close()
	return compile.Bisect(all, units, func(on rewrite.Passes, units form.Passes) (bool, error) {
		with := *r
		with.Rewrite, with.Units = on.String(), units.String()
		result := with.one(ctx, c, tame, hostile)
		return result.Verdict == Failed, ctx.Err()
	})
}

func (r *Runner) one(ctx context.Context, c *Case, tame, hostile *worker) Result {
	cfg, w := r.Config, tame
	if c.Hostile() {
		w = hostile
		cfg.Timeout = min(cfg.timeout(), HostileTimeout)
		if cfg.MemoryLimit == 0 {
			cfg.MemoryLimit = HostileMemory / 2
		}
	}
	if len(r.Command) == 0 {
		return c.Run(ctx, cfg)
	}
	return w.run(ctx, c, cfg)
}
