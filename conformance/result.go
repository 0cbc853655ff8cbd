package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/troupe-go/troupe/session"
)

// A Verdict is what became of a case.
type Verdict string

// The verdicts; see the package documentation.
const (
	Passed        Verdict = "passed"
	Failed        Verdict = "failed"
	Unimplemented Verdict = "unimplemented"
)

// A Result says what became of a case. Its JSON form is what the command line
// prints.
type Result struct {
	Case    string        `json:"case"`
	Engine  string        `json:"engine"`
	Verdict Verdict       `json:"verdict"`
	Detail  string        `json:"detail,omitempty"` // what differed, or what is missing
	Elapsed time.Duration `json:"elapsed_ns"`
}

// A Config says how cases are run. The zero Config is the default engine
// without limits but the timeout.
type Config struct {
	Engine        string
	Rewrite       string // passes; see session.SessionOptions
	Units         string // passes of units; see session.SessionOptions
	Threads       int
	Target        string        // other processes to run on, as session.SessionOptions have it
	Bound         time.Duration // of the target's failures
	Strewing      Strewing
	SeparateSteps bool          // what runs on each device is a step of its own
	MemoryLimit   int64         // of the session, in bytes; 0: the default
	Timeout       time.Duration // for each load and for each step without a deadline of its own; 0: a minute

	// Opened is told of the session that a case's steps run in, and what it
	// returns is called when they have run. Nil: nothing. Cases that run in
	// another process cannot tell.
	Opened func(*session.Session) (closing func()) `json:"-"`
}

func (c Config) timeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return time.Minute
}

// A gap is the error of a case that needs what Troupe does not have yet.
type gap struct{ error }

func (g gap) Unwrap() error { return g.error }

// inOneLine joins what differs; nil if nothing does.
func inOneLine(diffs []error) error {
	if len(diffs) == 0 {
		return nil
	}
	err := diffs[0]
	for _, d := range diffs[1:] {
		err = fmt.Errorf("%w; %w", err, d)
	}
	return err
}

// Run runs the case in this process. A panic in it is a failure.
func (c *Case) Run(ctx context.Context, cfg Config) (r Result) {
	r = Result{Case: c.Name, Engine: cfg.Engine, Verdict: Passed}
	start := time.Now()
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return c.run(ctx, cfg)
	}()
	r.Elapsed = time.Since(start)
	if err != nil {
		r.Verdict, r.Detail = Failed, err.Error()
		if g := (gap{}); errors.As(err, &g) {
			r.Verdict = Unimplemented
		}
	}
	return r
}

// A Summary counts results by verdict.
type Summary struct{ Passed, Failed, Unimplemented int }

// Add counts r.
func (s *Summary) Add(r Result) {
	switch r.Verdict {
	case Passed:
		s.Passed++
	case Unimplemented:
		s.Unimplemented++
	default:
		s.Failed++
	}
}

// String is "N passed, M failed, K unimplemented".
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d unimplemented", s.Passed, s.Failed, s.Unimplemented)
}
