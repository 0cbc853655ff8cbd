package session

import (
	"context"
	"crypto/tls"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// ClusterOptions configures a session whose target is other processes.
type ClusterOptions struct {
	// Bound is within what time a step ends after a worker that it needs has failed; 0 is 2 s.
	// The workers must have been started with the same.
	Bound time.Duration
	// Listen is the address HOST:PORT at which workers reach this process; "" is a loopback
	// address if all workers have one, otherwise the interface that leads to the first
	// worker, which needs a token or TLS.
	Listen string
	// Advertise is the address that workers are told; "" is the one listened on.
	Advertise string
	// Token is shown to workers, and required of them.
	Token string
	// TLS has the certificates shown to workers, and those that check theirs: Certificates,
	// RootCAs, ClientCAs and ClientAuth.
	TLS *tls.Config
	// Isolated gives the session resources of its own on the workers. Otherwise variables,
	// queues and tables belong to the workers' containers and are shared by name with other
	// sessions.
	Isolated bool
}

// A Target is a runtime in other processes. Its package registers how it is reached.
type Target interface {
	// Devices are those that nodes may be placed on.
	Devices() []devices.Attributes
	// Program prepares to run the shares of a program, which are by process.
	Program(shares []compile.Share, o TargetProgram) (AwayProgram, error)
	// Close ends what the session has there.
	Close() error
}

// A TargetProgram is what a Target must know of a program besides its shares.
type TargetProgram struct {
	Feeds, Fetches int
	// Passes rewrite the bodies of functions that kernels call; the shares have been rewritten.
	Passes rewrite.Passes
}

// An AwayProgram is a program that a Target runs.
type AwayProgram interface {
	// Run runs a step: feeds in, fetched values out. What its nodes cost there is merged into
	// recorder, unless that is nil.
	Run(ctx context.Context, feeds, fetched []tensor.Value, recorder *profile.Recorder) error
	// RunPartial runs a step of a partial run, whose nodes exchange values with side.
	RunPartial(ctx context.Context, side PartialSide) error
}

var targets struct {
	sync.Mutex
	open map[string]func(target string, o *SessionOptions) (Target, error)
}

// RegisterTarget adds a scheme of targets, such as "troupe" of "troupe://host:port". It
// panics if the scheme has been registered.
func RegisterTarget(scheme string, open func(target string, o *SessionOptions) (Target, error)) {
	targets.Lock()
	defer targets.Unlock()
	if targets.open[scheme] != nil {
		panic("session: targets " + scheme + ":// are registered twice")
	}
	if targets.open == nil {
		targets.open = map[string]func(string, *SessionOptions) (Target, error){}
	}
	targets.open[scheme] = open
}

// isLocal reports whether a target is this process.
func isLocal(target string) bool { return target == "" || target == "local" }

// openTarget opens the target of a session, if that is other processes.
func (o *SessionOptions) openTarget() (Target, error) {
	if isLocal(o.Target) {
		return nil, nil
	}
	scheme, _, _ := strings.Cut(o.Target, "://")
	targets.Lock()
	open := targets.open[scheme]
	known := sorted.Keys(targets.open)
	targets.Unlock()
	switch {
	case open != nil:
		return open(o.Target, o)
	case scheme == "troupe":
		return nil, status.Errorf(status.Unimplemented, "session target %q: the program does not import github.com/troupe-go/troupe/cluster", o.Target)
	case len(known) == 0:
		return nil, status.Errorf(status.Unimplemented, "session target %q: only this process can be run on", o.Target)
	}
	return nil, status.Errorf(status.Unimplemented, "session target %q: targets begin with %s://", o.Target, strings.Join(known, ":// or "))
}

// checkTarget refuses options that a session on other processes cannot have.
func (o *SessionOptions) checkTarget() error {
	switch {
	case isLocal(o.Target):
		return nil
	case o.Resources != nil:
		return status.Invalid("session target %q: resources of this process cannot be shared with workers", o.Target)
	case len(o.Devices) > 0:
		return status.Invalid("session target %q: the devices are the workers', not %v", o.Target, o.Devices)
	}
	return nil
}

// compileAway compiles the program for the session's target.
func (p *program) compileAway(ctx context.Context, s *Session, plan *compile.Planned) error {
	shares, err := plan.Shares(ctx)
	if err != nil {
		return status.From(err)
	}
	p.away, err = s.runtime.Program(shares, TargetProgram{Feeds: len(p.feeds), Fetches: len(p.fetches), Passes: s.passes})
	if err != nil {
		return status.From(err)
	}
	return nil
}
